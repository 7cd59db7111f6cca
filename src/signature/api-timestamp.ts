const ZERO = 0x30;
const NINE = 0x39;

/**
 * Reads an `apiTimestamp` from its source text: digits only (spec §3.3), seconds since the epoch. Null for anything
 * else, also for nothing. A number too large to be exact is a time far outside every window and stays one.
 */
export function parseApiTimestamp(text: Uint8Array): number | null {
  if (text.length === 0) return null;
  let seconds = 0;
  for (const byte of text) {
    if (byte < ZERO || byte > NINE) return null;
    seconds = Math.min(seconds * 10 + (byte - ZERO), Number.MAX_SAFE_INTEGER);
  }
  return seconds;
}
