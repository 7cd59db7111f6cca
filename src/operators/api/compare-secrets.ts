import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { equal } from '../../base/text/equal.ts';
import { Throttle, throttleLimits } from '../../base/throttle.ts';
import { ID_PATTERN } from '../../model/document/fields.ts';
import { isUnopened } from '../../model/keyring/sealed.ts';
import { type Material, type SecretPath, secretsIn } from '../../model/material.ts';
import { MAX_APP_SECRET_CHARACTERS } from '../../resources/app-secret.ts';
import { type AuditTrail, notFound } from '../../resources/changes/resource-store.ts';
import { idOfResource } from '../../resources/declare-resource.ts';
import type { ManagedCredential } from '../../resources/resource.ts';
import { requirePermission } from './authenticate.ts';
import type { ApiEnvironment, ApiPorts, ApiVariables } from './ports.ts';
import { ApiProblem } from './problem.ts';
import { findReached } from './records.ts';
import { answers, bodyOf } from './shapes.ts';

/** Credentials of one question, each once. */
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

/** What counting wrong secrets needs. */
interface GuessPorts {
  readonly audit: Pick<AuditTrail, 'keep'>;
  /** Of comparisons alone. */
  readonly throttle: Throttle;
}

/** Adds the route that says whether secrets are those of the store, which it never gives. */
export function addSecretComparing(api: OpenAPIHono<ApiEnvironment>, { store, clock }: ApiPorts): void {
  const { resources, audit } = store;
  const guesses = { audit, throttle: new Throttle(clock) };
  api.openapi(
    createRoute({
      method: 'post',
      path: comparisonPath,
      tags: ['Commands'],
      operationId: 'compareSecrets',
      summary: 'Whether App Secrets that the caller has are those of the store. Changes nothing.',
      description: `For \`postern apply\` and \`postern diff\`. Needs the role that may set new ones. After
${String(throttleLimits.failuresPerClient)} wrong ones of a credential in a minute no more are compared.`,
      request: { body: bodyOf(body) },
      responses: answers({ 200: compared }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'change-consumers');
      const asked = new Map(context.req.valid('json').items.map(({ id, secrets }) => [id, secrets]));
      const ids = [...asked.keys()];
      const reached = await findReached(operator, 'credential', ids, resources);
      const there = new Map(reached.map(({ resource }) => [idOfResource(resource), resource as ManagedCredential]));
      const missing = ids.find((id) => !there.has(id));
      if (missing !== undefined) throw notFound('credential', missing, []);
      for (const id of ids) {
        const retryAfter = guesses.throttle.findWait(operator.id, id);
        if (retryAfter !== null) throw new ApiProblem('TOO_MANY_REQUESTS', TOO_MANY_WRONG, { retryAfter });
      }
      const items = [...there].map(([id, { material }]) => ({ id, paths: placesOf(asked.get(id) ?? [], material) }));
      await countWrong(items, context.var, guesses);
      return context.json({ items }, 200);
    },
  );
}

const comparisonPath = '/v1/credentials:compare';
const TOO_MANY_WRONG = 'too many wrong secrets were compared with those of a credential';

/** Which of the stored secrets each text is; null for none. */
function placesOf(texts: readonly string[], material: Material): (SecretPath | null)[] {
  const stored = [...secretsIn(material)].filter(([, secret]) => !isUnopened(secret));
  return texts.map((text) => {
    const given = Buffer.from(text, 'utf8');
    return stored.find(([, secret]) => equal(secret.reveal(), given))?.[0] ?? null;
  });
}

/** Counts the wrong ones. The first credential of which they become too many is named in the audit trail. */
async function countWrong(
  items: readonly { readonly id: string; readonly paths: readonly (SecretPath | null)[] }[],
  { operator, via, reason }: Pick<ApiVariables, 'operator' | 'via' | 'reason'>,
  { audit, throttle }: GuessPorts,
): Promise<void> {
  for (const { id, paths } of items) {
    for (const path of paths) if (path === null) throttle.countFailure(operator.id, id);
  }
  const id = items.find((each) => throttle.findWait(operator.id, each.id) !== null)?.id;
  if (id === undefined) return;
  const most = String(throttleLimits.failuresPerClient);
  await audit.keep({
    actor: operator.id,
    action: `${via} refused POST ${comparisonPath}`,
    reason,
    kind: 'credential',
    id,
    refused: `${most} wrong secrets were compared with those of the credential "${id}" in a minute`,
  });
}
