import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { ID_PATTERN } from '../../model/document/fields.ts';
import { listFewFirst } from '../../resources/changes/few-first.ts';
import { findGrant, type ResourceStore } from '../../resources/changes/resource-store.ts';
import { MAX_GRANT_HOLDER_CHARACTERS } from '../../model/bounds.ts';
import { type Grant, isGroupGrant } from '../../model/grant.ts';
import type { Operator } from '../../model/operator.ts';
import { declareVersion } from '../../resources/declare-resource.ts';
import type { Declared } from '../../resources/declared.ts';
import {
  declareGrant,
  endpointOfShortId,
  grantId,
  grantKind,
  parseGrantId,
  shownGrantId,
  storedGrantKind,
} from '../../resources/grant.ts';
import type { Stored } from '../../resources/resource.ts';
import { requirePermission } from './authenticate.ts';
import type { Cursors } from './cursors.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { ApiProblem } from './problem.ts';
import { reachedIds, reachGrant, requireReached, selectorOf } from './reach.ts';
import { readPage } from './read-page.ts';
import { etagOf, listQuery, pick } from './request.ts';
import { answers, besideWarnings, pageSchema, shownResource } from './shapes.ts';

/** The section of the API document that has the routes of grants. */
export const grantTags = ['Grants'];

/** A grant as it is shown; where it was just made, with what is most probably not meant in it. */
export const grantSchema = shownResource(
  'Grant',
  { ...grantKind, fields: { id: storedGrantKind.fields.id, ...grantKind.fields } },
  besideWarnings,
);

const idQuery = z.string().regex(ID_PATTERN).optional();
/** The id of a grant in Base64: `endpoint/holder`. */
const MAX_CURSOR = Math.ceil(((63 + 1 + MAX_GRANT_HOLDER_CHARACTERS) * 4) / 3);

const query = listQuery.extend({
  endpoint: idQuery.openapi({ description: 'Those on this endpoint.' }),
  consumer: idQuery.openapi({ description: 'The own grants of this consumer.' }),
  cursor: z
    .string()
    .max(MAX_CURSOR)
    .optional()
    .openapi({ description: 'The `nextCursor` of the page before; the first page without it.' }),
  forGroups: z.enum(['true', 'false']).default('false').openapi({ description: 'Those for groups only.' }),
});

/** What names a grant in a path: its endpoint, and the consumer or the labels of the group. */
export const grantParams = z.object({
  endpoint: z
    .string()
    .regex(ID_PATTERN)
    .openapi({ param: { name: 'endpoint', in: 'path' }, example: 'orders' }),
  holder: z
    .string()
    .max(MAX_GRANT_HOLDER_CHARACTERS)
    .openapi({
      param: { name: 'holder', in: 'path' },
      description:
        'The consumer, or the labels of the group, or `~` and a hash of too many labels: what the `id` of the grant has behind the slash.',
      example: 'tier=gold',
    }),
});

/** The path of one grant. */
export const grantPath = '/v1/grants/{endpoint}/{holder}';

/** Adds the routes that show grants on endpoints within reach. */
export function addGrantReading(api: OpenAPIHono<ApiEnvironment>, { store: { resources } }: ApiPorts): void {
  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/grants',
      tags: grantTags,
      operationId: 'listGrants',
      summary: 'The grants within reach, in the order of their ids.',
      description: 'A page may have fewer items than its limit, and still a next one.',
      request: { query },
      responses: answers({ 200: pageSchema('GrantPage', grantSchema) }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read');
      const {
        limit,
        cursor: at,
        fields,
        endpoint: endpointId,
        consumer: consumerId,
        forGroups,
      } = context.req.valid('query');
      if (consumerId !== undefined) await requireReached(operator, 'consumer', consumerId, resources);
      if (endpointId !== undefined) await requireReached(operator, 'endpoint', endpointId, resources);
      const endpointIds = endpointId === undefined ? await endpointsWithin(operator, resources) : [endpointId];
      const cursors = context.get('cursors');
      const after = await placeOf(cursors, at, { endpointIds, resources });
      const isForGroup = forGroups === 'true' ? true : undefined;
      const listed = listFewFirst(
        resources,
        'grant',
        { endpointIds, consumerId, isForGroup, after },
        { most: limit + 1, idOf: grantId },
      );
      const { shown, last } = await readPage(
        listed,
        limit,
        async (some) => await holdersWithin(operator, some, resources),
        ({ resource }) => JSON.stringify(resource).length,
        // Who reaches everything gets each of them.
        selectorOf(operator) === undefined ? limit + 1 : undefined,
      );
      const nextCursor = last === null ? null : cursors.after(shownGrantId(last.resource));
      return context.json({ items: shown.map((each) => ({ ...pick(showGrant(each), fields) })), nextCursor }, 200);
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: grantPath,
      tags: grantTags,
      operationId: 'showGrant',
      summary: 'One grant.',
      request: { params: grantParams },
      responses: answers({ 200: grantSchema }, { 200: ['ETag'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read');
      const { endpoint, holder } = context.req.valid('param');
      const stored = await reachGrant(operator, `${endpoint}/${holder}`, resources);
      return context.json(showGrant(stored), 200, { etag: etagOf(stored) });
    },
  );
}

/** A grant with what names it, and its version. */
export function showGrant(stored: Stored<Grant>): Declared {
  return { id: shownGrantId(stored.resource), ...declareGrant(stored.resource), ...declareVersion(stored) };
}

/** The id behind which a page begins; undefined for the first page. */
async function placeOf(
  cursors: Cursors,
  at: string | undefined,
  {
    endpointIds,
    resources,
  }: { readonly endpointIds: readonly string[] | undefined; readonly resources: ResourceStore },
): Promise<string | undefined> {
  const isId = (text: string): boolean => parseGrantId(text) !== null || endpointOfShortId(text) !== null;
  const id = cursors.readPlace(at, (text) => (isId(text) ? text : null));
  const endpointId = id === null ? null : endpointOfShortId(id);
  if (id === null || endpointId === null) return id ?? undefined;
  const isListed = endpointIds === undefined || endpointIds.includes(endpointId);
  const last = isListed ? await findGrant(resources, id) : null;
  if (last !== null) return grantId(last.resource);
  throw new ApiProblem('MALFORMED_REQUEST', 'cursor is behind a grant that was removed since; read the list again');
}

/** Undefined for all. There are as many endpoints as an operator writes. */
async function endpointsWithin(operator: Operator, resources: ResourceStore): Promise<readonly string[] | undefined> {
  const labels = selectorOf(operator);
  if (labels === undefined) return undefined;
  const ids: string[] = [];
  for await (const { resource } of resources.list('endpoint', { labels })) ids.push(resource.id);
  return ids;
}

/** Grants without the own ones of consumers beyond reach. */
async function holdersWithin(
  operator: Operator,
  grants: readonly Stored<Grant>[],
  resources: ResourceStore,
): Promise<readonly Stored<Grant>[]> {
  if (selectorOf(operator) === undefined) return grants;
  const ids = grants.flatMap(({ resource }) => (isGroupGrant(resource) ? [] : [resource.consumerId]));
  const reached = await reachedIds(operator, 'consumer', ids, resources);
  return grants.filter(({ resource }) => isGroupGrant(resource) || reached.has(resource.consumerId));
}
