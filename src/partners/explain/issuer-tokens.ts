import type { Clock } from '../../base/clock.ts';
import type { AuthenticationPorts } from '../../check/methods/authenticated.ts';
import { IssuerTokens, judgeToken } from '../../check/methods/jwt/issuer-tokens.ts';
import { findTimeFault } from '../../check/methods/jwt/judge-claims.ts';
import { readToken } from '../../check/methods/jwt/read-token.ts';
import { isFaulty } from '../../check/methods/jwt/token-faults.ts';

/**
 * Judges tokens of issuers as the gateway does, but for the signature where the keys are at an address: nothing is
 * fetched to explain a request.
 */
export function issuerTokensAt(clock: Clock): AuthenticationPorts['issuerTokens'] {
  const tokens = new IssuerTokens({ clock, keys: { keysOf: () => null, newerThan: () => null } });
  return {
    verify: (text, issuers) => {
      const token = readToken(text);
      const issuer = isFaulty(token) ? null : issuers.find(token.issuer);
      if (isFaulty(token) || issuer === null || issuer.keys.kind === 'jwks') return tokens.verify(text, issuers);
      if (!issuer.algorithms.includes(token.algorithm)) return { fault: 'algorithm' };
      const fault = findTimeFault(token.times, issuer.clockSkewSeconds, clock.nowSeconds());
      return fault === null ? judgeToken(token, issuer, []) : { fault };
    },
  };
}
