/**
 * Unsigned numbers in network order. The caller has checked that the octets are there: on the hot path a second check
 * in every read would cost more than the read. Past the end they count as 0.
 */

/** One octet. */
export function u8(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

/** Two octets. */
export function u16(bytes: Uint8Array, at: number): number {
  return (u8(bytes, at) << 8) | u8(bytes, at + 1);
}

/** Three octets. */
export function u24(bytes: Uint8Array, at: number): number {
  return (u8(bytes, at) << 16) | (u8(bytes, at + 1) << 8) | u8(bytes, at + 2);
}

/** Four octets without their highest bit, which HTTP/2 reserves (RFC 9113 §4.1). */
export function u31(bytes: Uint8Array, at: number): number {
  return ((u8(bytes, at) & 0x7f) << 24) | u24(bytes, at + 1);
}

/** Four octets. */
export function u32(bytes: Uint8Array, at: number): number {
  return u31(bytes, at) + (u8(bytes, at) & 0x80 ? 0x80000000 : 0);
}
