import type { Bytes } from './bytes.ts';

/** A hash function by its name in WebCrypto. */
export type HashName = 'SHA-256' | 'SHA-384' | 'SHA-512';

/** The hash of bytes. */
export async function hash(name: HashName, bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await subtle().digest(name, bytes));
}

/** The HMAC (RFC 2104) of bytes. */
export async function hmac(name: HashName, key: Bytes, bytes: Bytes): Promise<Bytes> {
  const imported = await subtle().importKey('raw', key, { name: 'HMAC', hash: name }, false, ['sign']);
  return new Uint8Array(await subtle().sign('HMAC', imported, bytes));
}

function subtle(): SubtleCrypto {
  const { crypto } = globalThis as { readonly crypto?: Partial<Crypto> };
  if (crypto?.subtle === undefined) {
    throw new TypeError('this environment has no WebCrypto; browsers offer it on https pages and localhost only');
  }
  return crypto.subtle;
}
