import { textOf } from '../../resources/changes/generate-credential.ts';
import { listPlans, notFound, type ResourceStore } from '../../resources/changes/resource-store.ts';
import { stateAt } from '../../resources/changes/shown-credential.ts';
import { readUsableEndpoints, type UsableEndpoint } from '../../resources/changes/usable-endpoints.ts';
import { commonNetworks, declareAddressList } from '../../model/address-list.ts';
import type { Endpoint, PartnerEndpoint } from '../../model/endpoint.ts';
import { limitsInForce } from '../../model/grant-in-effect.ts';
import type { Limit } from '../../model/limit.ts';
import { type Plan, planFor, type PlanLimit } from '../../model/plan.ts';
import type { Issuer } from '../../model/issuer.ts';
import { formerEndOf, type Material } from '../../model/material.ts';
import type { PublicKey } from '../../model/public-key/public-key.ts';
import { knownByFields } from '../../resources/known-by.ts';
import type { ManagedCredential } from '../../resources/resource.ts';

/**
 * What a partner may do with a credential. Holds no secret: not even an App Key, where that opens an endpoint alone.
 */
export interface PartnerAccess {
  readonly credentialId: string;
  /** How the partner is called. */
  readonly partner: string;
  /** Null where it is a secret, or where only its hash is kept. */
  readonly appKey: string | null;
  /** Whether the App Key opens an endpoint alone, and so is a secret. */
  readonly opensAlone: boolean;
  readonly hasAppSecret: boolean;
  /** What it is known by, field by field, where it has no App Key; empty for one that has. */
  readonly knownBy: readonly (readonly [name: string, value: string])[];
  /** The key whose private half the partner proves with; null where it has none. */
  readonly publicKey: PublicKey | null;
  /** Seconds since the epoch; null for no bound. */
  readonly notBefore: number | null;
  readonly expiresAt: number | null;
  /** Until when the former App Secret or public key works; null when there is none. */
  readonly formerSecretEndsAt: number | null;
  /** The networks that it may be used from, as they are written; null for anywhere. */
  readonly allowFrom: readonly string[] | null;
  readonly endpoints: readonly AccessibleEndpoint[];
}

/** An endpoint that lets the credential in. */
export interface AccessibleEndpoint {
  readonly endpoint: PartnerEndpoint;
  readonly limits: readonly Limit[];
  /** Those of the plan that counts here, over all of its endpoints together; empty without one. */
  readonly planLimits: readonly PlanLimit[];
  /** When the grant ends that it takes; null for never. */
  readonly endsAt: number | null;
}

/** Why no request gets in with a credential, so that there is nothing to hand over. */
export interface NothingToHandOver {
  readonly code: 'revoked' | 'expired' | 'consumer-disabled' | 'no-address' | 'no-endpoint' | 'no-issuer';
  /** In a sentence. */
  readonly obstacle: string;
}

/**
 * Reads what a credential is good for; `isShown` says which endpoints may be named. Rejects with `NotFound` where its
 * consumer is gone. No secret is read.
 */
export async function readPartnerAccess(
  store: ResourceStore,
  credential: ManagedCredential,
  nowSeconds: number,
  isShown: (endpoint: Endpoint) => boolean = () => true,
): Promise<PartnerAccess | NothingToHandOver> {
  const { id, consumerId, methods, appKey, material, notBefore, expiresAt } = credential;
  const state = stateAt(credential, nowSeconds);
  if (state === 'revoked' || state === 'expired') return { code: state, obstacle: `the credential ${id} is ${state}` };
  const consumer = (await store.find('consumer', consumerId))?.resource;
  if (consumer === undefined) throw notFound('consumer', consumerId, []);
  if (!consumer.enabled) {
    const obstacle = `the consumer ${consumerId} is disabled, and so are its credentials`;
    return { code: 'consumer-disabled', obstacle };
  }
  const networks = commonNetworks(consumer.allowFrom, credential.allowFrom);
  if (networks?.length === 0) {
    const obstacle = `no address is in the allowFrom of the consumer ${consumerId} and of the credential ${id}`;
    return { code: 'no-address', obstacle };
  }
  const all = await readUsableEndpoints(store, credential, nowSeconds);
  const usable = all.filter(({ endpoint }) => isShown(endpoint));
  if (usable.length === 0) {
    return { code: 'no-endpoint', obstacle: `no endpoint lets ${consumerId} in with ${methods.join(' or ')}` };
  }
  const issuer = material.kind === 'token-claims' ? (await store.find('issuer', material.issuerId))?.resource : null;
  if (issuer === undefined || issuer?.enabled === false) {
    const obstacle = `the issuer of the credential ${id} is ${issuer === undefined ? 'not there' : 'disabled'}`;
    return { code: 'no-issuer', obstacle };
  }
  const plans = await listPlans(store);
  // With several methods, an App Key that is public for one of them still opens the endpoints of method key.
  const opensAlone = methods.includes('key');
  const formerEnd = formerEndOf(material);
  return {
    credentialId: id,
    partner: consumer.name ?? consumerId,
    appKey: opensAlone || appKey === null ? null : textOf(appKey),
    opensAlone,
    hasAppSecret: material.kind === 'shared-secret',
    knownBy: issuer === null ? knownByFields(material) : knownByTokens(material, issuer),
    publicKey: material.kind === 'public-key' ? material.publicKey : null,
    notBefore: notBefore !== null && nowSeconds < notBefore ? notBefore : null,
    expiresAt,
    formerSecretEndsAt: formerEnd !== null && nowSeconds < formerEnd ? formerEnd : null,
    allowFrom: networks === null ? null : declareAddressList(networks),
    endpoints: usable.map((each) => accessibleEndpoint(each, planFor(plans, each.endpoint, consumer.labels))),
  };
}

/** Partners know their issuer by what its tokens call it, and have to know for whom these must be. */
function knownByTokens(material: Material, { issuer, audiences }: Issuer): PartnerAccess['knownBy'] {
  const fields = knownByFields(material).map(([name, value]) => [name, name === 'issuer' ? issuer : value] as const);
  return [...fields, ['audience', audiences.join(' or ')]];
}

function accessibleEndpoint({ endpoint, grant }: UsableEndpoint, plan: Plan | null): AccessibleEndpoint {
  return {
    endpoint,
    limits: limitsInForce(endpoint.limits, grant),
    planLimits: plan?.limits ?? [],
    endsAt: endpoint.accessCondition === 'authenticated' ? null : (grant?.expiresAt ?? null),
  };
}
