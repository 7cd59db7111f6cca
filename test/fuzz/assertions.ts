import assert from 'node:assert/strict';
import { audiencesOf } from '../../src/gateway/oauth2/assertion/audiences.ts';
import { findSigningKey } from '../../src/gateway/oauth2/assertion/algorithms.ts';
import { findClaimFault } from '../../src/gateway/oauth2/assertion/judge-claims.ts';
import { readAssertion } from '../../src/gateway/oauth2/assertion/read-assertion.ts';
import { readJwk } from '../../src/model/public-key/read-jwk.ts';
import type { PublicKey } from '../../src/model/public-key/public-key.ts';
import { jwsSignature, partnerKey } from '../support/oauth2/client-assertion.ts';
import { encodeSegment, ISSUER } from '../support/oauth2/forged-token.ts';
import { NOON } from '../support/time/fixed-clock.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { readSeeds } from './seeds.ts';

/** The keys that the seeds of `assertion` were signed with; nobody has their private halves. */
const seedKeys: readonly PublicKey[] = [
  { crv: 'Ed25519', x: '7AzcEZ7a5lqTemQhCJexuEu-eSC6zVzD1BiXEutSL50', kty: 'OKP' },
  {
    kty: 'EC',
    x: 'qo7C_meKQAQqOODTI7MADTJWAgeTCnWH0zAYgz7SQY8',
    y: 'OVdw4xuy00plHhobE6B3Y3eOQq-scNY7UuJZLUN7WNQ',
    crv: 'P-256',
  },
  {
    kty: 'RSA',
    n: 'x0QFVQ-RubHA0CfPO1A27R2NEmyF3dcn5ZdxOnrIk1GE4AcL3kkkkKR3J6__nwCDuKE2Y1yiJK5NO9l7NC1Y8ZFVJAq5VV_WA-Y0hQ6SQJ1gdjYpRU6Tz2feOqy2FqmFqRNUQLkqSin15Z2ERSWSdyqbDPHOvgasVJSuS3YChrNC2Ulp0jAjx7lkp7ricKQn7FHcTkJw7O8NNcKL6nlGlS8klruIW-5Q78hh6fccY-v54O0-iyeUxI63CVoOTgpwK7TlLvoQ40QKiUdUqpaQvqsrszJiPvu15cuauqDIHxCklMETNAqLFi3h7dpJU6WZGPDaSoBtt21X0vYbFV8e1w',
    e: 'AQAB',
  },
].map((jwk) => {
  const key = readJwk(jwk);
  if ('fault' in key) throw new Error(key.fault);
  return key;
});

const audiences = audiencesOf(ISSUER, 'issuer-or-token-endpoint');

/** What is made of an assertion, in a word: `taken`, or why not. */
async function judge(text: string, keys: readonly PublicKey[]): Promise<string> {
  const named = readAssertion(text);
  if ('fault' in named) return named.fault;
  const { assertion } = named;
  if ('fault' in assertion) return assertion.fault;
  if ((await findSigningKey(assertion, keys)) === null) return 'the signature is wrong';
  return findClaimFault(assertion.claims, audiences, NOON) ?? 'taken';
}

/** What everything that is taken says, read by other means. */
function assertRight(header: string, payload: string): void {
  const { alg, typ, ...others } = JSON.parse(header) as Record<string, unknown>;
  assert.equal(alg, 'Ed25519');
  assert.ok(typ === undefined || typ === 'JWT' || typ === 'client-authentication+jwt');
  for (const name of ['crit', 'b64', 'zip', 'enc', 'cty']) assert.ok(!(name in others), name);
  const { iss, sub, aud, exp, iat = NOON, nbf = NOON, jti } = JSON.parse(payload) as Record<string, unknown>;
  assert.ok(typeof iss === 'string' && iss === sub);
  const [audience, ...more] = (Array.isArray(aud) ? aud : [aud]) as readonly unknown[];
  assert.ok(typeof audience === 'string' && audiences.includes(audience) && more.length === 0);
  assert.ok(typeof exp === 'number' && exp > NOON && exp < NOON + 3601);
  assert.ok(typeof iat === 'number' && iat < NOON + 61);
  assert.ok(typeof nbf === 'number' && nbf < NOON + 61);
  assert.ok(typeof jti === 'string' && jti !== '' && Buffer.byteLength(jti) <= 256);
}

/** Client assertions (RFC 7523): as texts, and as headers and claims that a client signs rightly. */
export const assertionTargets: readonly FuzzTarget[] = [
  {
    name: 'assertion',
    words: ['.', '=', '-', '_', 'A', 'e30', encodeSegment('{"alg":"none"}'), encodeSegment('{"alg":"HS256"}')],
    async run(input) {
      const text = input.toString('latin1');
      const outcomes = await Promise.all(seedKeys.map((key) => judge(text, [key])));
      const isTaken = outcomes.includes('taken');
      // Whatever is changed in one that is right makes it wrong.
      if (isTaken) assert.ok(readSeeds('assertion').some((seed) => seed.equals(input)));
      return isTaken ? 'taken' : (outcomes[0] ?? '');
    },
  },
  {
    name: 'assertion-claims',
    words: [
      ...['{', '}', '[', ']', '"', ':', ',', 'null', 'true', '1e999', '-1', '0.5', '\\u0061', '\\ud800', '\xc3\xa9'],
      ...['"iss":', '"sub":', '"aud":', '"exp":', '"iat":', '"nbf":', '"jti":', '"__proto__":', `"${ISSUER}"`],
      ...['"alg":', '"typ":', '"crit":', '"b64":', '"kid":', '"Ed25519"', '"none"', '"JWT"', String(NOON + 60)],
    ],
    async run(input) {
      const text = input.toString('latin1');
      const [header = ''] = text.split('\n', 1);
      const payload = text.slice(header.length + 1);
      const segments = [header, payload].map((part) => encodeSegment(Buffer.from(part, 'latin1')));
      const signed = segments.join('.');
      const { privateKey, publicKey } = partnerKey();
      const signature = jwsSignature('Ed25519', privateKey, signed).toString('base64url');
      const outcome = await judge(`${signed}.${signature}`, [publicKey]);
      if (outcome === 'taken') assertRight(header, Buffer.from(payload, 'latin1').toString('utf8'));
      return outcome;
    },
  },
];
