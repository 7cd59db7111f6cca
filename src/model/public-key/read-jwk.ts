import { createPublicKey, type KeyObject } from 'node:crypto';
import { isMapping } from '../document/fields.ts';
import { findPointFault } from './ed25519-point.ts';
import { type PublicJwk, PublicKey } from './public-key.ts';
import { PRIVATE_KEY_FAULT, type PublicKeyFault } from './public-key-fault.ts';

/** The curves of EC keys, with the bytes of a coordinate. */
const curves = {
  'P-256': { kind: 'p-256', bytes: 32, bits: 256 },
  'P-384': { kind: 'p-384', bytes: 48, bits: 384 },
} as const;

/** The size of an RSA modulus, in bits. */
export const MIN_RSA_BITS = 2048;
/** {@link MIN_RSA_BITS} is the least, this is the most. */
export const MAX_RSA_BITS = 8192;
const MIN_RSA_EXPONENT = 65537n;
/** A longer exponent makes each check of a signature dearer, and no program chooses one. */
const MAX_RSA_EXPONENT_BITS = 64;

/** Members of a JWK that only a private or shared key has (RFC 7518 §6). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'];

/** Base64url without padding and, as a whole number of bytes, without spare bits. */
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/**
 * Reads a public key as a JWK (RFC 7517, RFC 8037), which may have other members that do not matter here, such as
 * `kid`: those are not kept. Everything that spec §1 refuses is a fault.
 */
export function readJwk(raw: unknown): PublicKey | PublicKeyFault {
  if (!isMapping(raw)) return { fault: 'is no JWK, a mapping such as { kty: OKP, crv: Ed25519, x: … }' };
  if (isPrivateJwk(raw)) return PRIVATE_KEY_FAULT;
  if (raw['keys'] !== undefined) return { fault: 'is a set of keys; give one key of it' };
  const { use, key_ops: operations } = raw;
  const isForOthers = operations !== undefined && !(Array.isArray(operations) && operations.includes('verify'));
  if ((use !== undefined && use !== 'sig') || isForOthers) {
    return { fault: 'is a JWK that is not for signatures, by its "use" or "key_ops"; ask for the one that signs' };
  }
  switch (raw['kty']) {
    case 'OKP':
      return readEdwards(raw);
    case 'EC':
      return readCurve(raw);
    case 'RSA':
      return readRsa(raw);
    case 'oct':
      return { fault: 'is a shared secret (kty "oct"), not a public key; ask for the public key' };
    default:
      return { fault: 'has no "kty" of OKP, EC or RSA, so it is no public key as a JWK' };
  }
}

/** Whether a JWK, or one of the keys of a set, has a member that only the partner may have; by their names alone. */
export function isPrivateJwk(raw: Readonly<Record<string, unknown>>): boolean {
  const { keys } = raw;
  const all = Array.isArray(keys) ? [raw, ...keys.filter(isMapping)] : [raw];
  return all.some((key) => PRIVATE_MEMBERS.some((member) => key[member] !== undefined));
}

function readEdwards({ crv, x }: Readonly<Record<string, unknown>>): PublicKey | PublicKeyFault {
  if (crv !== 'Ed25519') return { fault: 'is on a curve that is not taken; of OKP keys Ed25519 is' };
  const point = decode(x);
  if (point?.length !== 32) return { fault: 'has no "x" of 32 bytes in base64url' };
  const fault = findPointFault(point);
  return fault === null
    ? imported(
        { kty: 'OKP', crv, x: point.toString('base64url') },
        (jwk, key) => new PublicKey('ed25519', jwk, 256, key),
      )
    : { fault };
}

function readCurve({ crv, x, y }: Readonly<Record<string, unknown>>): PublicKey | PublicKeyFault {
  if (crv !== 'P-256' && crv !== 'P-384') return { fault: 'is on a curve that is not taken; P-256 and P-384 are' };
  const { kind, bytes, bits } = curves[crv];
  const [first, second] = [decode(x), decode(y)];
  if (first?.length !== bytes || second?.length !== bytes) {
    return { fault: `has no "x" and "y" of ${String(bytes)} bytes in base64url each` };
  }
  const jwk = { kty: 'EC', crv, x: first.toString('base64url'), y: second.toString('base64url') } as const;
  return imported(jwk, (made, key) => new PublicKey(kind, made, bits, key));
}

function readRsa({ n, e }: Readonly<Record<string, unknown>>): PublicKey | PublicKeyFault {
  const [modulus, exponent] = [decode(n), decode(e)];
  if (modulus === null || exponent === null) return { fault: 'has no "n" and "e" in base64url' };
  if (modulus[0] === 0 || exponent[0] === 0) return { fault: 'has a number that begins with a zero byte' };
  const [size, exponentSize] = [bitsOf(modulus), bitsOf(exponent)];
  if (size < MIN_RSA_BITS || size > MAX_RSA_BITS) {
    return {
      fault: `is an RSA key of ${String(size)} bits; it must have ${String(MIN_RSA_BITS)} to ${String(MAX_RSA_BITS)}`,
    };
  }
  if (exponentSize > MAX_RSA_EXPONENT_BITS) {
    return { fault: `has an RSA exponent of more than ${String(MAX_RSA_EXPONENT_BITS)} bits; 65537 is usual` };
  }
  if (BigInt(`0x${exponent.toString('hex')}`) < MIN_RSA_EXPONENT) {
    return { fault: `has an RSA exponent below ${String(MIN_RSA_EXPONENT)}` };
  }
  if (isEven(modulus) || isEven(exponent)) return { fault: 'has an even RSA modulus or exponent' };
  const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e: exponent.toString('base64url') } as const;
  return imported(jwk, (made, key) => new PublicKey('rsa', made, size, key));
}

/** OpenSSL says the rest: whether a point lies on its curve. */
function imported(jwk: PublicJwk, make: (jwk: PublicJwk, key: KeyObject) => PublicKey): PublicKey | PublicKeyFault {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return { fault: 'is no point of its curve, or cannot be imported' };
  }
  return make(jwk, key);
}

function decode(text: unknown): Buffer | null {
  if (typeof text !== 'string' || !BASE64URL.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === text ? bytes : null;
}

function bitsOf(bytes: Buffer): number {
  return bytes.length * 8 - Math.clz32(bytes[0] ?? 0) + 24;
}

function isEven(bytes: Buffer): boolean {
  return ((bytes.at(-1) ?? 0) & 1) === 0;
}
