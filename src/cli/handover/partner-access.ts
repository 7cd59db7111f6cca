import { textOf } from '../../manage/generate-credential.ts';
import type { UsableEndpoint } from '../../manage/usable-endpoints.ts';
import type { PartnerEndpoint } from '../../model/endpoint.ts';
import { limitsInForce } from '../../model/grant-in-effect.ts';
import type { Limit } from '../../model/limit.ts';
import { requireResource } from '../store/read-store.ts';
import type { ResourceStore } from '../../manage/resource-store.ts';
import { readUsableEndpoints } from '../credential/handed-over.ts';
import { stateAt } from '../credential/shown-credential.ts';

/** What a partner may do with a credential. Holds no secret: not even an App Key, where that opens an endpoint alone. */
export interface PartnerAccess {
  readonly credentialId: string;
  /** How the partner is called. */
  readonly partner: string;
  /** Null where it is a secret, or where only its hash is kept. */
  readonly appKey: string | null;
  readonly isAppKeySecret: boolean;
  readonly hasAppSecret: boolean;
  /** Seconds since the epoch; null for no bound. */
  readonly notBefore: number | null;
  readonly expiresAt: number | null;
  /** Until when the former App Secret works; null when there is none. */
  readonly formerSecretEndsAt: number | null;
  readonly endpoints: readonly AccessibleEndpoint[];
}

/** An endpoint that lets the credential in. */
export interface AccessibleEndpoint {
  readonly endpoint: PartnerEndpoint;
  readonly limits: readonly Limit[];
  /** When the grant ends that it takes; null for never. */
  readonly endsAt: number | null;
}

/** A credential that no request gets in with, so that there is nothing to hand over. Its message says what to do. */
export class NothingToHandOver extends Error {
  override readonly name = 'NothingToHandOver';
}

/** Reads what a credential is good for. Rejects with `NotFound` and {@link NothingToHandOver}. No secret is read. */
export async function readPartnerAccess(store: ResourceStore, id: string, nowSeconds: number): Promise<PartnerAccess> {
  const { resource: credential } = await requireResource(store, 'credential', id);
  const { consumerId, methods, appKey, retiringSecret, notBefore, expiresAt } = credential;
  const state = stateAt(credential, nowSeconds);
  if (state === 'revoked' || state === 'expired') {
    throw new NothingToHandOver(`the credential ${id} is ${state}; "postern credential issue" creates another one`);
  }
  const { resource: consumer } = await requireResource(store, 'consumer', consumerId);
  if (!consumer.enabled) {
    throw new NothingToHandOver(
      `the consumer ${consumerId} is disabled, and so are its credentials; "postern consumer enable ${consumerId}"`,
    );
  }
  const usable = await readUsableEndpoints(store, credential, nowSeconds);
  if (usable.length === 0) {
    throw new NothingToHandOver(
      `no endpoint lets ${consumerId} in with ${methods.join(' or ')}; "postern grant add --endpoint ID --consumer ${consumerId}"`,
    );
  }
  // With several methods, an App Key that is public for one of them still opens the endpoints of method key.
  const isAppKeySecret = methods.includes('key');
  const isFormerLive = retiringSecret !== null && nowSeconds < retiringSecret.expiresAt;
  return {
    credentialId: id,
    partner: consumer.name ?? consumerId,
    appKey: isAppKeySecret || appKey === null ? null : textOf(appKey),
    isAppKeySecret,
    hasAppSecret: methods.some((method) => method !== 'key'),
    notBefore: notBefore !== null && nowSeconds < notBefore ? notBefore : null,
    expiresAt,
    formerSecretEndsAt: isFormerLive ? retiringSecret.expiresAt : null,
    endpoints: usable.map(accessibleEndpoint),
  };
}

function accessibleEndpoint({ endpoint, grant }: UsableEndpoint): AccessibleEndpoint {
  return {
    endpoint,
    limits: limitsInForce(endpoint.limits, grant),
    endsAt: endpoint.accessCondition === 'authenticated' ? null : (grant?.expiresAt ?? null),
  };
}
