/** How much of a string to sign a refusal shows (spec §4.4). */
export const MAX_HINT_BYTES = 4096;

/**
 * A string to sign as `signatureHints` shows it: at most {@link MAX_HINT_BYTES} bytes and then `…`, never half a
 * character at the cut; bytes that are not UTF-8 as U+FFFD.
 */
export function describeStringToSign(bytes: Uint8Array): string {
  const isCut = bytes.length > MAX_HINT_BYTES;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const text = decoder.decode(bytes.subarray(0, MAX_HINT_BYTES), { stream: isCut });
  return isCut ? `${text}…` : text;
}
