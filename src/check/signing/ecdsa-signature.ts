const SEQUENCE = 0x30;
const INTEGER = 0x02;
const SIGN_BIT = 0x80;

/**
 * A signature of ECDSA that is r and s, of equal length (RFC 7518 §3.4, RFC 9421 §3.3.4), as `ECDSA-Sig-Value` in DER
 * (RFC 3279 §2.2.3), for curves of up to 384 bits. For `crypto.verify` beside a bare key: an object with a key and
 * `dsaEncoding` takes it half as long again on Node 24, which finds out by exceptions that such an object is no key.
 */
export function derOf(signature: Buffer): Buffer {
  const half = signature.length >> 1;
  // Tag and length of the whole, and tag, length and a zero byte of each.
  const der = Buffer.allocUnsafe(2 + 2 * 3 + signature.length);
  const middle = writeInteger(der, 2, signature, 0, half);
  const end = writeInteger(der, middle, signature, half, signature.length);
  der[0] = SEQUENCE;
  der[1] = end - 2;
  return der.subarray(0, end);
}

/** Writes a number that is not negative in as few bytes as can be. @returns where it ends. */
function writeInteger(der: Buffer, at: number, bytes: Buffer, from: number, to: number): number {
  let start = from;
  while (start < to - 1 && bytes[start] === 0) start += 1;
  const zero = ((bytes[start] ?? 0) & SIGN_BIT) === 0 ? 0 : 1;
  const length = zero + to - start;
  der[at] = INTEGER;
  der[at + 1] = length;
  if (zero === 1) der[at + 2] = 0;
  bytes.copy(der, at + 2 + zero, start, to);
  return at + 2 + length;
}
