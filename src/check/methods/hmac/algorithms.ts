import { writeLatin1 } from '../../../base/text/latin1.ts';
import type { HmacAlgorithm } from '../../../model/options/hmac-algorithms.ts';
import type { Secret } from '../../../model/secret.ts';
import { type Hmac, hmacOf, hmacSha256, hmacSha384, hmacSha512, type MacEncodings } from '../../signing/hmac.ts';

interface Algorithm {
  readonly hmac: Hmac;
  /** What Kong's hmac-auth calls the algorithm; null where Kong does not have it. */
  readonly kongName: string | null;
}

/** What each algorithm is, here and in Kong. */
export const algorithmTable: Readonly<Record<HmacAlgorithm, Algorithm>> = {
  'hmac-sha256': { hmac: hmacSha256, kongName: 'hmac-sha256' },
  'hmac-sha384': { hmac: hmacSha384, kongName: 'hmac-sha384' },
  'hmac-sha512': { hmac: hmacSha512, kongName: 'hmac-sha512' },
};

const encodings: MacEncodings = { text: 'latin1', mac: 'binary' };

/** The MAC of a string to sign, which is one character a byte. */
export function macOf(algorithm: HmacAlgorithm, text: string, secret: Secret): Buffer {
  const { hmac } = algorithmTable[algorithm];
  const mac = hmacOf(hmac, secret.derive(hmac.pad), text, encodings);
  const bytes = Buffer.allocUnsafe(mac.length);
  writeLatin1(bytes, mac, 0);
  return bytes;
}
