import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { equal } from '../../base/text/equal.ts';
import { ID_PATTERN } from '../../model/document/fields.ts';
import { isUnopened } from '../../model/keyring/sealed.ts';
import { secretsIn } from '../../model/material.ts';
import { MAX_APP_SECRET_CHARACTERS } from '../../resources/app-secret.ts';
import { notFound } from '../../resources/changes/resource-store.ts';
import { requirePermission } from './authenticate.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { reachedIds, selectorOf } from './reach.ts';
import { answers, bodyOf } from './shapes.ts';

/** Credentials of one question, each once: who guesses is as slow as requests are. */
export const MAX_COMPARED = 500;
/** A current and a former one. */
const MAX_SECRETS = 2;

const body = z
  .object({
    items: z
      .array(
        z
          .object({
            id: z.string().regex(ID_PATTERN),
            // Characters of the schema may be two of JavaScript's.
            secrets: z
              .array(z.string().max(2 * MAX_APP_SECRET_CHARACTERS))
              .min(1)
              .max(MAX_SECRETS),
          })
          .strict(),
      )
      .min(1)
      .max(MAX_COMPARED),
  })
  .strict()
  .openapi('SecretComparison');
const compared = z
  .object({
    items: z.array(
      z.object({
        id: z.string(),
        paths: z
          .array(z.enum(['appSecret', 'retiringSecret.appSecret']).nullable())
          .openapi({ description: 'Of each secret that was sent: which of the stored ones it is; null for none.' }),
      }),
    ),
  })
  .openapi('ComparedSecrets');

/** Adds the route that says whether secrets are those of the store, which it never gives. */
export function addSecretComparing(api: OpenAPIHono<ApiEnvironment>, { store: { resources } }: ApiPorts): void {
  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/credentials:compare',
      tags: ['Commands'],
      operationId: 'compareSecrets',
      summary: 'Whether App Secrets that the caller has are those of the store. Changes nothing.',
      description: 'For `postern apply` and `postern diff`. Needs the role that may set new ones.',
      request: { body: bodyOf(body) },
      responses: answers({ 200: compared }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'change-consumers');
      const { items } = context.req.valid('json');
      const asked = new Map(items.map(({ id, secrets }) => [id, secrets]));
      const found: { id: string; consumerId: string; paths: ('appSecret' | 'retiringSecret.appSecret' | null)[] }[] =
        [];
      for await (const { resource } of resources.list('credential', { ids: [...asked.keys()] })) {
        const { id, consumerId, material } = resource;
        const stored = [...secretsIn(material)].filter(([, secret]) => !isUnopened(secret));
        const paths = (asked.get(id) ?? []).map((text) => {
          const given = Buffer.from(text, 'utf8');
          return stored.find(([, secret]) => equal(secret.reveal(), given))?.[0] ?? null;
        });
        found.push({ id, consumerId, paths });
      }
      const owners = [...new Set(found.map(({ consumerId }) => consumerId))];
      const reached =
        selectorOf(operator) === undefined ? null : await reachedIds(operator, 'consumer', owners, resources);
      const seen = found.filter(({ consumerId }) => reached === null || reached.has(consumerId));
      const missing = [...asked.keys()].find((id) => !seen.some((each) => each.id === id));
      if (missing !== undefined) throw notFound('credential', missing, []);
      return context.json({ items: seen.map(({ id, paths }) => ({ id, paths })) }, 200);
    },
  );
}
