import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { MAX_GRANT_HOLDER_CHARACTERS, MAX_LABEL_CHARACTERS } from '../../model/bounds.ts';
import { ID_PATTERN } from '../../model/document/fields.ts';
import type { Grant } from '../../model/grant.ts';
import { isGroupGrant } from '../../model/grant.ts';
import type { Operator } from '../../model/operator.ts';
import { type Plan, planBelongsTo } from '../../model/plan.ts';
import { collectAll, type Selection } from '../../resources/changes/resource-store.ts';
import { declareRecord } from '../../resources/changes/wire/record.ts';
import { idOfResource } from '../../resources/declare-resource.ts';
import {
  type ManagedCredential,
  type ResourceKind,
  resourceKinds,
  type ResourceOf,
  type Stored,
} from '../../resources/resource.ts';
import { requirePermission } from './authenticate.ts';
import { requireManager } from './operators.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { labelsWithin, reachedIds, selectorOf } from './reach.ts';
import { readPage } from './read-page.ts';
import { MAX_SEARCH_TEXT } from './request.ts';
import { answers, bodyOf, objectOf } from './shapes.ts';

/** Ids of one question at most. */
export const MAX_SELECTED_IDS = 3000;
const MAX_RECORDS = 500;
/** App Keys of one question, for who may not set any: each is a guess. */
const MAX_READ_HASHES = 1000;

const id = z.string().regex(ID_PATTERN);
/** Of a grant: its endpoint and its holder. */
const anyId = z.string().max(64 + MAX_GRANT_HOLDER_CHARACTERS);
const labelsBody = z.record(z.string().max(MAX_LABEL_CHARACTERS), z.string().max(MAX_LABEL_CHARACTERS));
const body = z
  .object({
    kind: z.enum(resourceKinds),
    ids: z.array(anyId).max(MAX_SELECTED_IDS).optional(),
    consumerIds: z.array(id).max(MAX_SELECTED_IDS).optional(),
    endpointIds: z.array(id).max(MAX_SELECTED_IDS).optional(),
    appKeyHashes: z
      .array(z.string().regex(/^[0-9a-f]{64}$/))
      .max(MAX_SELECTED_IDS)
      .optional()
      .openapi({
        description: `Credentials with these App Keys, by SHA-256. More than ${String(MAX_READ_HASHES)} are for roles that may set one.`,
      }),
    issuer: id.optional().openapi({ description: 'Credentials that name it.' }),
    forGroups: z.boolean().default(false).openapi({ description: 'Grants for groups only.' }),
    labels: labelsBody.optional().openapi({ description: 'Endpoints, consumers and issuers that carry all of these.' }),
    q: z
      .string()
      .min(1)
      .max(MAX_SEARCH_TEXT)
      .optional()
      .openapi({ description: 'As in the lists of endpoints and consumers.' }),
    after: anyId.optional().openapi({ description: 'Only those whose ids come after it: `next` of the page before.' }),
    limit: z.number().int().min(1).max(MAX_RECORDS).default(MAX_RECORDS),
  })
  .strict()
  .openapi('RecordSelection');

const time = { type: 'string', format: 'date-time' } as const;
const record = objectOf('ResourceRecord', {
  properties: {
    resource: { type: 'object', description: 'In the words of a declarative file, without secrets.' },
    revision: { type: 'integer', minimum: 1 },
    createdAt: time,
    updatedAt: time,
    known: {
      type: 'object',
      description:
        'Of a credential: whether its App Key is kept, and its hash, of a secret one only where it was asked for.',
    },
    usage: { type: 'object', description: 'Of a credential that was used: when.' },
  },
  required: ['resource', 'revision', 'createdAt', 'updatedAt'],
});
const page = z
  .object({
    items: z.array(record),
    next: z.string().nullable().openapi({ description: 'Where the next page begins; null for the last.' }),
  })
  .openapi('ResourceRecords');

/**
 * Adds the route by which commands read every kind of resource: as they are stored, in the order of their ids, within
 * the operator's reach.
 */
export function addRecords(api: OpenAPIHono<ApiEnvironment>, { store: { resources, usage } }: ApiPorts): void {
  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/resources:list',
      tags: ['Commands'],
      operationId: 'listResources',
      summary: 'Resources of one kind as commands read them. Changes nothing.',
      description: 'What is beyond reach is left out, also where it is asked for by its id.',
      request: { body: bodyOf(body) },
      responses: answers({ 200: page }),
    }),
    async (context) => {
      const operator = context.get('operator');
      const { kind, limit, ...wish } = context.req.valid('json');
      if (kind === 'operator') requireManager(operator);
      else requirePermission(operator, 'read');
      if ((wish.appKeyHashes ?? []).length > MAX_READ_HASHES) requirePermission(operator, 'change-consumers');
      const labels = labelsWithin(isLabelled(kind) ? operator : { ...operator, selector: {} }, wish.labels ?? {});
      if (labels === null) return context.json({ items: [], next: null }, 200);
      const selection: Selection = {
        ids: wish.ids,
        consumerIds: wish.consumerIds,
        endpointIds: wish.endpointIds,
        appKeyHashes: wish.appKeyHashes,
        issuerId: wish.issuer,
        isForGroup: wish.forGroups ? true : undefined,
        labels,
        namedLike: wish.q,
        after: wish.after,
        most: limit + 1,
      };
      const found = await readPage(
        resources.list<ResourceKind>(kind, selection),
        limit,
        async (some) => await within(operator, kind, some, resources),
        (each) => JSON.stringify(declareRecord(kind, each)).length,
      );
      const ids = kind === 'credential' ? found.shown.map(({ resource }) => idOfResource(resource)) : [];
      const used = ids.length === 0 ? new Map<string, never>() : await usage.usageOf(ids);
      const items = found.shown.map(
        (each): Record<string, unknown> => ({
          ...declareRecord(kind, each, {
            usage: used.get(idOfResource(each.resource)) ?? null,
            askedHashes: wish.appKeyHashes,
          }),
        }),
      );
      return context.json({ items, next: found.last === null ? null : idOfResource(found.last.resource) }, 200);
    },
  );
}

/** Whether resources of a kind are within reach by labels of their own. */
function isLabelled(kind: ResourceKind): boolean {
  return kind === 'endpoint' || kind === 'consumer' || kind === 'issuer';
}

/** Those of these ids that are there and within reach: what is beyond it is as if it were not there. */
export async function findReached(
  operator: Operator,
  kind: ResourceKind,
  ids: readonly string[],
  resources: ApiPorts['store']['resources'],
): Promise<readonly Stored<ResourceOf[ResourceKind]>[]> {
  const labels = isLabelled(kind) ? selectorOf(operator) : undefined;
  const found = await collectAll(resources.list<ResourceKind>(kind, { ids, labels }));
  return await within(operator, kind, found, resources);
}

/** Those that an operator reaches. Those with labels of their own were selected by them. */
async function within(
  operator: Operator,
  kind: ResourceKind,
  some: readonly Stored<ResourceOf[ResourceKind]>[],
  resources: ApiPorts['store']['resources'],
): Promise<readonly Stored<ResourceOf[ResourceKind]>[]> {
  if (selectorOf(operator) === undefined || isLabelled(kind)) return some;
  if (kind === 'plan') return some.filter(({ resource }) => planBelongsTo(resource as Plan, operator.selector));
  if (kind === 'credential') {
    const owners = some.map(({ resource }) => (resource as ManagedCredential).consumerId);
    const reached = await reachedIds(operator, 'consumer', [...new Set(owners)], resources);
    return some.filter(({ resource }) => reached.has((resource as ManagedCredential).consumerId));
  }
  if (kind === 'operator') return [];
  const grants = some as readonly Stored<Grant>[];
  const holders = grants.flatMap(({ resource }) => (isGroupGrant(resource) ? [] : [resource.consumerId]));
  const endpoints = grants.map(({ resource }) => resource.endpointId);
  const reachedEndpoints = await reachedIds(operator, 'endpoint', [...new Set(endpoints)], resources);
  const reachedHolders = await reachedIds(operator, 'consumer', [...new Set(holders)], resources);
  return grants.filter(
    ({ resource }) =>
      reachedEndpoints.has(resource.endpointId) && (isGroupGrant(resource) || reachedHolders.has(resource.consumerId)),
  );
}
