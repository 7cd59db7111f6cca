import type { Bytes } from './bytes.ts';
import type { Algorithm } from './key-algorithms.ts';
import type { PrivateKey } from './private-key.ts';

interface SignOptions {
  readonly key: object;
  readonly dsaEncoding?: 'ieee-p1363';
  readonly padding?: number;
  readonly saltLength?: number;
}

/** What is used of `node:crypto`. */
interface NodeCrypto {
  readonly createPrivateKey: (key: object) => object;
  readonly sign: (hash: string | null, bytes: Uint8Array, options: SignOptions) => Uint8Array;
}

/** RFC 8017; the same numbers as in `node:crypto`. */
const PADDINGS = { pkcs1: 1, pss: 6 } as const;
/** As long as the hash. */
const SALT_OF_DIGEST = -1;

/**
 * Signs by `node:crypto`, at once; null in other environments, and in Node before 20.16. Throws what `node:crypto`
 * throws of a key that it cannot import.
 */
export function nodeKeySigner(
  key: PrivateKey,
  { hash, padding }: Algorithm,
  environment: object = globalThis,
): ((bytes: Bytes) => Bytes) | null {
  const { process } = environment as { process?: { getBuiltinModule?: (name: string) => unknown } };
  const crypto = process?.getBuiltinModule?.('node:crypto') as Partial<NodeCrypto> | undefined;
  if (typeof crypto?.createPrivateKey !== 'function' || typeof crypto.sign !== 'function') return null;
  const { createPrivateKey, sign } = crypto as NodeCrypto;
  const imported = createPrivateKey(
    'jwk' in key ? { key: key.jwk, format: 'jwk' } : { key: key.pkcs8, format: 'der', type: 'pkcs8' },
  );
  const name = hash?.replace('-', '').toLowerCase() ?? null;
  const options: SignOptions = {
    key: imported,
    dsaEncoding: 'ieee-p1363',
    ...(padding === null ? {} : { padding: PADDINGS[padding] }),
    ...(padding === 'pss' ? { saltLength: SALT_OF_DIGEST } : {}),
  };
  return (bytes) => new Uint8Array(sign(name, bytes, options));
}
