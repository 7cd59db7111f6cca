import assert from 'node:assert/strict';
import { MAX_LABELS } from '../../../src/model/bounds.ts';
import type { GroupGrant } from '../../../src/model/grant.ts';
import { grantInEffect, rankGrants } from '../../../src/model/grant-in-effect.ts';
import type { Labels } from '../../../src/model/labels.ts';

function groupOf(consumerSelector: Labels): GroupGrant {
  return { endpointId: 'orders', consumerSelector, priority: 0, limits: null, expiresAt: null };
}

/** Labels that count how often each is asked for. */
function counted(labels: Labels): { readonly labels: Labels; readonly asked: () => number } {
  let asked = 0;
  const proxy = new Proxy(labels, {
    get: (target, name) => {
      asked += 1;
      return target[String(name)];
    },
  });
  return { labels: proxy, asked: () => asked };
}

describe('a group with more labels than may be written', () => {
  const many = Object.fromEntries(Array.from({ length: 100 * MAX_LABELS }, (_, at) => [`label-${String(at)}`, 'x']));

  it('is looked through once for each consumer, whether it fits or not', () => {
    const ranked = rankGrants([groupOf(many)]);
    for (const [own, fits] of [
      [counted(many), true],
      [counted({ ...many, [`label-${String(100 * MAX_LABELS - 1)}`]: 'y' }), false],
    ] as const) {
      for (let check = 0; check < 3; check += 1) {
        assert.equal(grantInEffect(null, ranked, own.labels, 0) !== null, fits);
      }
      assert.equal(own.asked(), 100 * MAX_LABELS);
    }
  });

  it('is made ready once, however often grants are compiled', () => {
    const [first] = rankGrants([groupOf(many)]);
    assert.ok(first);
    assert.equal(rankGrants([first])[0], first);
  });
});
