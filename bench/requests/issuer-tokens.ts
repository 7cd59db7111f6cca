import { randomUUID, sign } from 'node:crypto';
import { systemClock } from '../../src/base/clock.ts';
import { benchIssuer, issuerEndpoint } from '../fixtures/document.ts';
import type { KeyPair } from '../fixtures/key-pairs.ts';
import type { Partner } from '../fixtures/partners.ts';
import { assertionAlgorithms } from '../verify/signature-case.ts';
import type { CheckEdit } from './edit-check.ts';

/** Longer than a run. */
const LIFETIME_SECONDS = 3600;

/** A request with a new token of the issuer, signed by ES256 with `node:crypto` and no code of the product. */
export function issuerTokenRequest({ appKey }: Partner, { privateKey }: KeyPair): CheckEdit {
  const iat = systemClock.nowSeconds();
  const { id: kid, issuer: iss, audience: aud } = benchIssuer;
  const claims = { iss, aud, azp: appKey, sub: appKey, iat, exp: iat + LIFETIME_SECONDS, jti: randomUUID() };
  const signed = [{ alg: 'ES256', kid, typ: 'at+jwt' }, claims].map((part) => encode(JSON.stringify(part))).join('.');
  const { hash, options } = assertionAlgorithms.p256;
  const signature = sign(hash, Buffer.from(signed, 'latin1'), { ...options, key: privateKey });
  return {
    path: `${issuerEndpoint.path}/2026-1042?page=2&fields=id%2Cstatus`,
    headers: { authorization: `Bearer ${signed}.${encode(signature)}` },
  };
}

function encode(part: string | Buffer): string {
  return Buffer.from(part).toString('base64url');
}
