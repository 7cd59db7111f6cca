import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { type AuditEvent, collectAll, Conflict } from '../../resources/changes/resource-store.ts';
import { readGround } from '../../resources/changes/revert/ground.ts';
import { planRevert } from '../../resources/changes/revert/plan-revert.ts';
import { permissionFor } from '../../resources/changes/rights/judge-changes.ts';
import type { Operator, Permission } from '../../model/operator.ts';
import type { AuditedKind } from '../../resources/resource.ts';
import { addAction } from './action-route.ts';
import { eventParams, requireSeenEvent } from './audit.ts';
import { requirePermission } from './authenticate.ts';
import { MetBeyond } from './beyond-reach.ts';
import { commit, operationOf } from './change.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { ApiProblem } from './problem.ts';
import { changeQuery } from './request.ts';
import { revertWords } from './revert-words.ts';
import { answers, revertAnswer } from './shapes.ts';
import { reachesAll, seesEvent } from './sight.ts';

const query = changeQuery
  .extend({
    scope: z
      .enum(['event', 'command'])
      .default('event')
      .openapi({ description: 'Only this change, or all that was changed at once with it.' }),
    revive: z
      .enum(['true', 'false'])
      .default('false')
      .openapi({ description: 'Also bring back what was disabled or revoked, or is retiring.' }),
  })
  .strict();

/** Adds the route that undoes what was changed. */
export function addRevert(api: OpenAPIHono<ApiEnvironment>, { store: { resources, audit } }: ApiPorts): void {
  addAction(
    api,
    createRoute({
      method: 'post',
      path: '/v1/audit/{event}:revert',
      tags: ['Audit'],
      operationId: 'revertAuditEvent',
      summary: 'Undo a change: give every field back what it had before, all at once or nothing.',
      description: `What others changed since in the same fields is a conflict; other fields stay as they are. Secrets are in no
event: a deleted credential does not come back, and a rotation cannot be reverted. \`notes\` say what stays.`,
      request: { params: eventParams, query },
      responses: answers({ 200: revertAnswer }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read-traces');
      const { scope, revive, dryRun } = context.req.valid('query');
      const event = await requireSeenEvent(operator, context.req.valid('param').event, audit);
      const events = scope === 'event' ? [event] : await eventsWith(operator, event, { audit });
      for (const { kind } of events) {
        requirePermission(operator, permissionToUndo(kind));
      }
      const planned = planRevert(events, await readGround(events, resources), {
        revives: revive === 'true',
        words: revertWords[context.get('via')],
      });
      if ('conflict' in planned) throw conflictOver(planned.conflict, operator, event);
      const { changes, notes } = planned;
      const operation = operationOf(context.var, 'audit revert');
      const outcome = await commit(changes, { resources, operation, isDryRun: dryRun === 'true' });
      return context.json({ ...outcome, notes: [...notes] }, 200);
    },
  );
}

function permissionToUndo(kind: AuditedKind): Permission {
  if (kind === 'replica') return 'change-endpoints';
  return kind === 'operator' ? 'change-consumers' : permissionFor[kind];
}

/** For operators with labels: the reason can name what is beyond reach. */
const IN_THE_WAY =
  'this cannot be undone on what is there now: the same was changed since, something depends on it, its secrets are in no event, or it brings back what was stopped (revive=true)';

/** Why an event cannot be undone, in words that this operator may read. */
export function conflictOver(conflict: string, operator: Operator, { kind, id }: AuditEvent): Conflict {
  if (reachesAll(operator) || kind === 'operator' || kind === 'replica') return new Conflict(conflict);
  return new MetBeyond(IN_THE_WAY, { kind, id, sentence: conflict });
}

/** All that was changed at once with an event. Throws `CONFLICT` where a part of it is beyond reach. */
async function eventsWith(
  operator: Operator,
  { storeRevision, atMs, actor, action }: AuditEvent,
  { audit }: Pick<ApiPorts['store'], 'audit'>,
): Promise<readonly AuditEvent[]> {
  const found = await collectAll(audit.events({ storeRevision, actor, action }));
  const together = found.filter((each) => each.atMs === atMs);
  const unseen = together.find((each) => !seesEvent(operator, each));
  if (unseen === undefined) return together;
  const { kind, id } = unseen;
  if (kind === 'operator' || kind === 'replica') throw new ApiProblem('CONFLICT', PART_BEYOND);
  throw new MetBeyond(PART_BEYOND, { kind, id, sentence: `the ${kind} "${id}" was changed with it, by ${actor}` });
}

const PART_BEYOND = 'a part of what was changed with it is beyond reach: revert one event at a time';
