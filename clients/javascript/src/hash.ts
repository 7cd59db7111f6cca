import type { Bytes } from './bytes.ts';
import { nodeHashes } from './node-hashes.ts';
import { webHashes } from './web-hashes.ts';

/** A hash function by its name in WebCrypto. */
export type HashName = 'SHA-256' | 'SHA-384' | 'SHA-512';
/** How a hash is written: padded standard base64, or lower-case hex. */
export type HashEncoding = 'base64' | 'hex';

/** The hash functions of an environment. Those of Node answer at once. */
export interface Hashes {
  /** The hash of bytes, one piece after the other. */
  readonly hash: (name: HashName, pieces: readonly Bytes[], encoding: HashEncoding) => string | Promise<string>;
  /** The HMAC (RFC 2104) of a text with a key that is a text, both in UTF-8. */
  readonly hmac: (name: HashName, key: string, text: string, encoding: HashEncoding) => string | Promise<string>;
}

/** Those of Node where it is there, which are ten times as fast; otherwise those of WebCrypto. */
export const { hash, hmac }: Hashes = nodeHashes() ?? webHashes;
