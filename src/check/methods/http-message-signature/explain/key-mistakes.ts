import { constants, verify } from 'node:crypto';
import type { ExplainInput, Hypothesis } from '../../explanation/explainer.ts';
import { bytesOfHex } from '../../explanation/search.ts';
import { type Check, checkOf } from '../verify.ts';
import { httpSignatureAlgorithms } from '../../../../model/options/http-signature-algorithms.ts';
import type { HttpCase } from './case.ts';
import type { HttpRecipe } from './recipe.ts';

const BYTES_FIX = 'Send the bytes of the signature in base64 between colons';

/** What goes wrong with the bytes of the signature, the key, and the algorithm. */
export function keyMistakes({ sent }: HttpCase, { publicKeys = [] }: ExplainInput): readonly Hypothesis<HttpRecipe>[] {
  return [
    {
      name: 'der-signature',
      what: 'the signature is in DER, as most libraries give it, not r and s',
      fix: 'Send r and s as 64 bytes (P-256) or 96 (P-384): dsaEncoding "ieee-p1363" in Node, decode_dss_signature in Python, "SHA256withECDSAinP1363Format" in Java',
      vary: ({ bytes }) => [32, 48].flatMap((size) => fixedOf(bytes, size)).map((fixed) => ({ bytes: fixed })),
    },
    {
      name: 'signature-encoded-twice',
      what: 'the base64 of the signature is that of hex or base64, not of the bytes',
      fix: BYTES_FIX,
      vary: ({ bytes }) => encodedBytes(bytes.toString('latin1')).map((decoded) => ({ bytes: decoded })),
    },
    {
      name: 'signature-of-another-label',
      what: 'the bytes under the label are those of another signature of the request',
      fix: 'Send the bytes of each signature under its own label, the same in Signature-Input and Signature',
      vary: () => (sent?.otherBytes ?? []).map((bytes) => ({ bytes })),
    },
    {
      name: 'other-algorithm',
      what: 'the signature was made by another algorithm than the endpoint takes for this key',
      fix: 'Sign by the algorithm of the key: ed25519, ecdsa-p256-sha256, ecdsa-p384-sha384 or rsa-pss-sha512',
      vary: () => [checkOf(httpSignatureAlgorithms), ...otherChecks].map((check) => ({ check })),
    },
    ...publicKeys.flatMap(({ publicKey, mistake }) =>
      mistake === null ? [] : [{ ...mistake, vary: () => [{ keys: [publicKey] }] }],
    ),
  ];
}

/** Hashes and paddings that no algorithm of RFC 9421 has for a key. */
const otherChecks: readonly Check[] = [
  ...['sha256', 'sha384', 'sha512', 'sha1'].map(
    (name): Check =>
      (base, key, signature) => {
        return key.jwk.kty === 'EC' && verify(name, base, { key: key.object, dsaEncoding: 'ieee-p1363' }, signature);
      },
  ),
  ...['sha256', 'sha384', 'sha512', 'sha1'].flatMap((name): readonly Check[] =>
    [constants.RSA_PKCS1_PSS_PADDING, constants.RSA_PKCS1_PADDING].map((padding) => (base, key, signature) => {
      return key.jwk.kty === 'RSA' && verify(name, base, { key: key.object, padding }, signature);
    }),
  ),
];

function encodedBytes(text: string): readonly Buffer[] {
  const hex = bytesOfHex(text);
  const base64 = /^[A-Za-z0-9+/_-]{64,}={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
  return [hex, base64].filter((decoded) => decoded !== null);
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const LONG_LENGTH = 0x81;

/** A signature in DER (`SEQUENCE { r INTEGER, s INTEGER }`) as r and s of so many bytes; none for other bytes. */
function fixedOf(bytes: Buffer, size: number): readonly Buffer[] {
  if (bytes[0] !== SEQUENCE) return [];
  const start = bytes[1] === LONG_LENGTH ? 3 : 2;
  if (bytes[start - 1] !== bytes.length - start) return [];
  const r = integerAt(bytes, start, size);
  const s = r === null ? null : integerAt(bytes, r.end, size);
  return r === null || s?.end !== bytes.length ? [] : [Buffer.concat([r.value, s.value])];
}

function integerAt(bytes: Buffer, at: number, size: number): { readonly value: Buffer; readonly end: number } | null {
  const length = bytes[at + 1] ?? 0;
  const end = at + 2 + length;
  if (bytes[at] !== INTEGER || length === 0 || end > bytes.length) return null;
  let from = at + 2;
  while (from < end - 1 && bytes[from] === 0) from += 1;
  const digits = bytes.subarray(from, end);
  return digits.length > size ? null : { value: Buffer.concat([Buffer.alloc(size - digits.length), digits]), end };
}
