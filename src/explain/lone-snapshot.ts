import { hashAppKey } from '../model/app-key.ts';
import type { PartnerEndpoint } from '../model/endpoint.ts';
import { Secret } from '../model/secret.ts';
import { compileSnapshot, type Snapshot } from '../store/snapshot.ts';
import type { SentIdentity } from './sent-identity.ts';

const ID = 'caller';

/**
 * A store that holds one endpoint and one credential which may call it, for explaining where no store is at hand.
 * `appKey` null: there is no credential. On a key endpoint `secret` is of no account. With `claims`, the credential is the
 * one that an access token names.
 */
export function loneSnapshot(
  endpoint: PartnerEndpoint,
  appKey: string | null,
  secret: string | null,
  claims: SentIdentity['claims'],
): Snapshot {
  const consumerId = claims?.consumerId ?? ID;
  const isKey = endpoint.authentication === 'key';
  const credential = {
    id: claims?.credentialId ?? ID,
    consumerId,
    methods: [endpoint.authentication],
    appKeyHash: hashAppKey(appKey ?? ''),
    appSecret: isKey ? null : Secret.fromText(secret ?? ''),
    retiringSecret: null,
    state: 'active',
    notBefore: null,
    expiresAt: null,
  } as const;
  return compileSnapshot({
    endpoints: [endpoint],
    consumers: [{ id: consumerId, name: null, description: '', labels: {}, enabled: true }],
    credentials: appKey === null ? [] : [credential],
    grants: [{ endpointId: endpoint.id, consumerId, limits: null, expiresAt: null }],
  });
}
