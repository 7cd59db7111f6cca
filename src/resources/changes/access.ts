import { findAddressFault, hasAddressList } from '../../check/authorize/allowed-address.ts';
import { findCredentialFault } from '../../check/methods/caller.ts';
import { commonNetworks } from '../../model/address-list.ts';
import type { Consumer } from '../../model/consumer.ts';
import type { Credential } from '../../model/credential.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import type { Grant, GroupGrant, OwnGrant } from '../../model/grant.ts';
import { limitsInForce, type WeighedGrant, weighGrants } from '../../model/grant-in-effect.ts';
import type { Limit } from '../../model/limit.ts';
import { type Plan, planFor } from '../../model/plan.ts';

/** A consumer and an endpoint, with what decides whether the one may call the other. */
export interface AccessQuestion {
  readonly endpoint: Endpoint;
  readonly consumer: Consumer;
  /** All of the consumer. */
  readonly credentials: readonly Credential[];
  /** The consumer's own grant on the endpoint. */
  readonly own: OwnGrant | null;
  /** The endpoint's grants for groups. */
  readonly groups: readonly GroupGrant[];
  /** All plans. */
  readonly plans: readonly Plan[];
  /** The address that the consumer calls from; absent for any that its lists allow. */
  readonly from?: string;
}

/** Why a consumer may not call an endpoint. */
export interface Obstacle {
  readonly code: 'endpoint-disabled' | 'consumer-disabled' | 'no-grant' | 'no-credential' | 'address-not-allowed';
  readonly what: string;
}

/** Whether a consumer may call an endpoint at a time, by what, and until when. */
export interface Access {
  /** What stands in the way; empty when the consumer may. */
  readonly obstacles: readonly Obstacle[];
  /** The grant in effect; null without one, and on open endpoints, which look at none. */
  readonly grant: Grant | null;
  /** The limits of the consumer's requests. */
  readonly limits: readonly Limit[];
  /** The plan whose limits hold beside them; null without one. */
  readonly plan: Plan | null;
  /** When this changes by time alone: the grant in effect ends, or the last credential that works. Null for never. */
  readonly endsAt: number | null;
  /** The ids of the credentials that work. */
  readonly credentialIds: readonly string[];
  /** Every grant on the endpoint that could be the consumer's, and what became of it. */
  readonly weighed: readonly WeighedGrant[];
}

/** Judges as a check would of a request with right proof, but for limits (spec §4.1). */
export function judgeAccess(question: AccessQuestion, nowSeconds: number): Access {
  const { endpoint, consumer, own, groups, plans } = question;
  const disabled: readonly Obstacle[] = endpoint.enabled ? [] : [endpointDisabled(endpoint)];
  if (endpoint.scenario === 'open') {
    const nothing = { grant: null, plan: null, endsAt: null, credentialIds: [], weighed: [] };
    return { obstacles: disabled, limits: endpoint.limits, ...nothing };
  }
  const weighed = weighGrants(own, groups, consumer.labels, nowSeconds);
  const grant = weighed.find(({ outcome }) => outcome === 'in-effect')?.grant ?? null;
  const needsGrant = endpoint.accessCondition === 'authenticated-and-authorized';
  const usable = question.credentials.filter((each) => faultOf(each, question, nowSeconds) === null);
  const misplaced = usable.flatMap((each) => addressFaultOf(each, question) ?? []);
  const working = usable.filter((each) => addressFaultOf(each, question) === null);
  const ends = [grant?.expiresAt ?? null, latest(working.map(({ expiresAt }) => expiresAt))];
  const bounds = ends.filter((end) => end !== null);
  return {
    obstacles: [
      ...disabled,
      ...(consumer.enabled ? [] : [consumerDisabled(consumer)]),
      ...(needsGrant && grant === null ? [noGrant(endpoint, consumer, weighed)] : []),
      ...(usable.length === 0 ? [noCredential(question, nowSeconds)] : []),
      ...(working.length === 0 && misplaced.length > 0 ? [addressNotAllowed(misplaced)] : []),
    ],
    grant,
    limits: limitsInForce(endpoint.limits, grant),
    plan: planFor(plans, endpoint, consumer.labels),
    endsAt: bounds.length === 0 ? null : Math.min(...bounds),
    credentialIds: working.map(({ id }) => id),
    weighed,
  };
}

/** Why a credential does not work on the endpoint; null when it does. That its consumer is disabled is said apart. */
function faultOf(
  credential: Credential,
  { endpoint, consumer }: AccessQuestion,
  nowSeconds: number,
): { readonly detail: string } | null {
  if (endpoint.scenario === 'open') return null;
  const held = { credential, consumer: { ...consumer, enabled: true }, grants: new Map<string, OwnGrant>() };
  return findCredentialFault(held, endpoint.authentication, nowSeconds);
}

/** Why a credential that works does not from where the consumer calls; null where it does. */
function addressFaultOf(credential: Credential, { consumer, from }: AccessQuestion): string | null {
  if (from !== undefined) {
    return hasAddressList({ credential, consumer }) ? findAddressFault({ credential, consumer }, from) : null;
  }
  if (commonNetworks(consumer.allowFrom, credential.allowFrom)?.length !== 0) return null;
  return `no address is in the allowFrom of the consumer ${consumer.id} and of the credential ${credential.id}`;
}

function addressNotAllowed(misplaced: readonly string[]): Obstacle {
  const named = [...new Set(misplaced)];
  const more = named.length > MAX_NAMED ? ', …' : '';
  return { code: 'address-not-allowed', what: `${named.slice(0, MAX_NAMED).join(', ')}${more}` };
}

/** Null for never, and for none. */
function latest(ends: readonly (number | null)[]): number | null {
  return ends.length === 0 || ends.includes(null) ? null : Math.max(...ends.map((end) => end ?? 0));
}

function endpointDisabled({ id }: Endpoint): Obstacle {
  return {
    code: 'endpoint-disabled',
    what: `the endpoint ${id} is disabled: it refuses every request with 404`,
  };
}

function consumerDisabled({ id }: Consumer): Obstacle {
  return { code: 'consumer-disabled', what: `the consumer ${id} is disabled` };
}

function noGrant({ id }: Endpoint, consumer: Consumer, weighed: readonly WeighedGrant[]): Obstacle {
  const hasEnded = weighed.some(({ outcome }) => outcome === 'ended');
  return {
    code: 'no-grant',
    what: `${consumer.id} has ${hasEnded ? 'no grant that is live' : 'no grant'} on ${id}`,
  };
}

const MAX_NAMED = 3;

function noCredential(question: AccessQuestion, nowSeconds: number): Obstacle {
  const { endpoint, consumer, credentials } = question;
  const method = endpoint.authentication ?? '';
  const ofMethod = credentials.filter(({ methods }) => methods.some((each) => each === method));
  const why = ofMethod.slice(0, MAX_NAMED).flatMap((each) => faultOf(each, question, nowSeconds)?.detail ?? []);
  const more = ofMethod.length > MAX_NAMED ? ', …' : '';
  return {
    code: 'no-credential',
    what:
      why.length === 0
        ? `${consumer.id} has no credential for ${method}`
        : `${consumer.id} has no credential for ${method} that works: ${why.join(', ')}${more}`,
  };
}
