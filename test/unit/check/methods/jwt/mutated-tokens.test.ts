import assert from 'node:assert/strict';
import fc from 'fast-check';
import { IssuerTokens } from '../../../../../src/check/methods/jwt/issuer-tokens.ts';
import { isFaulty } from '../../../../../src/check/methods/jwt/token-faults.ts';
import { jwtAlgorithms } from '../../../../../src/model/jwt-algorithms.ts';
import { issuerToken, jwtCatalog } from '../../../../support/jwt/issuer-token.ts';
import { mutatedTokens } from '../../../../support/jwt/mutated-tokens.ts';
import { fixedClock } from '../../../../support/time/fixed-clock.ts';

/** `MUTATIONS=100000` runs the whole number. */
const RUNS = Number(process.env['MUTATIONS'] ?? '1000');

const { issuers } = jwtCatalog();
const tokens = new IssuerTokens({
  clock: fixedClock(),
  keys: { keysOf: () => null, newerThan: () => null },
});
const right = jwtAlgorithms.map((algorithm) => issuerToken({ algorithm }));

describe('a token that was changed', () => {
  it('is never taken, and is a fault, whatever was changed', async () => {
    await fc.assert(
      fc.asyncProperty(mutatedTokens(right), async (text) => {
        assert.ok(isFaulty(await tokens.verify(text, issuers)));
      }),
      { numRuns: RUNS },
    );
  }).timeout(600_000);
});
