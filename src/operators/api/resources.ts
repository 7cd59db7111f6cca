import { planConsumerDeletion, planConsumerEdit, planNewConsumer } from '../../resources/changes/plan-consumer.ts';
import { planEndpointDeletion, planEndpointEdit, planNewEndpoint } from '../../resources/changes/plan-endpoint.ts';
import { planIssuerDeletion, planIssuerEdit, planNewIssuer } from '../../resources/changes/plan-issuer.ts';
import { collectAll, listEndpoints, listIssuers } from '../../resources/changes/resource-store.ts';
import { consumerFields } from '../../model/consumer.ts';
import { declareWholeConsumer } from '../../resources/consumer.ts';
import { declareWholeEndpoint, endpointKind } from '../../resources/endpoint.ts';
import { declareWholeIssuer, storedIssuerKind } from '../../resources/issuer.ts';
import { formatPath } from '../../model/document/problem.ts';
import { warningsOfEndpoint } from '../../resources/warnings.ts';
import type { LabelledResource } from './labelled-resource.ts';

/** Consumers: partners who call. */
export const consumers: LabelledResource<'consumer'> = {
  kind: 'consumer',
  name: 'Consumer',
  plural: 'consumers',
  rules: { what: 'a consumer', fields: consumerFields, required: ['id'] },
  permission: 'change-consumers',
  declare: (consumer) => declareWholeConsumer(consumer),
  planNew: async (id, wish, resources) => planNewConsumer(id, wish, await resources.find('consumer', id)),
  planEdit: async (current, wish) => await Promise.resolve(planConsumerEdit(current, wish)),
  planDeletion: async (current, resources) => {
    const selection = { consumerId: current.resource.id };
    const credentials = await collectAll(resources.list('credential', selection));
    const grants = await collectAll(resources.list('grant', selection));
    return { changes: planConsumerDeletion(current, credentials, grants) };
  },
  deletion: 'Delete a consumer, revoke its credentials for good and remove its grants, all at once.',
};

/** Endpoints: what is protected. */
export const endpoints: LabelledResource<'endpoint'> = {
  kind: 'endpoint',
  name: 'Endpoint',
  plural: 'endpoints',
  rules: endpointKind,
  given: ['scenario'],
  permission: 'change-endpoints',
  declare: declareWholeEndpoint,
  warningsOf: (endpoint) => warningsOfEndpoint(endpoint).map(({ path, message }) => `${formatPath(path)}: ${message}`),
  planNew: async (id, wish, resources) => planNewEndpoint(id, wish, await listEndpoints(resources)),
  planEdit: async (current, wish, resources) => planEndpointEdit(current, wish, await listEndpoints(resources)),
  planDeletion: async (current, resources) => {
    const grants = await collectAll(resources.list('grant', { endpointId: current.resource.id }));
    return { changes: planEndpointDeletion(current, grants) };
  },
  deletion: 'Delete an endpoint with its grants: its requests may then belong to a wider one, or to none (404).',
};

/** Issuers: whose tokens stand for consumers. */
export const issuers: LabelledResource<'issuer'> = {
  kind: 'issuer',
  name: 'Issuer',
  plural: 'issuers',
  rules: { ...storedIssuerKind, required: ['id', 'issuer', 'audiences'] },
  permission: 'change-endpoints',
  declare: declareWholeIssuer,
  planNew: async (id, wish, resources) => planNewIssuer(id, wish, await listIssuers(resources)),
  planEdit: async (current, wish, resources) => planIssuerEdit(current, wish, await listIssuers(resources)),
  planDeletion: planIssuerDeletion,
  deletion: 'Delete an issuer that no credential names. To refuse its tokens, disable it.',
};
