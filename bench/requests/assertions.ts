import { randomUUID, sign } from 'node:crypto';
import { systemClock } from '../../src/base/clock.ts';
import type { KeyKind, KeyPair } from '../fixtures/key-pairs.ts';
import type { Partner } from '../fixtures/partners.ts';
import { assertionAlgorithms, type SignatureCase } from '../verify/signature-case.ts';
import { PUBLIC_URL } from './token-requests.ts';

const names: Readonly<Record<KeyKind, string>> = { ed25519: 'EdDSA', p256: 'ES256', rsa: 'PS256' };
/** Well below the hour that is taken. */
const LIFETIME_SECONDS = 300;

/** A client assertion (RFC 7523), and the signature by itself. */
export interface SignedAssertion {
  readonly text: string;
  readonly alone: SignatureCase;
}

/** Signs an assertion now, as a client's program does: with `node:crypto` and no code of the product. */
export function signAssertion(
  { appKey }: Partner,
  { kind, pair }: { readonly kind: KeyKind; readonly pair: KeyPair },
): SignedAssertion {
  const exp = systemClock.nowSeconds() + LIFETIME_SECONDS;
  const claims = { iss: appKey, sub: appKey, aud: PUBLIC_URL, exp, jti: randomUUID() };
  const signed = [{ alg: names[kind] }, claims].map((part) => encode(JSON.stringify(part))).join('.');
  const algorithm = assertionAlgorithms[kind];
  const base = Buffer.from(signed, 'latin1');
  const signature = sign(algorithm.hash, base, { ...algorithm.options, key: pair.privateKey });
  return {
    text: `${signed}.${encode(signature)}`,
    alone: {
      algorithm,
      key: pair.der.toString('base64'),
      base: base.toString('base64'),
      signature: signature.toString('base64'),
    },
  };
}

function encode(part: string | Buffer): string {
  return Buffer.from(part).toString('base64url');
}
