import type { Clock } from '../../base/clock.ts';
import type { AuthenticationPorts } from '../../check/methods/authenticated.ts';
import type { SentIdentity } from '../../check/methods/explanation/explainer.ts';
import { IssuerTokens, judgeToken } from '../../check/methods/jwt/issuer-tokens.ts';
import { findTimeFault } from '../../check/methods/jwt/judge-claims.ts';
import { readToken } from '../../check/methods/jwt/read-token.ts';
import { isFaulty } from '../../check/methods/jwt/token-faults.ts';
import { claimsAppKey, MAX_CLAIMS } from '../../model/derived-app-key.ts';
import { type Issuer, issuerDefaults } from '../../model/issuer.ts';

/** Claims of a token that are tried together, those that name callers first. */
const MAX_TRIED_CLAIMS = 12;
const USUAL_CLAIMS = ['azp', 'client_id', 'cid', 'appid', 'sub', 'tid', 'tenant', 'org_id'];

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

type SentToken = NonNullable<SentIdentity['issuerToken']>;

/**
 * The derived App Keys of every credential that a token can be for, as far as its claims are not too many; those of the
 * most claims first.
 */
export function possibleAppKeys(token: SentToken | undefined, { id }: Pick<Issuer, 'id'>): readonly string[] {
  if (token === undefined) return [];
  const { claims } = token;
  const texts = Object.entries(claims).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  const rank = ([name]: readonly [string, string]): number => {
    const place = USUAL_CLAIMS.indexOf(name);
    return place === -1 ? USUAL_CLAIMS.length : place;
  };
  let sets: (readonly (readonly [string, string])[])[] = [[]];
  for (const pair of texts.sort((one, other) => rank(one) - rank(other)).slice(0, MAX_TRIED_CLAIMS)) {
    sets = [...sets, ...sets.filter((set) => set.length < MAX_CLAIMS).map((set) => [...set, pair])];
  }
  const most = sets.filter((set) => set.length > 0).sort((one, other) => other.length - one.length);
  return most.map((set) => claimsAppKey(id, Object.fromEntries(set)));
}

/** The issuer of a token as it says itself, which takes it: where no store is at hand. Its keys are not. */
export function issuerOfToken({ issuer, audiences }: SentToken): Issuer {
  return { ...issuerDefaults, id: 'issuer', issuer, audiences, keys: { kind: 'uri', jwksUri: issuer } };
}
