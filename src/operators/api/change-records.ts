import { setImmediate as nextTurn } from 'node:timers/promises';
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { MAX_CHANGES_PER_COMMIT, MAX_GRANT_HOLDER_CHARACTERS, MAX_LABEL_CHARACTERS } from '../../model/bounds.ts';
import type { Operator } from '../../model/operator.ts';
import { wholeRevision } from '../../model/store-revision.ts';
import type { Change } from '../../resources/changes/change.ts';
import { LAST_ADMIN, takesLastAdmin } from '../../resources/changes/plan-operator.ts';
import { chunksOf, collectAll, Conflict, notFound, Outdated } from '../../resources/changes/resource-store.ts';
import { permissionFor } from '../../resources/changes/rights/judge-changes.ts';
import { isTooLarge } from '../../resources/changes/store-fault.ts';
import { idOfResource } from '../../resources/declare-resource.ts';
import { type ResourceKind, resourceKinds, type ResourceOf, type Stored } from '../../resources/resource.ts';
import { requirePermission } from './authenticate.ts';
import { commit, operationOf } from './change.ts';
import { requireManager } from './operators.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { ApiProblem, invalidResource } from './problem.ts';
import { selectorOf } from './reach.ts';
import { findReached } from './records.ts';
import { readSentChange, type Sent } from './read-sent-change.ts';
import { refuseForeign, refuseTaken } from './refuse-foreign.ts';
import { changeQuery } from './request.ts';
import { requireReverts } from './require-reverts.ts';
import { answers, bodyOf } from './shapes.ts';

/** The body of one request with changes: as many as one commit takes, of the usual size. */
export const MAX_CHANGES_BYTES = 4 * 1024 * 1024;
/** The path of the route, whose bodies may be longer than others. */
export const changesPath = '/v1/resources:change';
/** So many changes are read before others get their turn. */
const READ_AT_ONCE = 200;
const MAX_KEPT = 8;
/** Characters of a command, and of the place of a secret. */
const MAX_ACTION = 64;

const action = z
  .string()
  .max(MAX_ACTION)
  .regex(/^[a-z]+(?:[ -][a-z]+){0,4}$/)
  .openapi({ description: 'The command, for the audit trail.', example: 'consumer disable' });
const kept = z.enum(['appKey', 'appSecret', 'retiringSecret.appSecret']);
const sent = z
  .object({
    kind: z.enum(resourceKinds),
    id: z.string().max(64 + MAX_GRANT_HOLDER_CHARACTERS),
    before: z
      .number()
      .int()
      .min(1)
      .nullable()
      .openapi({ description: 'The revision that it was planned on; null for what is made.' }),
    after: z
      .record(z.string(), z.unknown())
      .nullable()
      .openapi({ description: 'In the words of a declarative file; null for what is deleted.' }),
    keeps: z
      .record(z.string().max(MAX_ACTION), kept)
      .refine((each) => Object.keys(each).length <= MAX_KEPT)
      .optional()
      .openapi({ description: 'Of a credential: its secrets that are those of the store, by their places.' }),
    reverts: z
      .object({ event: z.string().regex(/^[0-9a-f]{24}$/), storeRevision: z.number().int().min(0) })
      .strict()
      .optional()
      .openapi({ description: 'The event that this undoes.' }),
  })
  .strict()
  .openapi('SentChange');
const body = z
  .object({
    action,
    changes: z.array(sent).min(1).max(MAX_CHANGES_PER_COMMIT),
    selector: z
      .record(z.string().max(MAX_LABEL_CHARACTERS), z.string().max(MAX_LABEL_CHARACTERS))
      .optional()
      .openapi({ description: 'Labels that everything must belong to when it is changed.' }),
  })
  .strict()
  .openapi('SentChanges');
const made = z
  .object({
    dryRun: z.boolean(),
    revision: z.number().int().openapi({ description: "The store's revision with the changes." }),
  })
  .openapi('MadeChanges');

/** Adds the route by which commands make changes that they have planned: all at once, or none. */
export function addRecordChanges(api: OpenAPIHono<ApiEnvironment>, { store, clock }: ApiPorts): void {
  const { resources, replicas, audit } = store;
  api.openapi(
    createRoute({
      method: 'post',
      path: changesPath,
      tags: ['Commands'],
      operationId: 'changeResources',
      summary: 'Make planned changes at once, as commands do.',
      description: `Each says the revision that it was planned on. Secrets that it does not send stay as they are stored. At most
${String(MAX_CHANGES_PER_COMMIT)} changes and ${String(MAX_CHANGES_BYTES / 1024 / 1024)} MiB.`,
      request: { query: changeQuery, body: bodyOf(body) },
      responses: answers({ 200: made }),
    }),
    async (context) => {
      const operator = context.get('operator');
      const { action: verb, changes: wanted, selector } = context.req.valid('json');
      const isDryRun = context.req.valid('query').dryRun === 'true';
      for (const kind of new Set(wanted.map((each) => each.kind))) {
        if (kind === 'operator') requireManager(operator);
        else requirePermission(operator, permissionFor[kind]);
      }
      const planned = await readAll(wanted, { operator, resources, nowSeconds: clock.nowSeconds() });
      await refuseTaken(planned, operator, resources);
      await requireReverts(planned, operator, { resources, audit });
      const missing = await findMissing(planned, operator, resources);
      if (selector !== undefined) await refuseForeign(missing, operator, resources);
      const changes = [...planned, ...missing];
      const keepsManager = changes.some(({ kind }) => kind === 'operator');
      if (keepsManager) await requireOtherAdmin(changes, resources);
      const operation = { ...operationOf(context.var, verb), selector, keepsManager };
      try {
        const { revision } = await commit(changes, { resources, operation, isDryRun, keepsAll: true });
        const latest = revision ?? wholeRevision(await replicas.storeRevision());
        return context.json({ dryRun: isDryRun, revision: latest }, 200);
      } catch (error) {
        if (!isTooLarge(error)) throw error;
        throw new ApiProblem('BODY_TOO_LARGE', (error as Error).message);
      }
    },
  );
}

type Resources = ApiPorts['store']['resources'];

interface Reading {
  readonly operator: Operator;
  readonly resources: Resources;
  readonly nowSeconds: number;
}

/** The changes on what the store has. Throws `INVALID_RESOURCE`, which names every problem. */
async function readAll(
  wanted: readonly Sent[],
  { operator, resources, nowSeconds }: Reading,
): Promise<readonly Change[]> {
  const there = new Map<string, Stored<ResourceOf[ResourceKind]>>();
  for (const kind of resourceKinds) {
    const ids = wanted.flatMap((each) => (each.kind === kind && each.before !== null ? [each.id] : []));
    if (ids.length === 0) continue;
    for (const stored of await findReached(operator, kind, ids, resources)) {
      there.set(`${kind} ${idOfResource(stored.resource)}`, stored);
    }
  }
  const names = new Set(wanted.map(({ kind, id }) => `${kind} ${id}`));
  if (names.size < wanted.length) throw new ApiProblem('MALFORMED_REQUEST', 'a resource is changed twice');
  const changes: Change[] = [];
  const problems: { path: string; pointer: string; message: string }[] = [];
  let index = 0;
  for (const some of chunksOf(wanted, READ_AT_ONCE)) {
    await nextTurn();
    for (const each of some) {
      const stored = each.before === null ? null : (there.get(`${each.kind} ${each.id}`) ?? null);
      if (each.before !== null && stored === null) throw gone(each, operator);
      const read = readSentChange(each, stored, nowSeconds);
      if ('change' in read) changes.push(read.change);
      else {
        const pointer = `/changes/${String(index)}/after`;
        problems.push(...read.problems.map(({ path, message }) => ({ path, message, pointer })));
      }
      index += 1;
    }
  }
  if (problems.length > 0) throw invalidResource(problems);
  return changes;
}

/** In the words of the store. An operator with labels learns nothing of what is beyond reach. */
function gone({ kind, id }: Sent, operator: Operator): Error {
  if (selectorOf(operator) !== undefined) return notFound(kind, id, []);
  return new Outdated(`the ${kind} "${id}" was deleted meanwhile; look at it and try again. Nothing was changed`);
}

/**
 * What goes with a deletion beyond what an operator with labels could plan: others' grants on an own endpoint. What may
 * not go is for the rule of all changes to say.
 */
async function findMissing(
  planned: readonly Change[],
  operator: Operator,
  resources: Resources,
): Promise<readonly Change[]> {
  if (selectorOf(operator) === undefined) return [];
  const named = new Set(planned.map(({ kind, id }) => `${kind} ${id}`));
  const missing: Change[] = [];
  for (const { kind, id, after } of planned) {
    if (after !== null || (kind !== 'endpoint' && kind !== 'consumer')) continue;
    const selection = kind === 'endpoint' ? { endpointId: id } : { consumerId: id };
    for await (const before of resources.list('grant', selection)) {
      const grantName = idOfResource(before.resource);
      if (named.has(`grant ${grantName}`)) continue;
      missing.push({ kind: 'grant', id: grantName, before, after: null });
    }
  }
  return missing;
}

/** Keeps operators from locking everybody out by accident, as every route does. */
async function requireOtherAdmin(changes: readonly Change[], resources: Resources): Promise<void> {
  const operators = (await collectAll(resources.list('operator'))).map(({ resource }) => resource);
  if (takesLastAdmin(operators, changes)) throw new Conflict(LAST_ADMIN);
}
