/** The tags of ASN.1 that tell keys apart (X.690 §8). */
const INTEGER = 0x02;
/** Bytes. */
export const OCTET_STRING = 0x04;
/** A list of elements. */
export const SEQUENCE = 0x30;
/** The low bits of a tag that goes on in the next byte. */
const LONG_TAG = 0x1f;

/** A value with its tag (X.690 §8.1). */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  /** Where the next one begins. */
  readonly end: number;
}

/** Whether bytes are one ASN.1 SEQUENCE, with nothing behind it. */
export function isOneSequence(der: Buffer): boolean {
  const outer = elementAt(der, 0);
  return outer?.tag === SEQUENCE && outer.end === der.length;
}

/**
 * Whether bytes have the form of a private key: PKCS#1, PKCS#8, SEC 1 and PKCS#12 begin with a version of one byte, an
 * encrypted PKCS#8 key is an algorithm and an octet string. No public key and no certificate is like that.
 */
export function hasFormOfPrivateKey(der: Buffer): boolean {
  const outer = elementAt(der, 0);
  const first = outer?.tag === SEQUENCE ? elementAt(outer.content, 0) : null;
  if (outer === null || first === null) return false;
  if (first.tag === INTEGER) return first.content.length === 1;
  return first.tag === SEQUENCE && elementAt(outer.content, first.end)?.tag === OCTET_STRING;
}

/**
 * The elements that follow each other in bytes, such as the content of a SEQUENCE; null where they are not DER: a tag
 * of several bytes, a length that is not written as short as can be (X.690 §10.1), an end that none of them has.
 */
export function elementsIn(der: Buffer): readonly DerElement[] | null {
  const elements: DerElement[] = [];
  for (let at = 0; at < der.length; ) {
    const element = elementAt(der, at);
    if (element === null || (element.tag & LONG_TAG) === LONG_TAG) return null;
    const { length } = element.content;
    if (element.end - length - at !== headLength(length)) return null;
    elements.push(element);
    at = element.end;
  }
  return elements;
}

/** Of tag and length, where the length is written as short as can be. */
function headLength(length: number): number {
  if (length < 0x80) return 2;
  return 2 + Math.ceil((32 - Math.clz32(length)) / 8);
}

/** Null where there is none, or one that is cut off. */
function elementAt(der: Buffer, at: number): DerElement | null {
  const tag = der[at];
  const short = der[at + 1];
  if (tag === undefined || short === undefined) return null;
  const lengthBytes = short < 0x80 ? 0 : short & 0x7f;
  const start = at + 2 + lengthBytes;
  // 0 would be the indefinite form, which DER has not.
  if (short >= 0x80 && (lengthBytes === 0 || lengthBytes > 4 || start > der.length)) return null;
  const length = lengthBytes === 0 ? short : der.readUIntBE(at + 2, lengthBytes);
  const end = start + length;
  return end > der.length ? null : { tag, content: der.subarray(start, end), end };
}
