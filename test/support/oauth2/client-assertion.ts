import { constants, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { type AssertionAlgorithm } from '../../../src/gateway/oauth2/assertion/algorithms.ts';
import { ASSERTION_TYPE } from '../../../src/gateway/oauth2/assertion/read-assertion.ts';
import { type JwtAlgorithm, keyKindOf } from '../../../src/model/jwt-algorithms.ts';
import { type PublicKey, type PublicKeyKind } from '../../../src/model/public-key/public-key.ts';
import { readJwk } from '../../../src/model/public-key/read-jwk.ts';
import { NOON } from '../time/fixed-clock.ts';
import { encodeSegment, ISSUER } from './forged-token.ts';
import { form, type OAuth2RequestParts } from './oauth2-request.ts';

/** A key pair of a partner, and the key as a credential has it. */
export interface PartnerKey {
  readonly privateKey: KeyObject;
  readonly publicKey: PublicKey;
}

const made = new Map<string, PartnerKey>();

/** A key pair of a kind, made once for each `name`. */
export function partnerKey(kind: PublicKeyKind = 'ed25519', name = 'acme'): PartnerKey {
  const id = `${kind} ${name}`;
  const key = made.get(id) ?? makeKey(kind);
  made.set(id, key);
  return key;
}

function makeKey(kind: PublicKeyKind): PartnerKey {
  const { publicKey, privateKey } = generate(kind);
  const read = readJwk(publicKey.export({ format: 'jwk' }));
  if ('fault' in read) throw new Error(read.fault);
  return { privateKey, publicKey: read };
}

function generate(kind: PublicKeyKind): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  switch (kind) {
    case 'ed25519':
      return generateKeyPairSync('ed25519');
    case 'p-256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' });
    case 'p-384':
      return generateKeyPairSync('ec', { namedCurve: 'P-384' });
    case 'rsa':
      return generateKeyPairSync('rsa', { modulusLength: 2048 });
  }
}

/** The JWS signature of a text (RFC 7518 §3). */
export function jwsSignature(algorithm: JwtAlgorithm, key: KeyObject, text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  const hash = `sha${algorithm.slice(-3)}`;
  switch (keyKindOf(algorithm)) {
    case 'ed25519':
      return sign(null, bytes, key);
    case 'p-256':
    case 'p-384':
      return sign(hash, bytes, { key, dsaEncoding: 'ieee-p1363' });
    case 'rsa':
      return algorithm.startsWith('RS')
        ? sign(hash, bytes, key)
        : sign(hash, bytes, {
            key,
            padding: constants.RSA_PKCS1_PSS_PADDING,
            saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
          });
  }
}

/** What an assertion is made of; each part as given, however wrong. */
export interface AssertionParts {
  readonly clientId?: string;
  readonly algorithm?: AssertionAlgorithm;
  readonly key?: KeyObject;
  /** Beside `alg`; or the whole header as a text. */
  readonly header?: Readonly<Record<string, unknown>> | string;
  /** Beside the usual ones, which `undefined` takes away; or all claims as a text. */
  readonly claims?: Readonly<Record<string, unknown>> | string;
}

/** The client id of assertions in tests. */
export const ASSERTION_CLIENT = 'acme-with-a-key';

/** An assertion by {@link ASSERTION_CLIENT}, good for a minute from noon, and not used before. */
export function clientAssertion({
  clientId = ASSERTION_CLIENT,
  algorithm = 'Ed25519',
  key = partnerKey(keyKindOf(algorithm)).privateKey,
  header = {},
  claims = {},
}: AssertionParts = {}): string {
  const usual = { iss: clientId, sub: clientId, aud: ISSUER, exp: NOON + 60, jti: randomUUID() };
  const first = encodeSegment(typeof header === 'string' ? header : { alg: algorithm, ...header });
  const second = encodeSegment(typeof claims === 'string' ? claims : { ...usual, ...claims });
  const signed = `${first}.${second}`;
  return `${signed}.${jwsSignature(algorithm, key, signed).toString('base64url')}`;
}

/** The parameters of a client that authenticates by an assertion. */
export function assertionFields(assertion: string): Record<string, string> {
  return { client_assertion_type: ASSERTION_TYPE, client_assertion: assertion };
}

/** A token request with an assertion, and perhaps other parameters. */
export function assertionRequest(
  assertion: string,
  fields: Readonly<Record<string, string>> = {},
  more: OAuth2RequestParts = {},
): OAuth2RequestParts {
  return {
    body: form({ grant_type: 'client_credentials', ...assertionFields(assertion), ...fields }),
    ...more,
  };
}
