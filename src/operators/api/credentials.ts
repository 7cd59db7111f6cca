import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { ID_PATTERN } from '../../model/document/fields.ts';
import { type DueWish, readDuePage } from '../../resources/changes/due-credentials.ts';
import type { DueSpan } from '../../resources/changes/due-source.ts';
import { spansOf } from '../../resources/changes/due-spans.ts';
import { type CredentialPlace, readCredentialPage } from '../../resources/changes/page-credentials.ts';
import {
  endsWithin,
  isFormerInUse,
  isUnusedFor,
  shownStates,
  stateAt,
} from '../../resources/changes/shown-credential.ts';
import { readUsableEndpoints } from '../../resources/changes/usable-endpoints.ts';
import { authenticationMethods } from '../../model/endpoint.ts';
import { collectAll, type ResourceStore } from '../../resources/changes/resource-store.ts';
import type { Operator } from '../../model/operator.ts';
import type { ManagedCredential } from '../../resources/resource.ts';
import { requirePermission } from './authenticate.ts';
import { listByKeyEnd, listNewest } from './credential-lists.ts';
import { duePlaceText, readDuePlace } from './due-query.ts';
import { credentialSchema, oneCredentialSchema, showCredential } from './credential-shapes.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { reachCredential, reaches, requireReached, selectorOf } from './reach.ts';
import { type ListOrder, orderPlace, readOrder } from './list-order.ts';
import { KEY_END_PATTERN } from '../../resources/app-key-end.ts';
import { ApiProblem } from './problem.ts';
import { etagOf, idParam, listQuery, pick, spanOf, spanParam } from './request.ts';
import { answers, pageSchema } from './shapes.ts';

const tags = ['Credentials'];
const params = z.object({ id: idParam });
const idQuery = z.string().regex(ID_PATTERN).optional();

const query = listQuery.extend({
  consumer: idQuery.openapi({ description: 'Those of this consumer.' }),
  endpoint: idQuery.openapi({ description: 'Those that this endpoint lets in now.' }),
  method: z.enum(authenticationMethods).optional(),
  appKeyHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .openapi({ description: 'The one whose App Key has this SHA-256, in lower-case hex: whose key is it?' }),
  appKeyEnd: z.string().regex(KEY_END_PATTERN).optional().openapi({
    description:
      'Those whose App Key ends with these four characters, in the order of their ids. Goes without endpoint.',
  }),
  sort: z
    .enum(['id', '-createdAt', 'expiresAt', 'certificateEndsAt', 'lastUsedAt'])
    .default('id')
    .openapi({
      description:
        'By consumer and id; or the newest first; or those with an end, or on a certificate with a known one, the ' +
        'first to end first; or those that work, the longest unused first. The last three go without consumer, and ' +
        'all but the first without endpoint, appKeyHash, ' +
        'appKeyEnd, expiringWithin, unusedFor and formerInUse.',
    }),
  status: z.enum(shownStates).optional().openapi({ description: 'Those that are worth this now.' }),
  expiringWithin: spanParam.optional().openapi({ description: 'Those that work, and end within this time.' }),
  unusedFor: spanParam.optional().openapi({ description: 'Those that work, and were not used for this time.' }),
  formerInUse: z.enum(['true', 'false']).default('false').openapi({
    description: 'Those whose former secret, or which as a former key, ends and is still used.',
  }),
});

/** Adds the routes that show credentials of consumers within reach, never with a secret. */
export function addCredentialReading(api: OpenAPIHono<ApiEnvironment>, { store, clock }: ApiPorts): void {
  const { resources, usage, due, directory } = store;

  const totalOf = async (isAll: boolean): Promise<{ readonly total?: number }> =>
    isAll ? { total: await directory.count('credential') } : {};

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/credentials',
      tags,
      operationId: 'listCredentials',
      summary: 'The credentials of consumers within reach, in the order of consumers and then of their ids.',
      description:
        'A page may have fewer items than its limit and still a next one; it is empty only at the end. With ' +
        'expiringWithin, formerInUse or unusedFor, and without consumer, endpoint and appKeyHash, those come first ' +
        'that end first, or that were not used for longest.',
      request: { query },
      responses: answers({ 200: pageSchema('CredentialPage', credentialSchema) }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read');
      const {
        limit,
        cursor,
        fields,
        consumer: consumerId,
        endpoint: endpointId,
        appKeyHash,
        appKeyEnd,
        sort,
        ...wish
      } = context.req.valid('query');
      const named = { consumerId, endpointId, appKeyHash, appKeyEnd };
      requireSortable(sort, named, wish);
      if (consumerId !== undefined) await requireReached(operator, 'consumer', consumerId, resources);
      const endpoint =
        endpointId === undefined
          ? undefined
          : (await requireReached(operator, 'endpoint', endpointId, resources)).resource;
      const holder = appKeyHash === undefined ? null : await findHolder(operator, appKeyHash, resources);
      const isHolder = ({ id }: ManagedCredential): boolean => appKeyHash === undefined || id === holder?.id;
      // Of no consumer, where nobody within reach has it.
      if (appKeyHash !== undefined && holder === null) return context.json({ items: [], nextCursor: null }, 200);
      const nowSeconds = clock.nowSeconds();
      const { isWanted, isUseWanted, spans } = wishOf(wish, sort, nowSeconds);
      const cursors = context.get('cursors');
      const order = orderOf(sort);
      if (appKeyEnd !== undefined || order !== null) {
        const at = order ?? 'id';
        const place = readOrder(at, cursor, cursors);
        const chosen = {
          operator,
          limit,
          isWanted: (each: ManagedCredential) => isHolder(each) && isWanted(each),
          isUseWanted,
        };
        const { shown, last } =
          appKeyEnd === undefined
            ? await listNewest({ resources, usage }, { ...place, consumerId }, chosen)
            : await listByKeyEnd({ resources, usage, directory }, appKeyEnd, { ...place, consumerId }, chosen);
        const items = shown.map((each) => ({ ...pick(showCredential(each, nowSeconds), fields) }));
        const nextCursor = last === null ? null : cursors.after(orderPlace(at, last.resource.id, last));
        return context.json({ items, nextCursor, ...(await totalOf(isEach(named, wish, operator))) }, 200);
      }
      const isNarrowed = Object.values(named).some((each) => each !== undefined);
      if (spans !== null && !isNarrowed) {
        const { shown, next } = await readDuePage(
          { resources, usage, due },
          { spans, labels: selectorOf(operator), isWanted, isUseWanted },
          { from: cursors.readPlace(cursor, (text) => readDuePlace(text, spans)), limit, nowSeconds },
        );
        const items = shown.map((each) => ({ ...pick(showCredential(each, nowSeconds), fields) }));
        return context.json({ items, nextCursor: next === null ? null : cursors.after(duePlaceText(next)) }, 200);
      }
      const { shown, next } = await readCredentialPage(
        { resources, usage },
        {
          labels: operator.selector,
          consumerId: consumerId ?? holder?.consumerId,
          endpoint,
          isUseWanted,
          isWanted: (credential) => isHolder(credential) && isWanted(credential),
        },
        { from: cursors.readPlace(cursor, readPlace), limit, nowSeconds },
      );
      const items = shown.map((each) => ({ ...pick(showCredential(each, nowSeconds), fields) }));
      const nextCursor = next === null ? null : cursors.after(placeText(next));
      return context.json({ items, nextCursor, ...(await totalOf(isEach(named, wish, operator))) }, 200);
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/credentials/{id}',
      tags,
      operationId: 'showCredential',
      summary: 'One credential, without secrets, with the endpoints that let it in.',
      request: { params },
      responses: answers({ 200: oneCredentialSchema }, { 200: ['ETag'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read');
      const { id } = context.req.valid('param');
      const { credential: stored, consumer } = await reachCredential(operator, id, resources);
      const nowSeconds = clock.nowSeconds();
      const shown = { stored, usage: (await usage.usageOf([id])).get(id) ?? null };
      const isRefused = !consumer.enabled || ['revoked', 'expired'].includes(stateAt(stored.resource, nowSeconds));
      const usable = isRefused ? [] : await readUsableEndpoints(resources, stored.resource, nowSeconds);
      const endpoints = usable.map(({ endpoint }) => endpoint).filter((endpoint) => reaches(operator, endpoint));
      const body = { ...showCredential(shown, nowSeconds), endpoints: endpoints.map((endpoint) => endpoint.id) };
      return context.json(body, 200, { etag: etagOf(stored) });
    },
  );
}

/** The credential that has an App Key, by its hash; null for none within reach. */
async function findHolder(
  operator: Operator,
  appKeyHash: string,
  resources: ResourceStore,
): Promise<ManagedCredential | null> {
  const [stored] = await collectAll(resources.list('credential', { appKeyHashes: [appKeyHash] }));
  if (stored === undefined) return null;
  const consumer = await resources.find('consumer', stored.resource.consumerId);
  return consumer !== null && reaches(operator, consumer.resource) ? stored.resource : null;
}

type CredentialSort = z.infer<typeof query>['sort'];
type Wished = Pick<z.infer<typeof query>, 'method' | 'status' | 'expiringWithin' | 'unusedFor' | 'formerInUse'>;

/** What names few of all credentials. */
interface Named {
  readonly consumerId: string | undefined;
  readonly endpointId: string | undefined;
  readonly appKeyHash: string | undefined;
  readonly appKeyEnd: string | undefined;
}

/** Throws `MALFORMED_REQUEST` where a store has no index for what is asked. */
function requireSortable(sort: CredentialSort, named: Named, { expiringWithin, unusedFor, formerInUse }: Wished): void {
  const { consumerId, endpointId, appKeyHash, appKeyEnd } = named;
  if (appKeyEnd !== undefined && endpointId !== undefined) {
    throw new ApiProblem('MALFORMED_REQUEST', 'appKeyEnd goes without endpoint');
  }
  if (sort === 'id') return;
  const isDue = expiringWithin !== undefined || unusedFor !== undefined || formerInUse === 'true';
  const isNamed = [endpointId, appKeyHash, appKeyEnd].some((each) => each !== undefined);
  if (!isDue && !isNamed && (sort === '-createdAt' || consumerId === undefined)) return;
  throw new ApiProblem('MALFORMED_REQUEST', `sort=${sort} does not go with what else is asked; see the document`);
}

function orderOf(sort: CredentialSort): ListOrder | null {
  return sort === '-createdAt' ? sort : null;
}

function spansOfSort(sort: CredentialSort): readonly DueSpan[] | null {
  const whole = { afterMs: -Infinity, untilMs: Infinity };
  if (sort === 'expiresAt') return [{ order: 'end', ...whole }];
  if (sort === 'certificateEndsAt') return [{ order: 'certificate', ...whole }];
  return sort === 'lastUsedAt' ? [{ order: 'idle', ...whole }] : null;
}

/** Whether a list is of all credentials that there are. */
function isEach(named: Named, { method, status }: Wished, operator: Operator): boolean {
  const isNamed = Object.values(named).some((each) => each !== undefined);
  return !isNamed && method === undefined && status === undefined && selectorOf(operator) === undefined;
}

/** What the query of a list wishes of credentials. Throws `MALFORMED_REQUEST` for a span that is too long. */
function wishOf(
  { method, status, expiringWithin, unusedFor, formerInUse }: Wished,
  sort: CredentialSort,
  nowSeconds: number,
): Pick<DueWish, 'isWanted' | 'isUseWanted'> & { readonly spans: readonly DueSpan[] | null } {
  const ending = expiringWithin === undefined ? null : spanOf('expiringWithin', expiringWithin);
  const unused = unusedFor === undefined ? null : spanOf('unusedFor', unusedFor);
  const isFormerWanted = formerInUse === 'true';
  return {
    spans: spansOfSort(sort) ?? spansOf({ endingSeconds: ending, isFormerWanted, unusedSeconds: unused }, nowSeconds),
    isWanted: (credential) =>
      (method === undefined || credential.methods.includes(method)) &&
      (status === undefined || stateAt(credential, nowSeconds) === status) &&
      (ending === null || endsWithin(credential, ending, nowSeconds)),
    isUseWanted: (shown) =>
      (unused === null || isUnusedFor(shown, unused, nowSeconds)) &&
      (!isFormerWanted || isFormerInUse(shown, nowSeconds)),
  };
}

/** `acme/acme-hmac`, or `acme/` for behind all of a consumer. */
function placeText({ consumerId, credentialId }: CredentialPlace): string {
  return `${consumerId}/${credentialId ?? ''}`;
}

function readPlace(text: string): CredentialPlace | null {
  const [consumerId = '', credentialId = '', ...rest] = text.split('/');
  const isPlace = ID_PATTERN.test(consumerId) && (credentialId === '' || ID_PATTERN.test(credentialId));
  if (!isPlace || rest.length > 0 || !text.includes('/')) return null;
  return { consumerId, credentialId: credentialId === '' ? null : credentialId };
}
