import { hash } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { LastUsed } from '../../../base/last-used.ts';
import { type Pending, whenReady } from '../../../base/pending.ts';
import { hashAppKey } from '../../../model/app-key.ts';
import { claimsAppKey } from '../../../model/derived-app-key.ts';
import type { CompiledIssuer, IssuerKey } from '../../../model/issuer.ts';
import type { IssuerTable } from '../../store/check-store.ts';
import { findSigningKey } from './find-signing-key.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { findClaimFault, findTimeFault } from './judge-claims.ts';
import { MAX_JWT_BYTES, readToken, type TokenTimes, type UnverifiedToken } from './read-token.ts';
import { type FaultyToken, isFaulty } from './token-faults.ts';

/** Kept at least, twice as many at most, see {@link LastUsed}; each takes about 1 KiB. */
export const REMEMBERED_ISSUER_TOKENS = 10_000;

/** A token that its issuer signed for this gateway. Whether it works now is not said, nor whose it is. */
export interface IssuerToken {
  readonly issuer: CompiledIssuer;
  /** All keys of the issuer; the one that signed the token is among them. */
  readonly keys: readonly IssuerKey[];
  readonly times: TokenTimes;
  /** `jti`; null for none that can be remembered. */
  readonly tokenId: string | null;
  /** The derived App Keys that a credential for this token may have, those of the most claims first. */
  readonly appKeys: readonly DerivedAppKey[];
}

/** An App Key that stands for claims of a token. */
export interface DerivedAppKey {
  readonly appKey: string;
  /** Its `hashAppKey`. */
  readonly appKeyHash: string;
  /** How many claims. */
  readonly claims: number;
}

/** What {@link IssuerTokens} needs. */
export interface IssuerTokenPorts {
  readonly clock: Pick<Clock, 'nowSeconds'>;
  readonly keys: IssuerKeys;
  readonly remembered?: number;
}

/**
 * Verifies tokens of other issuers (spec §3.6, RFC 7519, RFC 8725). A token that was verified is remembered by its
 * hash, with the issuer and the keys of that moment: it counts only while both are still the same, and its times are
 * looked at each time.
 */
export class IssuerTokens {
  readonly #clock: Pick<Clock, 'nowSeconds'>;
  readonly #keys: IssuerKeys;
  readonly #remembered: LastUsed<IssuerToken>;

  constructor({ clock, keys, remembered = REMEMBERED_ISSUER_TOKENS }: IssuerTokenPorts) {
    this.#clock = clock;
    this.#keys = keys;
    this.#remembered = new LastUsed(remembered);
  }

  /** A token that works now, as far as it says itself. */
  verify(text: string, issuers: IssuerTable): Pending<IssuerToken | FaultyToken> {
    if (text.length > MAX_JWT_BYTES) return { fault: 'tooLong' };
    const digest = hash('sha256', text, 'base64');
    const known = this.#remembered.get(digest);
    if (known !== undefined && this.#isStillRight(known, issuers)) return this.#judgeTimes(known);
    return whenReady(this.#read(text, issuers), (token) => {
      if (isFaulty(token)) return token;
      this.#remembered.set(digest, token);
      return this.#judgeTimes(token);
    });
  }

  #isStillRight({ issuer, keys }: IssuerToken, issuers: IssuerTable): boolean {
    if (issuers.find(issuer.issuer) !== issuer) return false;
    return issuer.keys.kind === 'jwks' || this.#keys.keysOf(issuer) === keys;
  }

  #judgeTimes(token: IssuerToken): IssuerToken | FaultyToken {
    const fault = findTimeFault(token.times, token.issuer.clockSkewSeconds, this.#clock.nowSeconds());
    return fault === null ? token : { fault };
  }

  #read(text: string, issuers: IssuerTable): Pending<IssuerToken | FaultyToken> {
    const token = readToken(text);
    if (isFaulty(token)) return token;
    const issuer = issuers.find(token.issuer);
    if (issuer === null) return { fault: 'unknownIssuer' };
    if (!issuer.algorithms.includes(token.algorithm)) return { fault: 'algorithm' };
    // Before anything is fetched for it: a token that has ended needs no keys.
    const late = findTimeFault(token.times, issuer.clockSkewSeconds, this.#clock.nowSeconds());
    if (late === 'expired') return { fault: late };
    if (issuer.keys.kind === 'jwks') return verifyWith(issuer.keys.keys, token, issuer);
    return whenReady(this.#keys.keysOf(issuer) ?? this.#keys.newerThan(null, issuer), (keys) => {
      if (keys === null) return { fault: 'keysUnknown' };
      const verified = verifyWith(keys, token, issuer);
      if (!isFaulty(verified) || verified.fault !== 'noKey') return verified;
      return whenReady(this.#keys.newerThan(keys, issuer), (newer) =>
        newer === null || newer === keys ? verified : verifyWith(newer, token, issuer),
      );
    });
  }
}

function verifyWith(
  keys: readonly IssuerKey[],
  token: UnverifiedToken,
  issuer: CompiledIssuer,
): IssuerToken | FaultyToken {
  const key = findSigningKey(token, keys);
  return isFaulty(key) ? key : judgeToken(token, issuer, keys);
}

/**
 * A token whose signature is right, judged by what its claims say, whatever the time is.
 *
 * @param keys all of the issuer
 */
export function judgeToken(
  token: UnverifiedToken,
  issuer: CompiledIssuer,
  keys: readonly IssuerKey[],
): IssuerToken | FaultyToken {
  const fault = findClaimFault(token, issuer);
  if (fault !== null) return { fault };
  const appKeys = derivedAppKeys(token.claims, issuer);
  if (appKeys.length === 0) return { fault: 'noCredential' };
  return { issuer, keys, times: token.times, tokenId: token.tokenId, appKeys };
}

/** For each set of claims that credentials of the issuer name, and that the token has all of, as texts. */
function derivedAppKeys(
  claims: UnverifiedToken['claims'],
  { id, claimNames }: Pick<CompiledIssuer, 'id' | 'claimNames'>,
): readonly DerivedAppKey[] {
  const found: DerivedAppKey[] = [];
  for (const names of claimNames) {
    const values = names.map((name) => [name, Object.hasOwn(claims, name) ? claims[name] : null] as const);
    if (!values.every((pair): pair is readonly [string, string] => typeof pair[1] === 'string')) continue;
    const appKey = claimsAppKey(id, Object.fromEntries(values));
    found.push({ appKey, appKeyHash: hashAppKey(appKey), claims: names.length });
  }
  return found.sort((one, other) => other.claims - one.claims);
}
