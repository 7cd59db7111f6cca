import { type Clock } from '../../../src/base/clock.ts';

/** A clock that stands still until a test moves it. */
export interface FixedClock extends Clock {
  /** Goes on (or back, when negative) by so many seconds; parts of a second count. */
  advance(seconds: number): void;
  /** Sets the machine's clock on (or back) by whole seconds, while no time passes. */
  set(seconds: number): void;
}

/** 2026-10-01T12:00:00Z, in seconds since the epoch: the start of a minute, an hour and half a day. */
export const NOON = Date.UTC(2026, 9, 1, 12) / 1000;

/** A clock that stands at `seconds` since the epoch; noon of 2026-10-01 UTC unless stated otherwise. */
export function fixedClock(seconds: number = NOON): FixedClock {
  let nowMs = seconds * 1000;
  let aheadMs = 0;
  return {
    nowSeconds: () => Math.floor((nowMs + aheadMs) / 1000),
    nowMs: () => nowMs,
    elapsedMs: () => nowMs,
    advance: (by) => {
      nowMs += by * 1000;
    },
    set: (by) => {
      aheadMs += by * 1000;
    },
  };
}
