import assert from 'node:assert/strict';
import { findClaimFault } from '../../../../../src/gateway/oauth2/assertion/judge-claims.ts';
import type { AssertionClaims } from '../../../../../src/gateway/oauth2/assertion/read-assertion.ts';
import { audiencesOf } from '../../../../../src/gateway/oauth2/assertion/audiences.ts';
import { ISSUER } from '../../../../support/oauth2/forged-token.ts';
import { NOON } from '../../../../support/time/fixed-clock.ts';

const good: AssertionClaims = {
  audience: ISSUER,
  expiresAt: NOON + 60,
  issuedAt: null,
  notBefore: null,
  assertionId: 'one',
};

function judge(parts: Partial<AssertionClaims>, taken: Parameters<typeof audiencesOf>[1] = 'issuer-or-token-endpoint') {
  return findClaimFault({ ...good, ...parts }, audiencesOf(ISSUER, taken), NOON);
}

describe('the claims of a client assertion', () => {
  it('are for the issuer or the token endpoint, letter for letter', () => {
    assert.equal(judge({}), null);
    assert.equal(judge({ audience: `${ISSUER}/oauth2/token` }), null);
    for (const audience of [
      '',
      `${ISSUER}/`,
      `${ISSUER}/oauth2/token/`,
      `${ISSUER}/oauth2/revoke`,
      `${ISSUER}/oauth2/introspect`,
      ISSUER.toUpperCase(),
      'https://other.example.com',
    ]) {
      assert.equal(judge({ audience }), `the aud of the assertion is not ${ISSUER} or ${ISSUER}/oauth2/token`);
    }
  });

  it('are for the issuer alone where the operator says so', () => {
    assert.equal(judge({}, 'issuer'), null);
    assert.equal(judge({ audience: `${ISSUER}/oauth2/token` }, 'issuer'), `the aud of the assertion is not ${ISSUER}`);
  });

  it('end at exp, which is at most an hour ahead', () => {
    for (const expiresAt of [NOON + 0.5, NOON + 1, NOON + 3600, NOON + 3600.9])
      assert.equal(judge({ expiresAt }), null);
    for (const expiresAt of [NOON, NOON - 0.5, 0, -1]) {
      assert.equal(judge({ expiresAt }), 'the assertion has expired');
    }
    for (const expiresAt of [NOON + 3601, NOON * 1000, Number.MAX_VALUE]) {
      assert.equal(judge({ expiresAt }), 'the exp of the assertion is more than 3600 s ahead');
    }
  });

  for (const name of ['issuedAt', 'notBefore'] as const) {
    it(`have ${name} at most a minute ahead, and any time ago`, () => {
      for (const time of [NOON + 60, NOON + 60.9, NOON, 0, -1]) assert.equal(judge({ [name]: time }), null);
      for (const time of [NOON + 61, Number.MAX_VALUE]) {
        assert.equal(judge({ [name]: time }), 'the iat or nbf of the assertion is more than 60 s ahead');
      }
    });
  }
});
