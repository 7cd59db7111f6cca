import { createHmac, hash } from 'node:crypto';
import type { HmacAlgorithm } from '../../model/endpoint.ts';
import type { Secret } from '../../model/secret.ts';

interface Algorithm {
  /** The hash, as `node:crypto` calls it. */
  readonly hash: string;
  /** What the hash works on at a time, in bytes (FIPS 180-4 §1). */
  readonly blockBytes: number;
  /** What Kong's hmac-auth calls the algorithm; null where Kong does not have it. */
  readonly kongName: string | null;
  /** Pads a secret; the same function every time, as `Secret.derive` wants it. */
  readonly pad: (key: Buffer) => PaddedBlocks;
  /** Room for the text of the outer hash: a block and a digest. */
  readonly outer: Buffer;
}

/** The two blocks that a secret is padded to (RFC 2104 §2). */
interface PaddedBlocks {
  readonly inner: Uint8Array;
  readonly outer: Uint8Array;
}

/** What each algorithm is, here and in Kong. */
export const algorithmTable: Readonly<Record<HmacAlgorithm, Algorithm>> = {
  'hmac-sha256': define('sha256', { blockBytes: 64, digestBytes: 32, kongName: 'hmac-sha256' }),
  'hmac-sha384': define('sha384', { blockBytes: 128, digestBytes: 48, kongName: 'hmac-sha384' }),
  'hmac-sha512': define('sha512', { blockBytes: 128, digestBytes: 64, kongName: 'hmac-sha512' }),
};

/** Longer texts are rare, and are hashed piece by piece. */
const SCRATCH_BYTES = 16 * 1024;
const scratch = new Uint8Array(SCRATCH_BYTES);

/**
 * The MAC of a string to sign (RFC 2104), as two hashes over the padded blocks of the secret, which are made once:
 * `createHmac` makes them, and several objects, for every text.
 */
export function macOf(algorithm: HmacAlgorithm, text: Uint8Array, secret: Secret): Buffer {
  const { hash: name, blockBytes, pad, outer } = algorithmTable[algorithm];
  const end = blockBytes + text.length;
  if (end > SCRATCH_BYTES) return createHmac(name, secret.reveal()).update(text).digest();
  const blocks = secret.derive(pad);
  scratch.set(blocks.inner);
  scratch.set(text, blockBytes);
  outer.set(blocks.outer);
  outer.write(hash(name, new Uint8Array(scratch.buffer, 0, end), 'binary'), blockBytes, 'latin1');
  // As text and back: making a Buffer of its own in OpenSSL's binding costs three times as much.
  return Buffer.from(hash(name, outer, 'binary'), 'latin1');
}

function define(
  name: string,
  { blockBytes, digestBytes, kongName }: Pick<Algorithm, 'blockBytes' | 'kongName'> & { readonly digestBytes: number },
): Algorithm {
  const pad = (key: Buffer): PaddedBlocks => {
    const short = key.length > blockBytes ? hash(name, key, 'buffer') : key;
    const block = (padding: number): Uint8Array =>
      Uint8Array.from({ length: blockBytes }, (_, at) => (short[at] ?? 0) ^ padding);
    return { inner: block(0x36), outer: block(0x5c) };
  };
  return { hash: name, blockBytes, kongName, pad, outer: Buffer.allocUnsafeSlow(blockBytes + digestBytes) };
}
