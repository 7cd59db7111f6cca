import type { Consumer } from '../../model/consumer.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { isGroupGrant, type OwnGrant } from '../../model/grant.ts';
import { grantId } from '../grant.ts';
import type { AccessQuestion } from './access.ts';
import { collectAll, listGroupGrants, listPlans, type ResourceStore } from './resource-store.ts';

/** Reads what decides whether a consumer may call an endpoint. */
export async function readAccessQuestion(
  store: ResourceStore,
  consumer: Consumer,
  endpoint: Endpoint,
): Promise<AccessQuestion> {
  const [question] = await readAccessQuestions(store, consumer, [endpoint]);
  if (question === undefined) throw new Error('there is one question for one endpoint');
  return question;
}

/** {@link readAccessQuestion} for several endpoints at once, in their order. */
export async function readAccessQuestions(
  store: ResourceStore,
  consumer: Consumer,
  endpoints: readonly Endpoint[],
): Promise<readonly AccessQuestion[]> {
  const consumerId = consumer.id;
  const ids = endpoints.map(({ id }) => grantId({ endpointId: id, consumerId }));
  const [only, ...others] = endpoints;
  const [held, grants, groups, plans] = await Promise.all([
    collectAll(store.list('credential', { consumerId, isSealed: true })),
    collectAll(store.list('grant', { ids })),
    listGroupGrants(store, others.length === 0 ? only?.id : undefined),
    listPlans(store),
  ]);
  const credentials = held.map(({ resource }) => resource);
  const own = new Map<string, OwnGrant>();
  for (const { resource } of grants) if (!isGroupGrant(resource)) own.set(resource.endpointId, resource);
  return endpoints.map((endpoint) => ({
    endpoint,
    consumer,
    credentials,
    own: own.get(endpoint.id) ?? null,
    groups: groups.filter(({ endpointId }) => endpointId === endpoint.id),
    plans,
  }));
}
