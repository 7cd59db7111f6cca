import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readPlain } from '../../../src/model/document/read-plain.ts';
import type { Grant } from '../../../src/model/grant.ts';
import { declareGrant, describeGrant, grantId, parseGrantId, readGrant } from '../../../src/resources/grant.ts';
import { readGrantDocument, writeGrantDocument, writeVersion } from '../../../src/stores/mongodb/mapping/records.ts';
import { grant, groupGrant, limit } from '../../support/pipeline/resources.ts';

const text = fc.string({ unit: 'grapheme-composite' });
const selectors = fc.dictionary(
  text.filter((name) => name !== '__proto__'),
  text,
  { minKeys: 1, maxKeys: 4, noNullPrototype: true },
);
const version = writeVersion({ revision: 1, createdAt: 0, updatedAt: 0 });

describe('a grant', () => {
  it('has an id that names its endpoint and its consumer or group', () => {
    assert.equal(grantId(grant()), 'orders/acme');
    assert.equal(grantId(groupGrant()), 'orders/tier=gold');
    const consumerSelector = { tier: 'gold', 'a/b=c,d': 'ü 1' };
    assert.equal(grantId(groupGrant({ consumerSelector })), 'orders/a%2Fb%3Dc%2Cd=%C3%BC%201,tier=gold');
  });

  it('has an id that says which it is, whatever the labels', () => {
    fc.assert(
      fc.property(selectors, (consumerSelector) => {
        const target = { endpointId: 'orders', consumerSelector };
        assert.deepEqual(parseGrantId(grantId(target)), target);
      }),
    );
    assert.deepEqual(parseGrantId('orders/acme'), { endpointId: 'orders', consumerId: 'acme' });
  });

  it('has an id that no other labels have', () => {
    fc.assert(
      fc.property(selectors, selectors, (one, other) => {
        const isSame =
          Object.keys(one).length === Object.keys(other).length &&
          Object.keys(one).every((name) => one[name] === other[name]);
        const [first, second] = [one, other].map((consumerSelector) => grantId({ endpointId: 'a', consumerSelector }));
        assert.equal(first === second, isSame);
      }),
    );
  });

  it('is not what another text names', () => {
    for (const id of ['', 'orders', 'orders/', '/acme', 'orders/Acme', 'orders/acme/x', 'orders/tier=gold,eu=1']) {
      assert.equal(parseGrantId(id), null, id);
    }
    for (const id of ['orders/tier=%zz', 'orders/tier=gold,', 'orders/t%69er=gold', 'Orders/tier=gold']) {
      assert.equal(parseGrantId(id), null, id);
    }
  });

  it('is declared and kept as it was', () => {
    const grants: readonly Grant[] = [
      grant({ limits: [limit('1/day/consumer')], expiresAt: 1_800_000_000 }),
      groupGrant({ priority: -5 }),
      groupGrant({ consumerSelector: { b: '', a: 'x' }, limits: [], expiresAt: 1_800_000_000 }),
    ];
    for (const each of grants) {
      assert.deepEqual(readPlain(declareGrant(each), readGrant), { value: each });
      assert.deepEqual(readGrantDocument({ ...writeGrantDocument(each, version) }), { value: each });
    }
    assert.deepEqual(declareGrant(groupGrant()), {
      endpoint: 'orders',
      consumerSelector: { tier: 'gold' },
      priority: 0,
    });
  });

  it('has the priority 0 where none is declared', () => {
    const read = readPlain({ endpoint: 'orders', consumerSelector: { tier: 'gold' } }, readGrant);
    assert.deepEqual(read, { value: groupGrant() });
    const negative = readPlain({ endpoint: 'orders', consumerSelector: { tier: 'gold' }, priority: -0 }, readGrant);
    assert.deepEqual(negative, { value: groupGrant() });
  });

  it('is named in a sentence', () => {
    assert.equal(describeGrant(grant()), 'grant of acme on orders');
    assert.equal(describeGrant(groupGrant()), 'grant for tier=gold on orders');
  });

  it('of a database is refused where it is neither, both, or under another id', () => {
    const own = { _id: 'orders/acme', endpointId: 'orders', ...version };
    const group = { ...own, _id: 'orders/tier=gold', consumerSelector: { tier: 'gold' } };
    const cases: readonly (readonly [object, string, string])[] = [
      [own, '', '"consumerId" is missing; a grant needs it, or a "consumerSelector"'],
      [group, '', '"priority" is missing; a grant for a group needs it'],
      [
        { ...group, consumerId: 'acme', priority: 1 },
        'consumerSelector',
        'a grant is for one consumer or for a group: remove "consumerId" or "consumerSelector"',
      ],
      [
        { ...own, consumerId: 'acme', priority: 1 },
        'priority',
        '"priority" is for groups ("consumerSelector"): the own grant of a consumer counts before them',
      ],
      [
        { ...group, _id: 'orders/acme', priority: 1 },
        '_id',
        'must be "endpointId/name=value,…" with the labels of the same document',
      ],
      [
        { ...group, priority: 1, consumerSelector: {} },
        'consumerSelector',
        '"consumerSelector" must name at least one label: without any it would be a grant for every consumer, those that come later too',
      ],
      [{ ...group, priority: 0.5 }, 'priority', '"priority" must be a whole number from -1000000 to 1000000'],
    ];
    for (const [document, field, problem] of cases) {
      const read = readGrantDocument(document as Record<string, unknown>);
      assert.ok('fault' in read);
      assert.deepEqual([read.fault.field, read.fault.problem], [field, problem]);
    }
  });
});
