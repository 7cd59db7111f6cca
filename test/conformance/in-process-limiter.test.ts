import { InProcessLimiter } from '../../src/check/limit/in-process.ts';
import { fixedClock } from '../support/time/fixed-clock.ts';
import { describeLimiterContract } from './limiter.ts';

describeLimiterContract('in process', () => {
  const clock = fixedClock();
  return Promise.resolve({
    limiter: new InProcessLimiter(clock),
    nowSeconds: () => clock.nowSeconds(),
    toNextSecond: () => {
      clock.advance(1);
      return Promise.resolve();
    },
    unique: '',
  });
});
