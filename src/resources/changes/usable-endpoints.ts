import type { Consumer } from '../../model/consumer.ts';
import type { Credential } from '../../model/credential.ts';
import type { Endpoint, PartnerEndpoint } from '../../model/endpoint.ts';
import { type Grant, type GroupGrant, isGroupGrant, type OwnGrant } from '../../model/grant.ts';
import { grantInEffect, rankGrants } from '../../model/grant-in-effect.ts';
import { collectAll, listEndpoints, listGroupGrants, type ResourceStore } from './resource-store.ts';

/** An endpoint that lets a credential's consumer in, and the grant in effect that it has there. */
export interface UsableEndpoint {
  readonly endpoint: PartnerEndpoint;
  /** Null where every authenticated caller is let in without one. */
  readonly grant: Grant | null;
}

/**
 * Where a credential can be used: enabled endpoints of its methods whose access condition its consumer meets now.
 * `grants` are the consumer's own and all for groups.
 */
export function usableEndpoints(
  { methods }: Pick<Credential, 'methods'>,
  endpoints: readonly Endpoint[],
  { labels }: Pick<Consumer, 'labels'>,
  grants: readonly Grant[],
  nowSeconds: number,
): readonly UsableEndpoint[] {
  const own = new Map(
    grants.filter((grant): grant is OwnGrant => !isGroupGrant(grant)).map((grant) => [grant.endpointId, grant]),
  );
  const groups = grants.filter((grant): grant is GroupGrant => isGroupGrant(grant));
  return endpoints.flatMap((endpoint): readonly UsableEndpoint[] => {
    if (endpoint.scenario === 'open' || !endpoint.enabled || !methods.includes(endpoint.authentication)) return [];
    const ranked = rankGrants(groups.filter(({ endpointId }) => endpointId === endpoint.id));
    const grant = grantInEffect(own.get(endpoint.id) ?? null, ranked, labels, nowSeconds);
    return grant === null && endpoint.accessCondition !== 'authenticated' ? [] : [{ endpoint, grant }];
  });
}

/** Where a credential can be used now, as the store has it with these grants added. */
export async function readUsableEndpoints(
  store: ResourceStore,
  credential: Pick<Credential, 'methods' | 'consumerId'>,
  nowSeconds: number,
  added: readonly Grant[] = [],
): Promise<readonly UsableEndpoint[]> {
  const { consumerId } = credential;
  const labels = (await store.find('consumer', consumerId))?.resource.labels ?? {};
  const own = (await collectAll(store.list('grant', { consumerId }))).map(({ resource }) => resource);
  const grants = [...own, ...added, ...(await listGroupGrants(store))];
  return usableEndpoints(credential, await listEndpoints(store), { labels }, grants, nowSeconds);
}
