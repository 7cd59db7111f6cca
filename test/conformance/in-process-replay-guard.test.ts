import { InProcessReplayGuard } from '../../src/check/replay/in-process.ts';
import { fixedClock } from '../support/time/fixed-clock.ts';
import { describeReplayGuardContract } from './replay-guard.ts';

describeReplayGuardContract('in process', () => {
  const clock = fixedClock();
  return Promise.resolve({
    guard: new InProcessReplayGuard(clock),
    other: null,
    nowSeconds: () => clock.nowSeconds(),
    unique: '',
  });
});
