import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { hasFormOfPrivateKey, isOneSequence } from './der.ts';
import type { PublicKey } from './public-key.ts';
import { PRIVATE_KEY_FAULT, type PublicKeyFault } from './public-key-fault.ts';
import { readJwk } from './read-jwk.ts';

/** With which every PEM block begins (RFC 7468 §2). */
export const PEM_MARK = '-----BEGIN ';

const FIRST_LINE = /^-----BEGIN ([A-Z0-9 ]+)-----$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** OpenSSL's names of the curves that are taken, and how a JWK calls them. */
const curves: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1']);

/** What blocks of other kinds are, and what to do. */
const others: Readonly<Record<string, string>> = {
  'RSA PUBLIC KEY': 'is an RSA key in the form of PKCS#1; write it as "openssl rsa -RSAPublicKey_in -pubout" does',
  'CERTIFICATE REQUEST': 'is a certificate request; give the public key itself, or the certificate',
  'NEW CERTIFICATE REQUEST': 'is a certificate request; give the public key itself, or the certificate',
};

/** What of the key types that Node knows is not taken, by their names there. */
const otherTypes: Readonly<Record<string, string>> = {
  x25519: 'an X25519 key, which agrees on secrets and signs nothing',
  x448: 'an X448 key, which agrees on secrets and signs nothing',
  ed448: 'an Ed448 key',
  dsa: 'a DSA key',
  dh: 'a Diffie-Hellman key, which signs nothing',
  'rsa-pss': 'an RSA key that is bound to RSASSA-PSS; write it as a plain RSA key (rsaEncryption)',
};

/** The kinds of keys that are taken, for people. */
export const TAKEN_KINDS = 'Ed25519, ECDSA on P-256 or P-384, and RSA';

/**
 * Reads one PEM block: a public key (SPKI), or a certificate, of which only the key counts: neither its lifetime nor
 * its names nor who signed it. Node would take a private key, the first of several blocks, and text before it.
 */
export function readPem(text: string): PublicKey | PublicKeyFault {
  if (text.split(PEM_MARK).length > 2) return { fault: 'holds more than one PEM block; give one key alone' };
  const lines = text.trim().split(/\r\n|\r|\n/);
  const label = FIRST_LINE.exec(lines[0] ?? '')?.[1];
  if (label === undefined) return { fault: 'has text before its PEM block; give the block alone' };
  const end = lines.indexOf(`-----END ${label}-----`);
  if (end < 0) return { fault: 'is a PEM block that is cut off, or ends with another label than it begins with' };
  if (end !== lines.length - 1) return { fault: 'has text after its PEM block; give the block alone' };
  const der = decode(lines.slice(1, -1));
  if (der === null) return { fault: 'is a PEM block whose content is not base64' };
  if (hasFormOfPrivateKey(der)) return PRIVATE_KEY_FAULT;
  if (label !== 'PUBLIC KEY' && label !== 'CERTIFICATE') {
    return { fault: others[label] ?? 'is a PEM block of another kind; give a PUBLIC KEY or CERTIFICATE block' };
  }
  if (!isOneSequence(der)) return { fault: 'is a PEM block whose content is damaged' };
  const key = importKey(label, der);
  return key === null ? { fault: 'is a PEM block that holds no key that can be read' } : readKeyObject(key);
}

/** Whether base64 without PEM lines around it holds a private key. */
export function isBarePrivateKey(text: string): boolean {
  const der = decode(text.trim().split(/\s+/));
  return der !== null && hasFormOfPrivateKey(der);
}

function decode(lines: readonly string[]): Buffer | null {
  const text = lines.map((line) => line.trim()).join('');
  if (!BASE64.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

function importKey(label: 'PUBLIC KEY' | 'CERTIFICATE', der: Buffer): KeyObject | null {
  try {
    return label === 'CERTIFICATE'
      ? new X509Certificate(der).publicKey
      : createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    // OpenSSL's reasons repeat nothing that helps, and no caller could act on them.
    return null;
  }
}

/** Curves are compared by name: a key of another 256-bit curve imports too. */
function readKeyObject(key: KeyObject): PublicKey | PublicKeyFault {
  const { asymmetricKeyType: type = '', asymmetricKeyDetails: details } = key;
  if (type === 'ec' && !curves.has(details?.namedCurve ?? '')) {
    return { fault: `is on the curve ${details?.namedCurve ?? 'of its own parameters'}; P-256 and P-384 are taken` };
  }
  if (type !== 'ec' && type !== 'ed25519' && type !== 'rsa') {
    return { fault: `is ${otherTypes[type] ?? 'a key of another kind'}; ${TAKEN_KINDS} are taken` };
  }
  return readJwk(key.export({ format: 'jwk' }));
}
