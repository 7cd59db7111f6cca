import { createHmac, hash } from 'node:crypto';
import type { HmacAlgorithm } from '../../model/endpoint.ts';
import type { Secret } from '../../model/secret.ts';

interface Algorithm {
  /** The hash, as `node:crypto` calls it. */
  readonly hash: string;
  /** What the hash works on at a time, and what it gives, in bytes (FIPS 180-4 §1). */
  readonly blockBytes: number;
  readonly digestBytes: number;
  /** What Kong's hmac-auth calls the algorithm; null where Kong does not have it. */
  readonly kongName: string | null;
}

/** What each algorithm is, here and in Kong. */
export const algorithmTable: Readonly<Record<HmacAlgorithm, Algorithm>> = {
  'hmac-sha256': { hash: 'sha256', blockBytes: 64, digestBytes: 32, kongName: 'hmac-sha256' },
  'hmac-sha384': { hash: 'sha384', blockBytes: 128, digestBytes: 48, kongName: 'hmac-sha384' },
  'hmac-sha512': { hash: 'sha512', blockBytes: 128, digestBytes: 64, kongName: 'hmac-sha512' },
};

/** Longer texts are rare, and are hashed piece by piece. */
const SCRATCH_BYTES = 16 * 1024;
const scratch = new Uint8Array(SCRATCH_BYTES);
const outer = Object.fromEntries(
  Object.entries(algorithmTable).map(([name, { blockBytes, digestBytes }]) => [
    name,
    Buffer.allocUnsafeSlow(blockBytes + digestBytes),
  ]),
) as Readonly<Record<HmacAlgorithm, Buffer>>;

/** The two blocks that a secret is padded to (RFC 2104 §2). */
interface PaddedBlocks {
  readonly inner: Uint8Array;
  readonly outer: Uint8Array;
}

const padders = Object.fromEntries(
  Object.entries(algorithmTable).map(([name, algorithm]) => [name, (key: Buffer) => pad(key, algorithm)]),
) as Readonly<Record<HmacAlgorithm, (key: Buffer) => PaddedBlocks>>;

/**
 * The MAC of a string to sign (RFC 2104), as two hashes over the padded blocks of the secret, which are made once:
 * `createHmac` makes them, and several objects, for every text.
 */
export function macOf(algorithm: HmacAlgorithm, text: Uint8Array, secret: Secret): Buffer {
  const { hash: name, blockBytes } = algorithmTable[algorithm];
  const end = blockBytes + text.length;
  if (end > SCRATCH_BYTES) return createHmac(name, secret.reveal()).update(text).digest();
  const blocks = secret.derive(padders[algorithm]);
  scratch.set(blocks.inner);
  scratch.set(text, blockBytes);
  const whole = outer[algorithm];
  whole.set(blocks.outer);
  whole.write(hash(name, new Uint8Array(scratch.buffer, 0, end), 'binary'), blockBytes, 'latin1');
  return hash(name, whole, 'buffer');
}

function pad(key: Buffer, { hash: name, blockBytes }: Algorithm): PaddedBlocks {
  const short = key.length > blockBytes ? hash(name, key, 'buffer') : key;
  const block = (padding: number): Uint8Array =>
    Uint8Array.from({ length: blockBytes }, (_, at) => (short[at] ?? 0) ^ padding);
  return { inner: block(0x36), outer: block(0x5c) };
}
