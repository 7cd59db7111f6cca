import type { JwtOptions } from '../../../model/endpoint.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import type { UpstreamChanges } from '../authenticated.ts';
import { concealToken } from '../oauth2/authenticate.ts';

/** Authenticates by a token of an outside issuer (spec §3.6). So far no token is taken: every request is refused. */
export function authenticateByJwt(): Refusal {
  return refuse('TOKEN_INVALID', 'tokens of outside issuers are not verified yet');
}

/** Takes the token out of the header; an `Authorization` of another scheme stays. */
export function concealJwt(routed: Routed, { hideCredentials, mode, onLimiterFailure }: JwtOptions): UpstreamChanges {
  return concealToken(routed, { mode, onLimiterFailure, hideCredentials, tokenInQuery: false });
}
