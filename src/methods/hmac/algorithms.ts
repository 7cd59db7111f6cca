import { createHmac } from 'node:crypto';
import type { HmacAlgorithm } from '../../model/endpoint.ts';
import type { Secret } from '../../model/secret.ts';

interface Algorithm {
  /** The hash, as `node:crypto` calls it. */
  readonly hash: string;
  /** What Kong's hmac-auth calls the algorithm; null where Kong does not have it. */
  readonly kongName: string | null;
}

/** What each algorithm is, here and in Kong. */
export const algorithmTable: Readonly<Record<HmacAlgorithm, Algorithm>> = {
  'hmac-sha256': { hash: 'sha256', kongName: 'hmac-sha256' },
  'hmac-sha384': { hash: 'sha384', kongName: 'hmac-sha384' },
  'hmac-sha512': { hash: 'sha512', kongName: 'hmac-sha512' },
};

/** The MAC of a string to sign. */
export function macOf(algorithm: HmacAlgorithm, text: Uint8Array, secret: Secret): Buffer {
  return createHmac(algorithmTable[algorithm].hash, secret.reveal()).update(text).digest();
}
