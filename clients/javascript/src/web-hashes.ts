import { base64, hex, joinBytes, utf8, type Bytes } from './bytes.ts';
import type { HashEncoding, Hashes } from './hash.ts';

/** The hashes of WebCrypto. They throw a `TypeError` where it is not there, as on http pages. */
export const webHashes: Hashes = {
  hash: async (name, pieces, encoding) => write(await subtle().digest(name, joinBytes(pieces)), encoding),
  hmac: async (name, key, text, encoding) => {
    const imported = await subtle().importKey('raw', utf8(key), { name: 'HMAC', hash: name }, false, ['sign']);
    return write(await subtle().sign('HMAC', imported, utf8(text)), encoding);
  },
};

function write(buffer: ArrayBuffer, encoding: HashEncoding): string {
  const bytes: Bytes = new Uint8Array(buffer);
  return encoding === 'hex' ? hex(bytes) : base64(bytes);
}

/** WebCrypto; throws a `TypeError` where it is not there. */
export function subtle(): SubtleCrypto {
  const { crypto } = globalThis as { readonly crypto?: Partial<Crypto> };
  if (crypto?.subtle === undefined) {
    throw new TypeError('this environment has no WebCrypto; browsers offer it on https pages and localhost only');
  }
  return crypto.subtle;
}
