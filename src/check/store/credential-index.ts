import { hashAppKey, isAppKey } from '../../model/app-key.ts';
import { isGroupGrant, type OwnGrant } from '../../model/grant.ts';
import type { CredentialSource, GrantsByEndpoint, HeldCredential } from './credential-source.ts';
import type { StoreState } from './check-store.ts';

const noGrants: GrantsByEndpoint = new Map();

/**
 * Indexes credentials by the hashes of their App Keys. The look-up compares only hashes, so its time shows nothing
 * about App Keys that exist: for `key` endpoints they are secrets (spec §3).
 */
export function compileCredentialIndex({
  credentials,
  consumers,
  grants,
}: Pick<StoreState, 'credentials' | 'consumers' | 'grants'>): CredentialSource {
  const consumerById = new Map(consumers.map((consumer) => [consumer.id, consumer]));
  const grantsByConsumer = new Map<string, Map<string, OwnGrant>>();
  for (const grant of grants) {
    if (isGroupGrant(grant)) continue;
    const byEndpoint = grantsByConsumer.get(grant.consumerId) ?? new Map<string, OwnGrant>();
    grantsByConsumer.set(grant.consumerId, byEndpoint.set(grant.endpointId, grant));
  }
  const held = new Map<string, HeldCredential>();
  for (const credential of credentials) {
    const consumer = consumerById.get(credential.consumerId);
    if (consumer === undefined) throw new Error(`credential ${credential.id} belongs to no consumer`);
    held.set(credential.appKeyHash, { credential, consumer, grants: grantsByConsumer.get(consumer.id) ?? noGrants });
  }
  return {
    findByAppKey: (appKey, knownHash) => {
      const appKeyHash = knownHash ?? (isAppKey(appKey) ? hashAppKey(appKey) : null);
      return appKeyHash === null ? null : (held.get(appKeyHash) ?? null);
    },
    canKnow: () => true,
  };
}
