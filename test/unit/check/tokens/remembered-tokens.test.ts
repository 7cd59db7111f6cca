import assert from 'node:assert/strict';
import { RememberedTokens } from '../../../../src/check/tokens/remembered-tokens.ts';
import type { TokenClaims } from '../../../../src/check/tokens/token-claims.ts';

const COUNT = 10;

function claimsOf(tokenId: string): TokenClaims {
  return {
    issuer: '',
    clientId: '',
    consumerId: '',
    credentialId: '',
    issuedAt: 0,
    expiresAt: 0,
    tokenId,
    certificate: null,
  };
}

function remember(tokens: RememberedTokens<TokenClaims>, from: number, to: number): void {
  for (let at = from; at < to; at += 1) tokens.set(String(at), claimsOf(String(at)));
}

function known(tokens: RememberedTokens<TokenClaims>, to: number): number {
  return Array.from({ length: to }, (_, at) => String(at)).filter((digest) => tokens.get(digest) !== undefined).length;
}

describe('the memory of tokens', () => {
  it('has the tokens that were used last, however many came', () => {
    for (const came of [1, COUNT, COUNT + 1, 2 * COUNT, 7 * COUNT + 3]) {
      const tokens = new RememberedTokens<TokenClaims>(COUNT);
      remember(tokens, 0, came);
      for (let at = Math.max(0, came - COUNT); at < came; at += 1) {
        assert.equal(tokens.get(String(at))?.tokenId, String(at), `${String(at)} of ${String(came)}`);
      }
    }
  });

  it('keeps a token that is used while others come', () => {
    const tokens = new RememberedTokens<TokenClaims>(COUNT);
    tokens.set('used', claimsOf('used'));
    for (let at = 0; at < 10 * COUNT; at += 1) {
      remember(tokens, at, at + 1);
      assert.equal(tokens.get('used')?.tokenId, 'used', String(at));
    }
  });

  it('has at most twice as many', () => {
    const tokens = new RememberedTokens<TokenClaims>(COUNT);
    remember(tokens, 0, 100 * COUNT);
    assert.ok(known(tokens, 100 * COUNT) <= 2 * COUNT);
  });

  it('is empty after it was cleared', () => {
    const tokens = new RememberedTokens<TokenClaims>(COUNT);
    remember(tokens, 0, 2 * COUNT);
    tokens.clear();
    assert.equal(known(tokens, 2 * COUNT), 0);
  });
});
