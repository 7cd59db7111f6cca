/**
 * Decodes padded standard base64 in its one canonical spelling (RFC 4648 §4, §3.5; spec §3.2): no white space, no
 * URL-safe letters, no missing padding, no spare bits. Null for every other spelling, so that one MAC has one text.
 */
export function decodeCanonicalBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

/** The value of a hexadecimal digit, given as a byte; -1 for any other byte. */
export function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
