import { vouchedAddressOf } from '../receive/source-address.ts';
import type { Authenticated } from '../methods/authenticated.ts';
import { isGroupGrant, type OwnGrant } from '../../model/grant.ts';
import { grantInEffect, limitsInForce } from '../../model/grant-in-effect.ts';
import { carries } from '../../model/labels.ts';
import type { Limit } from '../../model/limit.ts';
import { type CompiledPlan, planInEffect } from '../../model/plan.ts';
import { findAddressFault, hasAddressList } from './allowed-address.ts';
import { refuse, type Refusal } from '../refusal.ts';
import type { CompiledGrant } from '../store/check-store.ts';
import type { HeldCredential } from '../store/credential-source.ts';

declare const permitted: unique symbol;

/** Proof that the caller's address is allowed, and the endpoint's access condition met. */
export interface Permit {
  readonly authenticated: Authenticated;
  /** The limits of this caller's requests: the endpoint's, with those of the grant in their place (spec §1). */
  readonly limits: readonly Limit[];
  /** The plan whose limits count beside them; null without any. */
  readonly plan: CompiledPlan | null;
  readonly [permitted]: true;
}

/**
 * The caller's address must be in the lists of its consumer and credential, else `ADDRESS_NOT_ALLOWED`, before anything
 * is said of grants: who stole a credential learns nothing of them. The access condition `authenticated-and-authorized`
 * needs a live grant, else `NOT_AUTHORIZED` (spec §4.1). Open endpoints look at neither.
 */
export function authorize(authenticated: Authenticated, nowSeconds: number): Permit | Refusal {
  const { endpoint, catalog } = authenticated.routed;
  if (endpoint.scenario === 'open' || authenticated.caller === null)
    return permit(authenticated, endpoint.limits, null);
  const { consumer, grants } = authenticated.caller;
  if (hasAddressList(authenticated.caller)) {
    const fault = findAddressFault(authenticated.caller, vouchedAddressOf(authenticated.routed.received.request));
    if (fault !== null) return refuse('ADDRESS_NOT_ALLOWED', fault);
  }
  const own = grants.get(endpoint.id) ?? null;
  const groups = catalog.groupGrants.of(endpoint.id);
  const grant = grantInEffect(own, groups, consumer.labels, nowSeconds);
  if (endpoint.accessCondition === 'authenticated-and-authorized' && grant === null) {
    return refuse('NOT_AUTHORIZED', explainRefusal(consumer, own, groups));
  }
  const limits = grant !== null && isGroupGrant(grant) ? grant.limitsInForce : limitsInForce(endpoint.limits, grant);
  const plans = catalog.plans.of(endpoint.id);
  return permit(authenticated, limits, plans === null ? null : planInEffect(plans, consumer.labels));
}

function permit(authenticated: Authenticated, limits: readonly Limit[], plan: CompiledPlan | null): Permit {
  return { authenticated, limits, plan } as Permit;
}

/** No grant of this consumer is live: a grant that would fit has ended. */
function explainRefusal(
  { id, labels }: HeldCredential['consumer'],
  own: OwnGrant | null,
  groups: readonly CompiledGrant[],
): string {
  const hadOne = own !== null || groups.some(({ consumerSelector }) => carries(labels, consumerSelector));
  return `the consumer ${id} ${hadOne ? 'has an expired grant' : 'has no grant'}`;
}
