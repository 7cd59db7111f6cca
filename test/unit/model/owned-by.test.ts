import assert from 'node:assert/strict';
import fc from 'fast-check';
import { carries, type Labels } from '../../../src/model/labels.ts';
import { labelsSinceAfter, ownedSince } from '../../../src/model/labels-since.ts';
import { isOwnedBy, ownedBy, ownersWith } from '../../../src/model/owned-by.ts';

const text = fc.constantFrom('a', 'b', 'a=b', '=', '"', '__proto__', 'team');
const labels: fc.Arbitrary<Labels> = fc
  .array(fc.tuple(text, text), { maxLength: 4 })
  .map((entries) => Object.fromEntries(entries));

describe('whom something belonged to', () => {
  it('is who reaches everything that it belonged to', () => {
    fc.assert(
      fc.property(fc.array(labels, { minLength: 1, maxLength: 3 }), labels, (owners, selector) => {
        const isReached = owners.every((each) =>
          Object.entries(selector).every(([name, value]) => Object.hasOwn(each, name) && each[name] === value),
        );
        assert.equal(isOwnedBy(ownedBy(owners), selector), isReached);
        assert.equal(
          ownersWith(selector).every((each) => ownedBy(owners).includes(each)),
          isReached,
        );
      }),
    );
  });

  it('is nobody with labels where it was not noted, and where there is no owner', () => {
    for (const owners of [undefined, ownedBy([])]) {
      assert.equal(isOwnedBy(owners, { team: 'payments' }), false);
      assert.equal(isOwnedBy(owners, {}), true);
    }
  });
});

describe('since when labels are carried', () => {
  it('is since each was given last, whatever else changes', () => {
    fc.assert(
      fc.property(
        fc.array(labels, { minLength: 1, maxLength: 6 }),
        labels,
        fc.boolean(),
        (states, selector, isReused) => {
          let current: Parameters<typeof labelsSinceAfter>[0] = null;
          let expected = 0;
          for (const [at, state] of states.entries()) {
            const nowSeconds = 100 + at;
            const had = current !== null && carries(current.resource.labels, selector);
            const labelsSince = labelsSinceAfter(current, { labels: state }, { nowSeconds, isReused });
            current = { resource: { labels: state }, updatedAt: nowSeconds, labelsSince };
            if (!carries(state, selector)) continue;
            if (!had) expected = at === 0 && !isReused ? 0 : nowSeconds;
          }
          if (current === null || !carries(current.resource.labels, selector) || Object.keys(selector).length === 0)
            return;
          // Labels of a selector can have come one by one; the last of them counts.
          assert.equal(ownedSince(current, selector), expected);
        },
      ),
    );
  });

  it('is the last change for what a former version wrote', () => {
    const former = { resource: { labels: { team: 'a' } }, updatedAt: 50 };
    assert.equal(ownedSince(former, { team: 'a' }), 50);
    assert.equal(ownedSince(former, {}), 0);
    const next = { labels: { team: 'a', tier: 'gold' } };
    assert.deepEqual(labelsSinceAfter(former, next, { nowSeconds: 90, isReused: false }), { team: 50, tier: 90 });
  });
});
