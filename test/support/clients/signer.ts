// A program that holds a private key: `signer.ts KEY.pem ALGORITHM [der]` signs its standard input.
import { constants, createPrivateKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [file = '', algorithm = '', form] = process.argv.slice(2);
const hashes: Readonly<Record<string, string | null>> = {
  ed25519: null,
  EdDSA: null,
  'ecdsa-p256-sha256': 'sha256',
  'ecdsa-p384-sha384': 'sha384',
  'rsa-pss-sha512': 'sha512',
};
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const options = algorithm.startsWith('rsa') ? pss : ({ dsaEncoding: form === 'der' ? 'der' : 'ieee-p1363' } as const);
const key = createPrivateKey(readFileSync(file));
process.stdout.write(sign(hashes[algorithm], readFileSync(0), { key, ...options }));
