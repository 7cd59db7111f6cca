import assert from 'node:assert/strict';
import { constants, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

export type KeyName = 'ed25519' | 'p256' | 'p384' | 'rsa';

interface TestKey {
  readonly pem: string;
  readonly jwk: JsonWebKey;
  readonly publicPem: string;
}

export interface Signing {
  readonly algorithm: string;
  readonly key: KeyName;
}

export interface KeyVector {
  readonly name: string;
  readonly client: Readonly<Record<string, unknown>>;
  readonly now?: number;
  readonly nonce?: string;
  readonly request?: {
    readonly method: string;
    readonly url: string;
    readonly headers: [string, string][];
    readonly body?: { text?: string; base64?: string; repeat?: string; times?: number };
  };
  readonly acceptSignature?: string;
  readonly stringToSign?: string;
  readonly signature?: Signing & { readonly label: string };
  readonly signed?: { readonly target: string; readonly headers: [string, string][] } | null;
  readonly assertion?: Signing & { readonly signingInput: string; readonly jwt?: string };
  readonly problem?: string;
}

interface VectorFile {
  readonly format: number;
  readonly keys: Readonly<Record<KeyName, TestKey>>;
  readonly cases: readonly KeyVector[];
}

// From dist/test/test/support, where the compiled test runs.
const file = new URL('../../../../../public-key-vectors.json', import.meta.url);
export const { format, keys, cases }: VectorFile = JSON.parse(readFileSync(file, 'utf8')) as VectorFile;

/** The key of a case as a client takes it. */
export function privateKeyOf({ client }: KeyVector): string | JsonWebKey {
  const { key, as, pem, jwk } = client['privateKey'] as { key?: KeyName; as?: 'pem' | 'jwk' } & Partial<TestKey>;
  if (key !== undefined) return keys[key][as ?? 'pem'];
  return pem ?? jwk ?? assert.fail('a case has a key');
}

const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const joined = { dsaEncoding: 'ieee-p1363' } as const;
const verifiers: Readonly<Record<string, readonly [hash: string | null, how: object]>> = {
  ed25519: [null, {}],
  EdDSA: [null, {}],
  'ecdsa-p256-sha256': ['sha256', joined],
  ES256: ['sha256', joined],
  'ecdsa-p384-sha384': ['sha384', joined],
  ES384: ['sha384', joined],
  'rsa-pss-sha512': ['sha512', pss],
  PS512: ['sha512', pss],
  PS256: ['sha256', pss],
  'rsa-v1_5-sha256': ['sha256', {}],
  RS256: ['sha256', {}],
};

/** Whether bytes are the signature of a text. */
export function isVerified({ algorithm, key }: Signing, text: string, signature: Uint8Array): boolean {
  const [hash, how] = verifiers[algorithm] ?? assert.fail(algorithm);
  return verify(hash, Buffer.from(text), { key: createPublicKey(keys[key].publicPem), ...how }, signature);
}
