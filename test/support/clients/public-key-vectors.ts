import assert from 'node:assert/strict';
import { constants, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ClientRequest, type ClientSettings } from './protocol.ts';

/** The names of the key pairs that clients are tested with. */
export const testKeyNames = ['ed25519', 'p256', 'p384', 'rsa'] as const;
export type TestKeyName = (typeof testKeyNames)[number];

/** A key pair that everybody has. */
export interface TestKey {
  /** The private key, PKCS#8. */
  readonly pem: string;
  /** The private key. */
  readonly jwk: Readonly<Record<string, string>>;
  readonly publicPem: string;
}

interface Signing {
  readonly algorithm: string;
  readonly key: TestKeyName;
}

/** An assertion, of which `jwt` is absent when its algorithm draws random numbers. */
export interface AssertionVector extends Signing {
  readonly header: string;
  readonly claims: string;
  readonly signingInput: string;
  readonly jwt?: string;
}

/** A case of clients/public-key-vectors.json: of `request`, `assertion` and a `problem` alone, one is there. */
export interface PublicKeyVector {
  readonly name: string;
  /** Its key is there in full. */
  readonly client: ClientSettings;
  readonly now?: number;
  readonly nonce?: string;
  readonly request?: ClientRequest;
  readonly acceptSignature?: string;
  readonly stringToSign?: string;
  readonly signature?: Signing & { readonly label: string };
  /** `Signature` is absent when its algorithm draws random numbers; null for nothing more to do. */
  readonly signed?: {
    readonly target: string;
    readonly headers: readonly (readonly [name: string, value: string])[];
  } | null;
  readonly assertion?: AssertionVector;
  readonly problem?: string;
}

interface NamedKey {
  readonly key: TestKeyName;
  readonly as: 'pem' | 'jwk';
}

type Written = Omit<PublicKeyVector, 'client'> & {
  readonly client: Omit<ClientSettings, 'privateKey'> & { readonly privateKey: NamedKey | object };
};

interface VectorFile {
  readonly format: number;
  readonly keys: Readonly<Record<TestKeyName, TestKey>>;
  readonly cases: readonly Written[];
}

/** The file is read once: every test of a client asks for a key. */
const { keys: pairs, cases: written } = readVectors();

function readVectors(): VectorFile {
  const url = new URL('../../../clients/public-key-vectors.json', import.meta.url);
  const read = JSON.parse(readFileSync(url, 'utf8')) as VectorFile;
  if (read.format !== 1) throw new Error(`these tests do not read format ${String(read.format)}`);
  return read;
}

/** The key pairs by their names. */
export function testKeys(): Readonly<Record<TestKeyName, TestKey>> {
  return pairs;
}

/** Every case. */
export function publicKeyVectors(): readonly PublicKeyVector[] {
  return written.map((each) => {
    const { privateKey } = each.client;
    const named = 'key' in privateKey ? privateKey : null;
    const given = named === null ? privateKey : { [named.as]: pairs[named.key][named.as] };
    return { ...each, client: { ...each.client, privateKey: given } } as PublicKeyVector;
  });
}

const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const joined = { dsaEncoding: 'ieee-p1363' } as const;

/** The hash of each algorithm, by the names of RFC 9421 and of RFC 7518, and how its signatures are written. */
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

/** Asserts that bytes are the signature of a text with the public key of a test key. */
export function assertVerified(
  { algorithm, key, text, bytes }: Signing & { readonly text: string; readonly bytes: Buffer },
  message: string,
): void {
  const [hash, how] = verifiers[algorithm] ?? assert.fail(algorithm);
  const publicKey = createPublicKey(testKeys()[key].publicPem);
  assert.ok(verify(hash, Buffer.from(text), { key: publicKey, ...how }, bytes), `does not verify: ${message}`);
}

/** The bytes in a `Signature` field that has one signature of this label, in canonical base64. */
export function bytesOfSignature(value: string, label: string): Buffer {
  const text = value.startsWith(`${label}=:`) && value.endsWith(':') ? value.slice(label.length + 2, -1) : '';
  const bytes = Buffer.from(text, 'base64');
  assert.ok(bytes.length > 0 && bytes.toString('base64') === text, `no signature of ${label}: ${value}`);
  return bytes;
}

/** Asserts that a JWT has the header and claims of a case, and verifies. */
export function assertAssertion(jwt: string, expected: AssertionVector, message: string): void {
  const { header, claims, signingInput, algorithm, key } = expected;
  const [first = '', second = '', third = '', ...more] = jwt.split('.');
  const [readHeader, readClaims] = [first, second].map((part) => Buffer.from(part, 'base64url').toString());
  assert.deepEqual([readHeader, readClaims, more], [header, claims, []], message);
  assert.equal(`${first}.${second}`, signingInput, message);
  const bytes = Buffer.from(third, 'base64url');
  assert.equal(bytes.toString('base64url'), third, message);
  assertVerified({ algorithm, key, text: signingInput, bytes }, message);
  if (expected.jwt !== undefined) assert.equal(jwt, expected.jwt, message);
}
