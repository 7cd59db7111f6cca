import assert from 'node:assert/strict';
import { StoreUnavailable } from '../../../../../src/check/store/credential-source.ts';
import { LookUpProbe } from '../../../../../src/stores/mongodb/feed/availability.ts';

/** A probe whose timer is turned by hand. */
function probeUnderTest(): {
  probe: LookUpProbe;
  state: { inDoubt: boolean; answer: Error | null; asked: number; defects: unknown[]; timers: number };
  tick: () => Promise<void>;
} {
  const state = { inDoubt: true, answer: null as Error | null, asked: 0, defects: [] as unknown[], timers: 0 };
  let action: (() => void) | null = null;
  const probe = new LookUpProbe({
    isInDoubt: () => state.inDoubt,
    ask: () => {
      state.asked += 1;
      return state.answer === null ? Promise.resolve(null) : Promise.reject(state.answer);
    },
    startTimer: (_delayMs, next) => {
      action = next;
      state.timers += 1;
      return () => {
        state.timers -= 1;
        action = null;
      };
    },
    observer: { defect: (error) => state.defects.push(error) },
  });
  const tick = async (): Promise<void> => {
    const act = action;
    action = null;
    state.timers -= 1;
    act?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { probe, state, tick };
}

describe('the probe of look-ups', () => {
  it('asks nothing while nothing suggests an outage', async () => {
    const { probe, state, tick } = probeUnderTest();
    state.inDoubt = false;
    state.answer = new StoreUnavailable('down');
    await tick();
    await tick();
    assert.equal(state.asked, 0);
    assert.equal(probe.fails, false);
  });

  it('fails after two look-ups without an answer, and recovers with the first answer', async () => {
    const { probe, state, tick } = probeUnderTest();
    state.answer = new StoreUnavailable('down');
    await tick();
    assert.equal(probe.fails, false);
    await tick();
    assert.equal(probe.fails, true);
    await tick();
    assert.equal(probe.fails, true);
    state.answer = null;
    await tick();
    assert.equal(probe.fails, false);
  });

  it('does not fail when changes are lost and a secondary answers look-ups', async () => {
    const { probe, state, tick } = probeUnderTest();
    for (let count = 0; count < 5; count += 1) await tick();
    assert.equal(state.asked, 5);
    assert.equal(probe.fails, false);
  });

  it('reports what is no outage as a defect', async () => {
    const { probe, state, tick } = probeUnderTest();
    const error = new TypeError('of this program');
    state.answer = error;
    await tick();
    await tick();
    assert.deepEqual(state.defects, [error, error]);
    assert.equal(probe.fails, true);
  });

  it('leaves no timer behind', async () => {
    const { probe, state, tick } = probeUnderTest();
    await tick();
    probe[Symbol.dispose]();
    assert.equal(state.timers, 0);
  });
});
