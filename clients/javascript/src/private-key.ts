import { bytesOfBinary, hex, type Bytes } from './bytes.ts';
import { DerReader, TAGS, withoutSign } from './der.ts';
import { CURVE_BYTES, type KeyKind, RSA_BITS } from './key-algorithms.ts';

/** A private key that was read: what the environment imports. */
export type PrivateKey = { readonly kind: KeyKind } & ({ readonly pkcs8: Bytes } | { readonly jwk: JsonWebKey });
/** Why a text or JWK is no key that can sign here, in words that follow "the setting privateKey". */
export interface KeyFault {
  readonly fault: string;
}

const BLOCK = /^\s*-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----\s*$/;
const PKCS8 = 'PRIVATE KEY';
const OTHER_FORM =
  'is not one PEM block PRIVATE KEY (PKCS#8, not encrypted): change it with openssl pkcs8 -topk8 -nocrypt';
const OTHER_KIND = 'is of a kind that is not taken: Ed25519, P-256, P-384 and RSA are';
const BROKEN = 'cannot be read: it is cut or changed';
const RSA_SIZE = `must have ${String(RSA_BITS.least)} to ${String(RSA_BITS.most)} bits`;

const OIDS: Readonly<Record<string, KeyKind | 'ec'>> = {
  '2b6570': 'ed25519',
  '2a8648ce3d0201': 'ec',
  '2a864886f70d010101': 'rsa',
};
const CURVES: Readonly<Record<string, 'p256' | 'p384'>> = { '2a8648ce3d030107': 'p256', '2b81040022': 'p384' };

/** Reads a private key in PEM. */
export function readPem(text: string): PrivateKey | KeyFault {
  const [, label, encoded = ''] = BLOCK.exec(text) ?? [];
  if (label !== PKCS8) return { fault: label?.startsWith('PUBLIC') === true ? 'is a public key' : OTHER_FORM };
  const pkcs8 = decode(encoded.replaceAll(/\s/g, ''));
  const kind = pkcs8 === null ? { fault: BROKEN } : kindOf(pkcs8);
  return typeof kind === 'string' && pkcs8 !== null ? { kind, pkcs8 } : (kind as KeyFault);
}

/** Reads a private key as a JWK (RFC 7517), of which only the members of the key itself count. */
export function readPrivateJwk(given: JsonWebKey): PrivateKey | KeyFault {
  const { kty, crv, d } = given;
  if (kty === 'oct') return { fault: 'is a shared secret, not a private key' };
  if (typeof d !== 'string') return { fault: 'has no "d": it is no private key' };
  if (kty === 'RSA') {
    const names = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'] as const;
    const bits = bitsOf(fromUrl(given.n));
    if (bits < RSA_BITS.least || bits > RSA_BITS.most) return { fault: RSA_SIZE };
    return names.every((name) => fromUrl(given[name]) !== null)
      ? { kind: 'rsa', jwk: { kty, ...pick(given, names) } }
      : { fault: BROKEN };
  }
  const curve = jwkCurves.find((each) => each.crv === crv && each.kty === kty);
  if (curve === undefined) return { fault: OTHER_KIND };
  const { kind, bytes, names } = curve;
  const isWhole = names.every((name) => fromUrl(given[name])?.length === bytes);
  return isWhole ? { kind, jwk: { kty: curve.kty, crv: curve.crv, ...pick(given, names) } } : { fault: BROKEN };
}

const jwkCurves = [
  { kty: 'OKP', crv: 'Ed25519', kind: 'ed25519', bytes: 32, names: ['x', 'd'] },
  { kty: 'EC', crv: 'P-256', kind: 'p256', bytes: CURVE_BYTES.p256, names: ['x', 'y', 'd'] },
  { kty: 'EC', crv: 'P-384', kind: 'p384', bytes: CURVE_BYTES.p384, names: ['x', 'y', 'd'] },
] as const;

/** What a key in PKCS#8 (RFC 5958) is of. */
function kindOf(pkcs8: Bytes): KeyKind | KeyFault {
  const outer = new DerReader(pkcs8);
  const info = new DerReader(outer.element(TAGS.sequence) ?? new Uint8Array(0));
  const version = info.element(TAGS.integer);
  const algorithm = new DerReader(info.element(TAGS.sequence) ?? new Uint8Array(0));
  const name = algorithm.element(TAGS.oid);
  const key = info.element(TAGS.octets);
  if (!outer.isAtEnd || version === null || name === null || key === null) return { fault: BROKEN };
  const found = OIDS[hex(name)];
  if (found === 'rsa') return rsaOf(key);
  if (found === 'ed25519') {
    const seed = new DerReader(key);
    return seed.element(TAGS.octets)?.length === 32 && seed.isAtEnd ? found : { fault: BROKEN };
  }
  const curve = CURVES[hex(algorithm.element(TAGS.oid) ?? new Uint8Array(0))];
  if (found === undefined || curve === undefined) return { fault: OTHER_KIND };
  const parts = new DerReader(new DerReader(key).element(TAGS.sequence) ?? new Uint8Array(0));
  parts.element(TAGS.integer);
  return parts.element(TAGS.octets)?.length === CURVE_BYTES[curve] ? curve : { fault: BROKEN };
}

function rsaOf(key: Bytes): KeyKind | KeyFault {
  const parts = new DerReader(new DerReader(key).element(TAGS.sequence) ?? new Uint8Array(0));
  parts.element(TAGS.integer);
  const modulus = withoutSign(parts.element(TAGS.integer));
  if (modulus === null) return { fault: BROKEN };
  const bits = bitsOf(modulus);
  return bits < RSA_BITS.least || bits > RSA_BITS.most ? { fault: RSA_SIZE } : 'rsa';
}

function bitsOf(number: Bytes | null): number {
  return number === null ? 0 : number.length * 8 - Math.clz32(number[0] ?? 0) + 24;
}

function pick(jwk: JsonWebKey, names: readonly (keyof JsonWebKey)[]): JsonWebKey {
  return Object.fromEntries(names.map((name) => [name, jwk[name]]));
}

function fromUrl(text: unknown): Bytes | null {
  if (typeof text !== 'string' || !/^[A-Za-z0-9_-]+$/.test(text)) return null;
  return decode(text.replaceAll('-', '+').replaceAll('_', '/'));
}

function decode(text: string): Bytes | null {
  try {
    return bytesOfBinary(atob(text));
  } catch {
    return null;
  }
}
