import { isDeepStrictEqual } from 'node:util';
import type { Operator } from '../../model/operator.ts';
import type { Change } from '../../resources/changes/change.ts';
import { secretChangesOf } from '../../resources/changes/describe-change.ts';
import { type AuditEvent, Outdated } from '../../resources/changes/resource-store.ts';
import { readGround } from '../../resources/changes/revert/ground.ts';
import { planRevert } from '../../resources/changes/revert/plan-revert.ts';
import { declareWholeResource } from '../../resources/declare-resource.ts';
import { requireSeenEvent } from './audit.ts';
import { requirePermission } from './authenticate.ts';
import type { ApiPorts } from './ports.ts';
import { ApiProblem } from './problem.ts';
import { conflictOver } from './revert.ts';
import { revertWords } from './revert-words.ts';

/**
 * Holds changes that say that they undo events to what undoes them: else the audit trail would call anything an
 * undoing. Throws `MALFORMED_REQUEST`, `NOT_FOUND` for an event that the operator does not see, and `Outdated` where
 * others changed something meanwhile.
 */
export async function requireReverts(
  changes: readonly Change[],
  operator: Operator,
  { resources, audit }: Pick<ApiPorts['store'], 'resources' | 'audit'>,
): Promise<void> {
  const undoing = changes.filter(({ reverts }) => reverts !== undefined);
  if (undoing.length === 0) return;
  requirePermission(operator, 'read-traces');
  if (undoing.length < changes.length) throw new ApiProblem('MALFORMED_REQUEST', 'some changes revert nothing');
  const events: AuditEvent[] = [];
  for (const { kind, id, reverts } of undoing) {
    const { event: name = '', storeRevision } = reverts ?? {};
    const event = await requireSeenEvent(operator, name, audit);
    const isIts = event.kind === kind && event.id === id && event.storeRevision === storeRevision;
    if (!isIts) throw new ApiProblem('MALFORMED_REQUEST', `the event ${name} is of something else`);
    events.push(event);
  }
  const ground = await readGround(events, resources);
  const planned = planRevert(events, ground, { revives: true, words: revertWords.api });
  const [first] = events;
  if ('conflict' in planned && first !== undefined) throw conflictOver(planned.conflict, operator, first);
  const plans = new Map(
    ('changes' in planned ? planned.changes : []).map((change) => [`${change.kind} ${change.id}`, change]),
  );
  for (const change of undoing) {
    const { kind, id, before, reverts } = change;
    const plan = plans.get(`${kind} ${id}`);
    if (plan !== undefined && isSame(change, plan)) continue;
    if (before?.revision !== ground.find(kind, id)?.revision) {
      throw new Outdated(`the ${kind} "${id}" was changed meanwhile; look at it and try again. Nothing was changed`);
    }
    throw new ApiProblem('MALFORMED_REQUEST', `what is sent is not what undoes the event ${reverts?.event ?? ''}`);
  }
}

function isSame(sent: Change, planned: Change): boolean {
  return isDeepStrictEqual([declareAfter(sent), secretsOf(sent)], [declareAfter(planned), secretsOf(planned)]);
}

function declareAfter({ kind, after }: Change): object | null {
  return after === null ? null : declareWholeResource(kind, after);
}

function secretsOf(change: Change): readonly object[] {
  return change.kind === 'credential' ? [...secretChangesOf(change)] : [];
}
