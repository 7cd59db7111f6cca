import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FairShares, type Holder } from '../../../../src/check/replay/fair-shares.ts';

/** Places that each asks for while it gets them, one after the other. */
function takeAll(holders: readonly Holder[], places: number): readonly number[] {
  const shares = new FairShares();
  let free = places;
  return holders.map((holder) => {
    let taken = 0;
    for (; free > 0 && shares.hasRoom(holder, free); taken += 1) {
      shares.add(holder, 1);
      free -= 1;
    }
    return taken;
  });
}

function credentialsOf(consumerId: string, count: number): readonly Holder[] {
  return Array.from({ length: count }, (_, index) => ({ consumerId, credentialId: `${consumerId}-${String(index)}` }));
}

describe('shares of a memory', () => {
  it('give one credential half, and all of one consumer two thirds', () => {
    assert.deepEqual(takeAll(credentialsOf('acme', 1), 600), [300]);
    const taken = takeAll(credentialsOf('acme', 10), 600);
    assert.ok(taken.reduce((sum, each) => sum + each, 0) <= 402, String(taken));
    assert.ok((taken[1] ?? 0) > 0, 'the first credential leaves some for the second');
  });

  it('give others the same of what is left', () => {
    const taken = takeAll([...credentialsOf('acme', 10), ...credentialsOf('borealis', 1)], 600);
    assert.ok((taken.at(-1) ?? 0) >= 99, String(taken));
  });

  it('come back with the places', () => {
    const shares = new FairShares();
    const [holder] = credentialsOf('acme', 1);
    assert.ok(holder);
    shares.add(holder, 50);
    assert.equal(shares.hasRoom(holder, 50), false);
    shares.add(holder, -1);
    assert.equal(shares.hasRoom(holder, 51), true);
  });

  it('tell a credential from one of the same id that another consumer has', () => {
    const shares = new FairShares();
    shares.add({ consumerId: 'acme', credentialId: 'one' }, 50);
    assert.equal(shares.hasRoom({ consumerId: 'borealis', credentialId: 'one' }, 50), true);
  });

  it('leave a third to the other consumers, however many credentials one has and in whatever order they ask', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(19), { maxLength: 400 }), (asking) => {
        const shares = new FairShares();
        let free = 300;
        for (const index of asking) {
          const holder = { consumerId: 'acme', credentialId: `acme-${String(index)}` };
          if (!shares.hasRoom(holder, free)) continue;
          shares.add(holder, 1);
          free -= 1;
        }
        assert.ok(free >= 99, String(free));
        assert.equal(shares.hasRoom({ consumerId: 'borealis', credentialId: 'one' }, free), true);
      }),
    );
  });
});
