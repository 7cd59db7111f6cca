import assert from 'node:assert/strict';
import { boundLoad } from '../../../bench/measure.ts';
import { baselinesOf, groupRows, rows } from '../../../bench/rows.ts';

describe('the rows of the bench', () => {
  const names = rows.map(({ name }) => name);

  it('have names of their own', () => {
    assert.equal(new Set(names).size, names.length);
  });

  it('are measured in one group with the rows that they are compared with', () => {
    for (const group of groupRows(rows)) {
      const inGroup = new Set(group.map(({ name }) => name));
      for (const row of group) {
        const others = [...Object.values(baselinesOf(row) as Record<string, string>), row.sameAnswerAs ?? row.name];
        const elsewhere = others.filter((name) => !inGroup.has(name));
        assert.deepEqual(elsewhere, [], row.name);
      }
    }
  });

  it('say when their messages hold a signed time', () => {
    const signed = rows.filter(({ isSigned }) => isSigned === true).map(({ name }) => name);
    assert.deepEqual(
      signed,
      names.filter((name) => /hmac|parameters|message-signature/.test(name)),
    );
  });

  it('are sent new tokens for each load where they measure new ones', () => {
    const renewed = rows.filter(({ isNewEachLoad }) => isNewEachLoad === true).map(({ name }) => name);
    assert.deepEqual(
      renewed,
      names.filter((name) => name.endsWith('-new')),
    );
  });

  it('bound the calls at once of large messages', () => {
    const load = { connections: 4, streams: 25, checks: 20_000, seconds: 3 };
    const bounded = boundLoad(load, { atMost: { callsAtOnce: 8, checks: 150 } });
    assert.deepEqual(bounded, { ...load, connections: 4, streams: 2, checks: 150 });
    const http = { ...load, connections: 64, streams: 1 };
    const few = boundLoad(http, { atMost: { callsAtOnce: 4, checks: 24 } });
    assert.deepEqual(few, { ...http, connections: 4, streams: 1, checks: 24 });
    assert.deepEqual(boundLoad(load, {}), load);
  });
});
