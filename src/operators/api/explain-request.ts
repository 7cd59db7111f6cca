import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import type { RefusalRecord } from '../../check/refusals/refusal-record.ts';
import type { Operator } from '../../model/operator.ts';
import { explainSent } from '../../partners/explain/sent-request.ts';
import { UnreadableSecret } from '../../partners/explain/stored-caller.ts';
import {
  collectAll,
  Conflict,
  type ResourceStore,
  type Selection,
  takeFirst,
} from '../../resources/changes/resource-store.ts';
import type { ManagedCredential, ResourceKind, ResourceOf, Stored } from '../../resources/resource.ts';
import { addAction } from './action-route.ts';
import { requirePermission } from './authenticate.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { invalidResource } from './problem.ts';
import { reachedIds, selectorOf, withinReach } from './reach.ts';
import { MAX_OF_ID, notKept, refusalParams } from './refusals.ts';
import { answers, objectOf } from './shapes.ts';
import { seesRefusal } from './sight.ts';

const text = { type: 'string' } as const;
const explained = objectOf('ExplainedRequest', {
  properties: {
    verdict: { ...text, enum: ['right', 'right-but-old', 'wrong', 'unexplained', 'unjudged'] },
    mistakes: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: text, what: text, fix: text, command: text },
        required: ['name', 'what', 'fix'],
      },
    },
    text: { ...text, description: 'What `postern explain` says, in lines.' },
  },
  required: ['verdict', 'mistakes', 'text'],
});
const body = z
  .object({
    request: z.string().min(1).openapi({ description: 'A curl command, raw HTTP or a HAR. It is not kept.' }),
  })
  .strict();

/** Adds the route that explains a refusal by its request, for those who have neither the database nor the key ring. */
export function addRequestExplaining(api: OpenAPIHono<ApiEnvironment>, { store }: ApiPorts): void {
  const { resources, refusals } = store;
  addAction(
    api,
    createRoute({
      method: 'post',
      path: '/v1/refusals/{requestId}:explain',
      tags: ['Refusals'],
      operationId: 'explainRequest',
      summary: 'What was wrong with a refused request, found in the request itself. Changes nothing.',
      request: {
        params: refusalParams,
        body: { required: true, content: { 'application/json': { schema: body } } },
      },
      responses: answers({ 200: explained }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read-traces');
      const { requestId } = context.req.valid('param');
      const { request } = context.req.valid('json');
      const found = await takeFirst(refusals.find({ requestId, limit: MAX_OF_ID }).records, MAX_OF_ID);
      const record = found.find((each) => each.requestId === requestId && seesRefusal(operator, each));
      if (record === undefined) throw notKept(requestId);
      const within = credentialsWithinReach(operator, resources);
      const endpoint = await requireEndpointOf(record, within);
      const endpoints = await collectAll(resources.list('endpoint', { labels: selectorOf(operator) }));
      try {
        const answer = await explainSent({
          text: request,
          record,
          endpoint,
          endpoints: endpoints.map(({ resource }) => resource),
          resources: within,
        });
        if ('problem' in answer) {
          throw invalidResource([{ path: 'request', pointer: '/request', message: answer.problem }]);
        }
        const { verdict, mistakes } = answer.explanation;
        return context.json({ verdict, mistakes: mistakes.map((each) => ({ ...each })), text: answer.text }, 200);
      } catch (error) {
        if (error instanceof UnreadableSecret) throw new Conflict(error.message, { cause: error });
        throw error;
      }
    },
  );
}

async function requireEndpointOf(
  { endpointId }: RefusalRecord,
  resources: Pick<ResourceStore, 'find'>,
): Promise<ResourceOf['endpoint']> {
  const stored = endpointId === null ? null : await resources.find('endpoint', endpointId);
  if (stored !== null) return stored.resource;
  throw new Conflict('the endpoint that refused the request is no longer there, so the request cannot be explained');
}

/**
 * The same resources, in which nothing of a consumer beyond reach is found: the App Key of a request may be anyone's.
 */
function credentialsWithinReach(
  operator: Operator,
  resources: Pick<ResourceStore, 'find' | 'list'>,
): Pick<ResourceStore, 'find' | 'list'> {
  if (selectorOf(operator) === undefined) return resources;
  return {
    find: withinReach(operator, resources).find,
    list: <K extends ResourceKind>(kind: K, selection?: Selection) =>
      kind === 'credential'
        ? reachedOf(operator, resources.list(kind, selection), resources)
        : resources.list(kind, selection),
  };
}

async function* reachedOf<K extends ResourceKind>(
  operator: Operator,
  found: AsyncIterable<Stored<ResourceOf[K]>>,
  resources: Pick<ResourceStore, 'list'>,
): AsyncGenerator<Stored<ResourceOf[K]>> {
  const all = await collectAll(found);
  const ownerOf = ({ resource }: Stored<ResourceOf[K]>): string => (resource as ManagedCredential).consumerId;
  const reached = await reachedIds(operator, 'consumer', [...new Set(all.map(ownerOf))], resources);
  yield* all.filter((each) => reached.has(ownerOf(each)));
}
