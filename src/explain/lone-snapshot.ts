import { hashAppKey } from '../model/app-key.ts';
import { Secret } from '../model/secret.ts';
import { compileSnapshot, type Snapshot } from '../store/snapshot.ts';
import type { ExplainableEndpoint } from './sent-identity.ts';

const ID = 'caller';

/**
 * A store that holds one endpoint and one credential which may call it, for explaining where no store is at hand.
 * `appKey` null: there is no credential. On a key endpoint `secret` is of no account.
 */
export function loneSnapshot(endpoint: ExplainableEndpoint, appKey: string | null, secret: string | null): Snapshot {
  const isKey = endpoint.authentication === 'key';
  const credential = {
    id: ID,
    consumerId: ID,
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
    consumers: [{ id: ID, name: null, description: '', labels: {}, enabled: true }],
    credentials: appKey === null ? [] : [credential],
    grants: [{ endpointId: endpoint.id, consumerId: ID, limits: null, expiresAt: null }],
  });
}
