import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { type DeclaredReplica, declareReplica, STALE_MS } from '../../resources/changes/replicas.ts';
import { wholeRevision } from '../../model/store-revision.ts';
import { requirePermission } from './authenticate.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import type { JsonSchema } from './schema.ts';
import { answers, objectOf } from './shapes.ts';

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

const required = Object.keys(properties).filter((name) => name !== 'reason');
const replica = objectOf('Replica', { required, properties });

const list = z
  .object({
    storeRevision: z.number().int().openapi({ description: 'How far the changes of the store are.' }),
    items: z.array(replica),
  })
  .openapi('Replicas');

/** Adds the route that shows what serves the store, and which changes are in force there. */
export function addReplicas(api: OpenAPIHono<ApiEnvironment>, { store: { replicas } }: ApiPorts): void {
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
        (each): Record<string, unknown> => ({ ...declareReplica(each, latest) }),
      );
      return context.json({ storeRevision: wholeRevision(latest), items }, 200);
    },
  );
}
