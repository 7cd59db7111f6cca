import assert from 'node:assert/strict';
import fc from 'fast-check';
import { IssuerTokens } from '../../../../../src/check/methods/jwt/issuer-tokens.ts';
import { isFaulty } from '../../../../../src/check/methods/jwt/token-faults.ts';
import { jwtAlgorithms } from '../../../../../src/model/jwt-algorithms.ts';
import { issuerToken, jwtCatalog } from '../../../../support/jwt/issuer-token.ts';
import { encodeSegment } from '../../../../support/oauth2/forged-token.ts';
import { fixedClock } from '../../../../support/time/fixed-clock.ts';

/** `MUTATIONS=100000` runs the whole number. */
const RUNS = Number(process.env['MUTATIONS'] ?? '1000');

const { issuers } = jwtCatalog();
const tokens = new IssuerTokens({
  clock: fixedClock(),
  keys: { keysOf: () => null, newerThan: () => null },
});
const right = jwtAlgorithms.map((algorithm) => issuerToken({ algorithm }));
const token = fc.constantFrom(...right);
const segment = fc.oneof(
  fc.json().map(encodeSegment),
  fc.uint8Array({ maxLength: 40 }).map(encodeSegment),
  fc
    .dictionary(fc.constantFrom('alg', 'kid', 'typ', 'crit', 'iss', 'aud', 'exp', 'azp', '__proto__'), fc.jsonValue())
    .map((object) => encodeSegment(object)),
  fc.string({ maxLength: 40 }),
);

/** Another text than that of the token, made of it. */
const mutated = fc.oneof(
  fc.tuple(token, fc.nat(), fc.integer({ min: 0, max: 127 })).map(([text, at, code]) => {
    const place = at % text.length;
    return text.slice(0, place) + String.fromCharCode(code) + text.slice(place + 1);
  }),
  fc.tuple(token, fc.nat(), fc.nat({ max: 8 })).map(([text, at, count]) => {
    const place = at % text.length;
    return text.slice(0, place) + text.slice(place + count);
  }),
  fc.tuple(token, fc.nat(), fc.string({ maxLength: 8 })).map(([text, at, more]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + more + text.slice(place);
  }),
  fc.tuple(token, fc.nat({ max: 2 }), segment).map(([text, at, other]) => text.split('.').with(at, other).join('.')),
  fc.tuple(token, token, fc.nat({ max: 2 })).map(([one, other, at]) => {
    return one
      .split('.')
      .with(at, other.split('.')[at] ?? '')
      .join('.');
  }),
  fc.tuple(segment, segment, segment).map((segments) => segments.join('.')),
);

describe('a token that was changed', () => {
  it('is never taken, and is a fault, whatever was changed', async () => {
    await fc.assert(
      fc.asyncProperty(mutated, async (text) => {
        fc.pre(!right.includes(text));
        assert.ok(isFaulty(await tokens.verify(text, issuers)));
      }),
      { numRuns: RUNS },
    );
  }).timeout(600_000);
});
