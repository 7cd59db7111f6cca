import assert from 'node:assert/strict';
import { planGrant } from '../../../../src/resources/changes/plan-grant.ts';
import type { Wish } from '../../../../src/resources/changes/wish.ts';
import type { Grant } from '../../../../src/model/grant.ts';

const pair = { endpointId: 'orders', consumerId: 'acme' };
const limit = { requests: 5, unit: 'minute', per: 'consumer' } as const;
const grant: Grant = { ...pair, limits: [limit], expiresAt: 1_790_000_000 };
const current = { resource: grant, revision: 2, createdAt: 1, updatedAt: 1 };

describe('a wish for a grant', () => {
  it('becomes a grant', () => {
    assert.deepEqual(planGrant(pair, {}, null), {
      changes: [{ kind: 'grant', id: 'orders/acme', before: null, after: { ...pair, limits: null, expiresAt: null } }],
    });
  });

  it('changes what it names, and keeps all else', () => {
    const cases: readonly (readonly [Wish, Partial<Grant>])[] = [
      [{}, {}],
      [{ limits: [] }, { limits: [] }],
      [{ limits: undefined }, { limits: null }],
      [{ expiresAt: undefined }, { expiresAt: null }],
      [{ expiresAt: '2027-01-15T08:00:00Z' }, { expiresAt: 1_800_000_000 }],
    ];
    for (const [wish, difference] of cases) {
      const planned = planGrant(pair, wish, current);
      assert.ok('changes' in planned);
      assert.deepEqual(planned.changes[0]?.after, { ...grant, ...difference });
      assert.equal(planned.changes[0].before, current);
    }
  });

  it('names what is wrong with its limits', () => {
    const planned = planGrant(pair, { limits: [limit, limit, { ...limit, per: 'endpoint' }] }, null);
    assert.ok('problems' in planned);
    assert.deepEqual(
      planned.problems.map(({ path }) => path),
      ['limits[1]', 'limits[2].per'],
    );
  });
});
