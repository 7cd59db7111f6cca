import { type Pending, whenReady } from '../../../base/pending.ts';
import type { JwtOptions } from '../../../model/endpoint.ts';
import { type Refusal, type RefusalCode, refuse } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import type { HeldCredential } from '../../store/credential-source.ts';
import {
  type Authenticated,
  type AuthenticationPorts,
  unchanged,
  type UpstreamChanges,
  vouchFor,
} from '../authenticated.ts';
import { bearerErrors, findFormFault, findTokenText, takeTokenOut, tokenTaken } from '../bearer-token.ts';
import { findCredentialFault, nameCaller } from '../caller.ts';
import { refuseUsed } from '../used-once.ts';
import { chooseHolder } from './choose-holder.ts';
import type { IssuerToken } from './issuer-tokens.ts';
import { isFaulty, type JwtFault, jwtFaults } from './token-faults.ts';

/** The errors of RFC 6750 §3.1 by refusal; none where the request has no token. */
export const jwtErrors: Partial<Readonly<Record<RefusalCode, string>>> = {
  ...bearerErrors,
  REQUEST_REPLAYED: 'invalid_token',
  REQUEST_EXPIRED: 'invalid_token',
};

/** How far ahead the `exp` of a token may be that is taken once, in seconds: until then its `jti` is remembered. */
export const MAX_REMEMBERED_LIFE_SECONDS = 3600;

/**
 * Authenticates by a token of another issuer (spec §3.6) in `Authorization`. The token says by its claims whose it is;
 * that credential and its consumer are judged again for each request. With `replayProtection` its `jti` counts once.
 */
export function authenticateByJwt(
  routed: Routed,
  options: JwtOptions,
  ports: AuthenticationPorts,
): Pending<Authenticated | Refusal> {
  const { catalog, received } = routed;
  const text = findTokenText(received.request, null);
  if (typeof text !== 'string') return text;
  return whenReady(ports.issuerTokens.verify(text, catalog.issuers), (token) => {
    if (isFaulty(token)) return findFormFault(received.request) ?? refuseToken(token.fault);
    return whenReady(chooseHolder(token.appKeys, catalog.credentials), (held) => {
      if (isFaulty(held)) return refuseToken(held.fault);
      const fault = findHolderFault(held, ports.clock.nowSeconds());
      if (fault !== null) return nameCaller(fault, held);
      const caller = vouchFor(routed, held, options.hideCredentials ? tokenTaken : unchanged);
      if (!options.replayProtection) return caller;
      return whenReady(useOnce(token, held, ports), (refusal) =>
        refusal === null ? caller : nameCaller(refusal, held),
      );
    });
  });
}

/** Takes the token out of the header; an `Authorization` of another scheme stays. */
export function concealJwt(routed: Routed, { hideCredentials }: JwtOptions): UpstreamChanges {
  return hideCredentials ? takeTokenOut(routed, false) : unchanged;
}

/** What a caller gets whose token has a fault. Which one it is, only the log says. */
function refuseToken(fault: JwtFault): Refusal {
  const detail = jwtFaults[fault];
  return fault === 'keysUnknown' ? refuse('STORE_UNAVAILABLE', detail) : refuse('TOKEN_INVALID', detail);
}

function findHolderFault(held: HeldCredential, nowSeconds: number): Refusal | null {
  const fault = findCredentialFault(held, 'jwt', nowSeconds);
  return fault?.refused === 'AUTHENTICATION_FAILED' ? refuse('TOKEN_INVALID', fault.detail) : fault;
}

/** Uses a token up, by its issuer and `jti`; null when that was for the first time. */
function useOnce(
  { issuer, times, tokenId }: IssuerToken,
  { credential, consumer }: HeldCredential,
  { clock, replayGuard }: Pick<AuthenticationPorts, 'clock' | 'replayGuard'>,
): Pending<Refusal | null> {
  if (tokenId === null) return refuseToken('noTokenId');
  const endsAt = Math.ceil(times.expiresAt);
  if (endsAt - clock.nowSeconds() > MAX_REMEMBERED_LIFE_SECONDS + issuer.clockSkewSeconds) {
    return refuseToken('livesTooLong');
  }
  const reservation = replayGuard.reserve(
    {
      method: 'jwt',
      // Not that of the credential: a token stays used when its claims become another one's.
      appKey: issuer.id,
      mark: Buffer.from(tokenId, 'utf8'),
      credentialId: credential.id,
      consumerId: consumer.id,
      signedAtSeconds: endsAt,
      expiresAtSeconds: endsAt + issuer.clockSkewSeconds,
    },
    NO_SKEW,
  );
  return whenReady(reservation, (reserved) => (reserved === 'first' ? null : refuseUsed(reserved, 'token')));
}

const NO_SKEW = 0;
