import { refuse, type Refusal } from '../refusal.ts';

/**
 * Checks a signed time against the clock: a difference of `skewSeconds` passes, one more does not, in both directions
 * (spec §3.2, §3.3). Null when it passes.
 */
export function checkTime(signedSeconds: number, nowSeconds: number, skewSeconds: number): Refusal | null {
  const aheadSeconds = signedSeconds - nowSeconds;
  if (Math.abs(aheadSeconds) <= skewSeconds) return null;
  const side = aheadSeconds < 0 ? 'behind' : 'ahead of';
  return refuse(
    'REQUEST_EXPIRED',
    `the signed time is ${String(Math.abs(aheadSeconds))} s ${side} the server's; ${String(skewSeconds)} s are allowed`,
  );
}
