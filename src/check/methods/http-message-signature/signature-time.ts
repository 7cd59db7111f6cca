import { type Refusal, refuse } from '../../refusal.ts';

/** How far `created` may be ahead of the server's clock, in seconds (spec §3.5). */
export const AHEAD_SECONDS = 60;

/** When a signature was made, and when it ends: seconds since the epoch; `expires` is null for never. */
export interface SignatureTime {
  readonly created: number;
  readonly expires: number | null;
}

/**
 * Checks when a signature was made: at most `skewSeconds` ago, and at most {@link AHEAD_SECONDS} ahead; and that it has
 * not ended (spec §3.5). Null when it passes.
 */
export function checkSignatureTime(
  { created, expires }: SignatureTime,
  nowSeconds: number,
  skewSeconds: number,
): Refusal | null {
  const ageSeconds = nowSeconds - created;
  if (ageSeconds > skewSeconds) {
    return expired(`created is ${String(ageSeconds)} s ago; ${String(skewSeconds)} s are allowed`);
  }
  if (ageSeconds < -AHEAD_SECONDS) {
    return expired(
      `created is ${String(-ageSeconds)} s ahead of the server's time; ${String(AHEAD_SECONDS)} s are allowed`,
    );
  }
  if (expires !== null && expires <= nowSeconds) {
    return expired(`the signature expired ${String(nowSeconds - expires)} s ago`);
  }
  return null;
}

function expired(detail: string): Refusal {
  return refuse('REQUEST_EXPIRED', detail);
}
