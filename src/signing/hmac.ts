import { createHash, hash } from 'node:crypto';

/** An HMAC (RFC 2104) over one hash. */
export interface Hmac {
  /** The hash, as `node:crypto` calls it. */
  readonly hash: string;
  /** What the hash works on at a time, in bytes (FIPS 180-4 §1). */
  readonly blockBytes: number;
  /** Pads a key; the same function every time, as `Secret.derive` wants it. */
  readonly pad: (key: Uint8Array) => PaddedKey;
  /** Room for the text of the outer hash: a block and a digest. */
  readonly outer: Buffer;
}

/** The two blocks that a key is padded to (RFC 2104 §2): as secret as the key. */
export interface PaddedKey {
  readonly inner: Uint8Array;
  readonly outer: Uint8Array;
}

export const hmacSha256 = define('sha256', { blockBytes: 64, digestBytes: 32 });
export const hmacSha384 = define('sha384', { blockBytes: 128, digestBytes: 48 });
export const hmacSha512 = define('sha512', { blockBytes: 128, digestBytes: 64 });

/** Longer texts are rare, and are hashed piece by piece. */
const SCRATCH_BYTES = 16 * 1024;
const scratch = new Uint8Array(SCRATCH_BYTES);

/**
 * The MAC of a text, as two hashes over the padded blocks of a key, which are made once: `createHmac` makes them, and
 * several objects, for every text. `binary` is a character for each byte: making a Buffer of its own in OpenSSL's
 * binding costs three times as much.
 */
export function hmacOf(
  { hash: name, blockBytes, outer }: Hmac,
  key: PaddedKey,
  text: Uint8Array,
  encoding: 'binary' | 'base64url',
): string {
  const end = blockBytes + text.length;
  let inner: string;
  if (end > SCRATCH_BYTES) inner = createHash(name).update(key.inner).update(text).digest('binary');
  else {
    scratch.set(key.inner);
    scratch.set(text, blockBytes);
    inner = hash(name, new Uint8Array(scratch.buffer, 0, end), 'binary');
  }
  outer.set(key.outer);
  outer.write(inner, blockBytes, 'latin1');
  return hash(name, outer, encoding);
}

function define(name: string, bytes: { readonly blockBytes: number; readonly digestBytes: number }): Hmac {
  const { blockBytes, digestBytes } = bytes;
  const pad = (key: Uint8Array): PaddedKey => {
    const short = key.length > blockBytes ? hash(name, key, 'buffer') : key;
    const block = (padding: number): Uint8Array =>
      Uint8Array.from({ length: blockBytes }, (_, at) => (short[at] ?? 0) ^ padding);
    return { inner: block(0x36), outer: block(0x5c) };
  };
  return { hash: name, blockBytes, pad, outer: Buffer.allocUnsafeSlow(blockBytes + digestBytes) };
}
