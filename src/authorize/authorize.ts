import type { Authenticated } from '../methods/authenticated.ts';
import { isLive } from '../clock.ts';
import type { Grant } from '../model/grant.ts';
import type { Limit } from '../model/limit.ts';
import { refuse, type Refusal } from '../refusal.ts';

declare const permitted: unique symbol;

/** Proof that the endpoint's access condition is met. */
export interface Permit {
  readonly authenticated: Authenticated;
  /** The limits of this caller's requests: the endpoint's, with those of the grant in their place (spec §1). */
  readonly limits: readonly Limit[];
  readonly [permitted]: true;
}

/** The access condition `authenticated-and-authorized` needs a live grant, else `NOT_AUTHORIZED` (spec §4.1). */
export function authorize(authenticated: Authenticated, nowSeconds: number): Permit | Refusal {
  const { endpoint } = authenticated.routed;
  if (endpoint.scenario === 'open' || authenticated.caller === null) return permit(authenticated, endpoint.limits);
  const { consumer, grants } = authenticated.caller;
  const grant = grants.get(endpoint.id) ?? null;
  const isGranted = grant !== null && isLive({ notBefore: null, expiresAt: grant.expiresAt }, nowSeconds);
  if (endpoint.accessCondition === 'authenticated-and-authorized' && !isGranted) {
    return refuse(
      'NOT_AUTHORIZED',
      `the consumer ${consumer.id} ${grant === null ? 'has no grant' : 'has an expired grant'}`,
    );
  }
  return permit(authenticated, limitsInForce(endpoint.limits, isGranted ? grant : null));
}

function permit(authenticated: Authenticated, limits: readonly Limit[]): Permit {
  return { authenticated, limits } as Permit;
}

/** The limits that count for a caller: the endpoint's, with those of a live grant in place of `per: consumer` (spec §1). */
export function limitsInForce(ofEndpoint: readonly Limit[], grant: Grant | null): readonly Limit[] {
  const own = grant?.limits ?? null;
  return own === null ? ofEndpoint : [...own, ...ofEndpoint.filter((limit) => limit.per === 'endpoint')];
}
