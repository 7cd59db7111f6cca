import { type LimitUnit, windowAt } from '../../../src/model/limit.ts';

/**
 * How many seconds a window may have left when a caller looks between two times, in whole seconds since the epoch:
 * every value that was right for a moment, however long the look took.
 */
export function secondsLeft(unit: LimitUnit, before: number, after: number): readonly number[] {
  return Array.from({ length: after - before + 1 }, (_, passed) => {
    const now = before + passed;
    return windowAt(unit, now).endSeconds - now;
  });
}
