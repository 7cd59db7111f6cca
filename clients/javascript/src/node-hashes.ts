import type { HashEncoding, Hashes, HashName } from './hash.ts';

interface Hasher {
  update(data: Uint8Array | string): Hasher;
  digest(encoding: HashEncoding): string;
}

/** What is used of `node:crypto`. */
interface NodeCrypto {
  readonly createHash: (name: string) => Hasher;
  readonly createHmac: (name: string, key: string) => Hasher;
}

interface Environment {
  readonly process?: { getBuiltinModule?: (name: string) => unknown } | undefined;
}

const NAMES: Readonly<Record<HashName, string>> = { 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' };

/**
 * The hashes of `node:crypto`; null in other environments, and in Node before 20.16. It is asked for by a function of
 * the process, so that tools that bundle for browsers find no import.
 */
export function nodeHashes(environment: object = globalThis): Hashes | null {
  const { process } = environment as Environment;
  const crypto = process?.getBuiltinModule?.('node:crypto') as Partial<NodeCrypto> | undefined;
  if (typeof crypto?.createHash !== 'function' || typeof crypto.createHmac !== 'function') return null;
  const { createHash, createHmac } = crypto as NodeCrypto;
  return {
    hash: (name, pieces, encoding) => {
      const hasher = createHash(NAMES[name]);
      for (const piece of pieces) hasher.update(piece);
      return hasher.digest(encoding);
    },
    hmac: (name, key, text, encoding) => createHmac(NAMES[name], key).update(text).digest(encoding),
  };
}
