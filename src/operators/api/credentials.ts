import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { ID_PATTERN } from '../../model/document/fields.ts';
import { type DueWish, readDuePage } from '../../resources/changes/due-credentials.ts';
import type { DueSpan } from '../../resources/changes/due-source.ts';
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
import { duePlaceText, readDuePlace, spansOf } from './due-query.ts';
import { credentialSchema, oneCredentialSchema, showCredential } from './credential-shapes.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { reachCredential, reaches, requireReached, selectorOf } from './reach.ts';
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
  status: z.enum(shownStates).optional().openapi({ description: 'Those that are worth this now.' }),
  expiringWithin: spanParam.optional().openapi({ description: 'Those that work, and end within this time.' }),
  unusedFor: spanParam.optional().openapi({ description: 'Those that work, and were not used for this time.' }),
  formerInUse: z.enum(['true', 'false']).default('false').openapi({
    description: 'Those whose former secret, or which as a former key, ends and is still used.',
  }),
});

/** Adds the routes that show credentials of consumers within reach, never with a secret. */
export function addCredentialReading(api: OpenAPIHono<ApiEnvironment>, { store, clock }: ApiPorts): void {
  const { resources, usage, due } = store;

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
        cursor: at,
        fields,
        consumer: consumerId,
        endpoint: endpointId,
        appKeyHash,
        ...wish
      } = context.req.valid('query');
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
      const { isWanted, isUseWanted, spans } = wishOf(wish, nowSeconds);
      const cursors = context.get('cursors');
      const isNarrowed = [consumerId, endpointId, appKeyHash].some((each) => each !== undefined);
      if (spans !== null && !isNarrowed) {
        const { shown, next } = await readDuePage(
          { resources, usage, due },
          { spans, labels: selectorOf(operator), isWanted, isUseWanted },
          { from: cursors.readPlace(at, (text) => readDuePlace(text, spans)), limit, nowSeconds },
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
        { from: cursors.readPlace(at, readPlace), limit, nowSeconds },
      );
      const items = shown.map((each) => ({ ...pick(showCredential(each, nowSeconds), fields) }));
      return context.json({ items, nextCursor: next === null ? null : cursors.after(placeText(next)) }, 200);
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

/** What the query of a list wishes of credentials. Throws `MALFORMED_REQUEST` for a span that is too long. */
function wishOf(
  { method, status, expiringWithin, unusedFor, formerInUse }: Omit<z.infer<typeof query>, 'limit'>,
  nowSeconds: number,
): Pick<DueWish, 'isWanted' | 'isUseWanted'> & { readonly spans: readonly DueSpan[] | null } {
  const ending = expiringWithin === undefined ? null : spanOf('expiringWithin', expiringWithin);
  const unused = unusedFor === undefined ? null : spanOf('unusedFor', unusedFor);
  const isFormerWanted = formerInUse === 'true';
  return {
    spans: spansOf({ endingSeconds: ending, isFormerWanted, unusedSeconds: unused }, nowSeconds),
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
