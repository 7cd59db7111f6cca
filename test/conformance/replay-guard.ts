import assert from 'node:assert/strict';
import { type ReplayGuard, type UsedSignature } from '../../src/check/replay/replay-guard.ts';
import { usedSignature } from '../support/partner/used-signature.ts';

/** A guard under test. */
export interface ReplayGuardUnderTest {
  readonly guard: ReplayGuard;
  /** Another replica's guard, which remembers the same; null where there is no such thing. */
  readonly other: ReplayGuard | null;
  /** The time that the guard forgets by, in whole seconds since the epoch. */
  readonly nowSeconds: () => number;
  /** Put into every key, so that keys which outlive a run are not met again. */
  readonly unique: string;
}

/** The contract of {@link ReplayGuard} that every implementation keeps (spec §4.4). `setUp` runs before each test. */
export function describeReplayGuardContract(name: string, setUp: () => Promise<ReplayGuardUnderTest>): void {
  describe(`the replay guard ${name}`, () => {
    let tested: ReplayGuardUnderTest;
    let tests = 0;

    beforeEach(async () => {
      tested = await setUp();
      tests += 1;
    });

    /** A signature of this test only. */
    function signature(text: string): UsedSignature {
      return usedSignature(`${text} ${String(tests)} ${tested.unique}`, { signedAtSeconds: tested.nowSeconds() });
    }

    const reserve = async (text: string, guard = tested.guard) => await guard.reserve(signature(text), 300);

    it('takes each signature once', async () => {
      assert.deepEqual(
        [await reserve('a'), await reserve('a'), await reserve('b'), await reserve('a'), await reserve('b')],
        ['first', 'repeated', 'first', 'repeated', 'repeated'],
      );
    });

    it('takes one of many that ask at once', async () => {
      const all = await Promise.all(Array.from({ length: 100 }, async () => await reserve('a')));
      assert.equal(all.filter((each) => each === 'first').length, 1);
      assert.equal(all.filter((each) => each === 'repeated').length, 99);
    });

    it('takes as many as there are different ones that ask at once', async () => {
      const all = await Promise.all(Array.from({ length: 100 }, async (_, index) => await reserve(String(index))));
      assert.deepEqual(new Set(all), new Set(['first']));
    });

    it('remembers a signature whatever skew is asked for later', async () => {
      assert.equal(await tested.guard.reserve(signature('a'), 3600), 'first');
      assert.equal(await tested.guard.reserve(signature('a'), 1), 'repeated');
      assert.equal(await tested.guard.reserve(signature('a'), 3600), 'repeated');
    });

    it('takes each assertion once, whatever signatures have the same bytes', async () => {
      const endsAt = tested.nowSeconds() + 3600;
      const assertion = {
        ...signature('a'),
        signedAtSeconds: endsAt,
        expiresAtSeconds: endsAt,
        method: 'assertion',
      } as const;
      assert.equal(await reserve('a'), 'first');
      assert.deepEqual(
        [await tested.guard.reserve(assertion, 0), await tested.guard.reserve(assertion, 0), await reserve('a')],
        ['first', 'repeated', 'repeated'],
      );
      const of = { ...assertion, appKey: 'another' };
      assert.equal(await tested.guard.reserve(of, 0), 'first');
    });

    it('remembers what another replica took', async function () {
      const { other } = tested;
      if (other === null) return;
      assert.deepEqual([await reserve('a'), await reserve('a', other)], ['first', 'repeated']);
      const both = await Promise.all(
        Array.from({ length: 100 }, async (_, index) => await reserve('b', index % 2 === 0 ? other : tested.guard)),
      );
      assert.equal(both.filter((each) => each === 'first').length, 1);
    });
  });
}
