import { createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { makeCertificate } from '../grpc/certificate.ts';

/** A text that is no public key, and what is said of it. */
export interface BadKey {
  readonly name: string;
  readonly text: string;
  readonly fault: string;
}

/** What is said of every private key (spec §1). */
export const PRIVATE = 'is a private key: it must never leave the partner; ask for the public key';

const ed25519 = generateKeyPairSync('ed25519');
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** The key pair that most of these are made of. */
export const samplePair = ed25519;

/** Every kind of text that is given for a public key and is none, made anew for each run. */
export function badKeys(): readonly BadKey[] {
  return [...privateKeys(), ...otherKinds(), ...otherForms(), ...faultyJwks()];
}

function privateKeys(): readonly BadKey[] {
  const sealed = { cipher: 'aes-256-cbc', passphrase: 'demo' } as const;
  const pkcs8 = pem(ed25519.privateKey, { type: 'pkcs8', format: 'pem' });
  const bare = ed25519.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
  const bareSealed = p256.privateKey.export({ type: 'pkcs8', format: 'der', ...sealed }).toString('base64');
  const jwk = ed25519.privateKey.export({ format: 'jwk' });
  const texts: Readonly<Record<string, string>> = {
    'PKCS#8, Ed25519': pkcs8,
    'PKCS#8, RSA': pem(rsa.privateKey, { type: 'pkcs8', format: 'pem' }),
    'PKCS#8, encrypted': pem(p256.privateKey, { type: 'pkcs8', format: 'pem', ...sealed }),
    'PKCS#1': pem(rsa.privateKey, { type: 'pkcs1', format: 'pem' }),
    'PKCS#1, encrypted': pem(rsa.privateKey, { type: 'pkcs1', format: 'pem', ...sealed }),
    'SEC 1': pem(p256.privateKey, { type: 'sec1', format: 'pem' }),
    'SEC 1 behind its parameters': `${block('EC PARAMETERS', 'BggqhkjOPQMBBw==')}${pem(p256.privateKey, { type: 'sec1', format: 'pem' })}`,
    OpenSSH: block('OPENSSH PRIVATE KEY', Buffer.from('openssh-key-v1\0none').toString('base64')),
    SSH2: '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nP2/56wAAA\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\n',
    PuTTY: 'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n',
    'behind the public key': `${spki(ed25519.publicKey)}${pkcs8}`,
    'called a public key': block('PUBLIC KEY', bare),
    'called a public key, encrypted': block('PUBLIC KEY', bareSealed),
    'without PEM lines': bare,
    'JWK of Ed25519': JSON.stringify(jwk),
    'JWK of P-256': JSON.stringify(p256.privateKey.export({ format: 'jwk' })),
    'JWK of RSA': JSON.stringify(rsa.privateKey.export({ format: 'jwk' })),
    'JWK set with a private key beside others': JSON.stringify({
      keys: [ed25519.publicKey.export({ format: 'jwk' }), { ...jwk, kid: 'other' }],
    }),
  };
  return Object.entries(texts).map(([name, text]) => ({ name: `private: ${name}`, text, fault: PRIVATE }));
}

function otherKinds(): readonly BadKey[] {
  const small = { modulusLength: 1024 };
  const curve = (namedCurve: string): string => spki(generateKeyPairSync('ec', { namedCurve }).publicKey);
  const taken = 'Ed25519, ECDSA on P-256 or P-384, and RSA are taken';
  const curves = 'P-256 and P-384 are taken';
  const rsaFault = 'is an RSA key of 1024 bits; it must have 2048 to 8192';
  const secretJwk = { kty: 'oct', k: 'c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ' };
  return [
    of('secp256k1', curve('secp256k1'), `is on the curve secp256k1; ${curves}`),
    of('brainpoolP256r1', curve('brainpoolP256r1'), `is on the curve brainpoolP256r1; ${curves}`),
    of('P-521', curve('P-521'), `is on the curve secp521r1; ${curves}`),
    of('P-224', curve('P-224'), `is on the curve secp224r1; ${curves}`),
    of(
      'X25519',
      spki(generateKeyPairSync('x25519').publicKey),
      `is an X25519 key, which agrees on secrets and signs nothing; ${taken}`,
    ),
    of('Ed448', spki(generateKeyPairSync('ed448').publicKey), `is an Ed448 key; ${taken}`),
    of(
      'DSA',
      spki(generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }).publicKey),
      `is a DSA key; ${taken}`,
    ),
    of(
      'RSA-PSS',
      spki(generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey),
      `is an RSA key that is bound to RSASSA-PSS; write it as a plain RSA key (rsaEncryption); ${taken}`,
    ),
    of('RSA of 1024 bits', spki(generateKeyPairSync('rsa', small).publicKey), rsaFault),
    of(
      'RSA with the exponent 3',
      spki(generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 }).publicKey),
      'has an RSA exponent below 65537',
    ),
    of(
      'a shared secret',
      JSON.stringify(secretJwk),
      'is a shared secret (kty "oct"), not a public key; ask for the public key',
    ),
  ];
}

function otherForms(): readonly BadKey[] {
  const key = spki(ed25519.publicKey);
  const second = spki(p256.publicKey);
  const { cert } = makeCertificate('partner');
  const otherText = 'give the block alone';
  return [
    of('two keys', `${key}${second}`, 'holds more than one PEM block; give one key alone'),
    of('a chain of certificates', `${cert}\n${cert}`, 'holds more than one PEM block; give one key alone'),
    of('text before the key', `partner acme\n${key}`, `has text before its PEM block; ${otherText}`),
    of('text behind the key', `${key}partner acme\n`, `has text after its PEM block; ${otherText}`),
    of(
      'PKCS#1',
      pem(rsa.publicKey, { type: 'pkcs1', format: 'pem' }),
      'is an RSA key in the form of PKCS#1; write it as "openssl rsa -RSAPublicKey_in -pubout" does',
    ),
    of(
      'a certificate request',
      block('CERTIFICATE REQUEST', 'MAMwAQUA'),
      'is a certificate request; give the public key itself, or the certificate',
    ),
    of(
      'a list of revoked certificates',
      block('X509 CRL', 'MAMwAQUA'),
      'is a PEM block of another kind; give a PUBLIC KEY or CERTIFICATE block',
    ),
    of('SSH', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA acme', 'is a key in the form of SSH; give it as PEM or JWK'),
    of(
      'a block that is cut off',
      key.slice(0, -20),
      'is a PEM block that is cut off, or ends with another label than it begins with',
    ),
    of(
      'a block with two labels',
      key.replace('END PUBLIC', 'END RSA PUBLIC'),
      'is a PEM block that is cut off, or ends with another label than it begins with',
    ),
    of('damaged base64', key.replace('MCow', 'MC*w'), 'is a PEM block whose content is not base64'),
    of('bytes behind the key', withSpareBytes(key), 'is a PEM block whose content is damaged'),
    of('no key inside', block('PUBLIC KEY', 'MAMBAQA='), 'is a PEM block that holds no key that can be read'),
    of('nothing', ' \n', 'is empty; give a public key as PEM or JWK'),
    of('base64 alone', base64Of(key), 'is neither PEM nor JWK; a PEM block begins with "-----BEGIN"'),
    of('JSON that is cut off', '{"kty":"OKP",', 'begins like JSON, but is none'),
    of('too much text', 'a'.repeat(65_537), 'has more than 65536 characters, so it is no public key'),
  ];
}

function faultyJwks(): readonly BadKey[] {
  const edwards = ed25519.publicKey.export({ format: 'jwk' });
  const curve = p256.publicKey.export({ format: 'jwk' });
  const modulus = rsa.publicKey.export({ format: 'jwk' });
  const noPoint = 'is no point of its curve, or cannot be imported';
  const smallOrder = 'is a point of small order, with which anybody can sign';
  const jwk = (name: string, given: JsonWebKey | object, fault: string): BadKey =>
    of(`JWK: ${name}`, JSON.stringify(given), fault);
  return [
    jwk('no kty', { x: edwards.x }, 'has no "kty" of OKP, EC or RSA, so it is no public key as a JWK'),
    jwk('X25519', { ...edwards, crv: 'X25519' }, 'is on a curve that is not taken; of OKP keys Ed25519 is'),
    jwk('secp256k1', { ...curve, crv: 'secp256k1' }, 'is on a curve that is not taken; P-256 and P-384 are'),
    jwk('P-521', { ...curve, crv: 'P-521' }, 'is on a curve that is not taken; P-256 and P-384 are'),
    jwk('short x', { ...edwards, x: 'AAAA' }, 'has no "x" of 32 bytes in base64url'),
    jwk('no y', { ...curve, y: undefined }, 'has no "x" and "y" of 32 bytes in base64url each'),
    jwk('padded x', { ...edwards, x: `${edwards.x ?? ''}=` }, 'has no "x" of 32 bytes in base64url'),
    jwk('a point beside its curve', { ...curve, y: curve.x }, noPoint),
    jwk('small order: 0', { ...edwards, x: Buffer.alloc(32).toString('base64url') }, smallOrder),
    jwk('small order: 1', { ...edwards, x: littleEndian(1n) }, smallOrder),
    jwk('small order: -1', { ...edwards, x: littleEndian(2n ** 255n - 20n) }, smallOrder),
    jwk('beyond the field', { ...edwards, x: littleEndian(2n ** 255n - 1n) }, 'is not in its one canonical form'),
    jwk('a beside its curve', { ...edwards, x: littleEndian(2n) }, 'is not a point of its curve'),
    jwk('no n', { ...modulus, n: undefined }, 'has no "n" and "e" in base64url'),
    jwk('a zero byte before n', { ...modulus, n: `AA${'A'.repeat(342)}` }, 'has a number that begins with a zero byte'),
    jwk('RSA of 8200 bits', { ...modulus, n: ones(8200) }, 'is an RSA key of 8200 bits; it must have 2048 to 8192'),
    jwk('RSA of 2040 bits', { ...modulus, n: ones(2040) }, 'is an RSA key of 2040 bits; it must have 2048 to 8192'),
    jwk('RSA with the exponent 1', { ...modulus, e: 'AQ' }, 'has an RSA exponent below 65537'),
    jwk('RSA with an even exponent', { ...modulus, e: 'AQAC' }, 'has an even RSA modulus or exponent'),
    jwk(
      'RSA with a long exponent',
      { ...modulus, e: ones(72) },
      'has an RSA exponent of more than 64 bits; 65537 is usual',
    ),
    jwk(
      'for encryption',
      { ...modulus, use: 'enc' },
      'is a JWK that is not for signatures, by its "use" or "key_ops"; ask for the one that signs',
    ),
    jwk(
      'for other operations',
      { ...curve, key_ops: ['deriveKey'] },
      'is a JWK that is not for signatures, by its "use" or "key_ops"; ask for the one that signs',
    ),
    jwk('set of none', { keys: [] }, 'is a JWK set without a key'),
    jwk('set of two', { keys: [edwards, curve] }, 'is a JWK set of 2 keys; say which one by its key id'),
    jwk('set that is none', { keys: edwards }, 'has "keys" that are no list, so it is no JWK set'),
  ];
}

function of(name: string, text: string, fault: string): BadKey {
  return { name, text, fault };
}

type PrivateForm = Parameters<KeyObject['export']>[0] & { readonly format: 'pem' };

function pem(key: KeyObject, form: object): string {
  return String(key.export(form as PrivateForm));
}

/** A public key as PEM, in the form that is taken. */
export function spki(key: KeyObject): string {
  return pem(key, { type: 'spki', format: 'pem' });
}

function block(label: string, base64: string): string {
  return `-----BEGIN ${label}-----\n${base64}\n-----END ${label}-----\n`;
}

function base64Of(key: string): string {
  return createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');
}

function withSpareBytes(key: string): string {
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return block('PUBLIC KEY', Buffer.concat([der, Buffer.alloc(3)]).toString('base64'));
}

function littleEndian(value: bigint): string {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse().toString('base64url');
}

function ones(bits: number): string {
  return Buffer.alloc(bits / 8, 0xff).toString('base64url');
}
