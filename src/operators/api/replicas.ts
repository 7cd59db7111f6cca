import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import {
  type DeclaredReplica,
  declareReplica,
  forgetReplica,
  type Replica,
  STALE_MS,
} from '../../resources/changes/replicas.ts';
import { wholeRevision } from '../../model/store-revision.ts';
import { requirePermission } from './authenticate.ts';
import { operationOf, readMade } from './change.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { ApiProblem } from './problem.ts';
import type { JsonSchema } from './schema.ts';
import { answers, objectOf } from './shapes.ts';
import { reachesAll } from './sight.ts';

const properties = {
  id: { type: 'string', description: 'Chosen when its process starts.' },
  name: { type: 'string' },
  version: { type: 'string' },
  ready: { type: 'boolean' },
  stale: {
    type: 'boolean',
    description: `Not heard of for ${String(STALE_MS / 1000)} s: gone, or cut off and serving from memory.`,
  },
  reason: { type: 'string', description: 'Why it takes no checks.' },
  mode: { type: 'string', description: 'How changes come to it: `following`, `polling` or `waiting`.' },
  revision: { type: ['integer', 'null'], description: 'What it decides by; null until it knows.' },
  behind: { type: ['integer', 'null'], description: 'By how many revisions it is behind the store.' },
  lastSeenSeconds: { type: 'integer' },
  ageSeconds: { type: 'integer' },
} satisfies Record<keyof DeclaredReplica, JsonSchema>;

const exact = {
  type: 'object',
  description: 'For programs that wait: which commits it knows (`latest`, `underWay`), and spans in milliseconds.',
} as const;

const params = z.object({
  id: z
    .string()
    .regex(/^[0-9A-Za-z-]{1,64}$/)
    .openapi({ param: { name: 'id', in: 'path' }, example: '5f0c9e1ab27d' }),
});
const required = Object.keys(properties).filter((name) => name !== 'reason');
const replica = objectOf('Replica', { required, properties: { ...properties, exact } });

const list = z
  .object({
    storeRevision: z.number().int().openapi({ description: 'How far the changes of the store are.' }),
    latest: z.number().int().openapi({ description: 'The last revision that was taken.' }),
    underWay: z.array(z.number().int()).openapi({ description: 'Those before it whose changes have not ended.' }),
    items: z.array(replica),
  })
  .openapi('Replicas');

/** Adds the route that shows what serves the store, and which changes are in force there. */
export function addReplicas(api: OpenAPIHono<ApiEnvironment>, { store: { replicas, audit } }: ApiPorts): void {
  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/replicas',
      tags: ['Service'],
      operationId: 'listReplicas',
      summary: 'The replicas that serve the store, and the revision that each has in force.',
      responses: answers({ 200: list }),
    }),
    async (context) => {
      requirePermission(context.get('operator'), 'read');
      const latest = await replicas.storeRevision();
      const items = (await replicas.list()).map(
        (each): Record<string, unknown> => ({ ...declareReplica(each, latest), exact: declareExact(each) }),
      );
      const { latest: last, underWay } = latest;
      return context.json({ storeRevision: wholeRevision(latest), latest: last, underWay: [...underWay], items }, 200);
    },
  );
  api.openapi(
    createRoute({
      method: 'delete',
      path: '/v1/replicas/{id}',
      tags: ['Service'],
      operationId: 'forgetReplica',
      summary: 'Forget a replica that is gone for good. One that runs reports again.',
      request: { params },
      responses: answers({ 200: z.object({ forgotten: z.string() }).openapi('ForgottenReplica') }),
    }),
    async (context) => {
      requirePermission(context.get('operator'), 'change-endpoints');
      if (!reachesAll(context.get('operator'))) throw new ApiProblem('FORBIDDEN', ONLY_UNBOUND);
      const { id } = context.req.valid('param');
      const { actor, action, reason } = operationOf(context.var, 'replica forget');
      await forgetReplica(id, {
        replicas,
        audit: { keep: (event) => readMade(audit.keep(event)) },
        actor,
        action,
        reason,
      });
      return context.json({ forgotten: id }, 200);
    },
  );
}

const ONLY_UNBOUND = 'an operator with labels forgets no replicas: they serve everybody';

function declareExact({ revision, ageMs, silentMs, servesForMs }: Replica): Record<string, unknown> {
  const known = revision === null ? {} : { latest: revision.latest, underWay: [...revision.underWay] };
  return { ...known, ageMs, silentMs, servesForMs };
}
