import type { Command } from 'commander';
import type { AuditOperation } from '../../resources/changes/audit/operations.ts';
import { type AuditSelection, Conflict } from '../../resources/changes/resource-store.ts';
import { readGround } from '../../resources/changes/revert/ground.ts';
import { planRevert } from '../../resources/changes/revert/plan-revert.ts';
import { count } from '../../base/text/printable.ts';
import type { CommandContext } from '../command.ts';
import { formatTime } from '../render/text.ts';
import { addChangeAction } from '../store/change-store.ts';
import { addResourceFlag, describeName, type EventName, findOperations, parseEventName } from './named-events.ts';
import { commandWords } from './revert-words.ts';

/** Adds `postern audit revert`. */
export function registerRevert(noun: Command, context: CommandContext): void {
  const command = noun
    .command('revert')
    .description('Undo what a command changed: restore every field to its former value.')
    .argument('<event>', 'a REVISION of "audit list", or the "event" of its JSON', parseEventName);
  addResourceFlag(command, 'only the changes of this: consumer/acme, grant/orders/acme, endpoint').option(
    '--revive',
    'also bring back what was disabled or revoked, or is retiring',
  );
  addChangeAction(command, context, {
    isAsking: true,
    notes: `Everything is reverted in one transaction, or nothing. Other fields that were changed since stay as they are; where the
same field was changed since, nothing is reverted (exit code 4). Secrets are in no event: a deleted credential does
not come back, and a rotation cannot be reverted. A revert can be reverted.`,
    examples: [
      'postern audit revert 12 --dry-run',
      'postern audit revert 12 --reason "OPS-17: wrong partner"',
      'postern audit revert 12 --resource grant/orders/acme --yes',
      'postern audit revert 12 --revive',
    ],
    exits: { notFound: 'no such event', conflict: 'changed since, cannot come back, or --revive is needed' },
    plan: async ({ audit, resources }, { resource, revive }: RevertFlags, name: EventName) => {
      const operation = onlyOne(await findOperations(audit, name, resource), name);
      const { events } = operation;
      const planned = planRevert(events, await readGround(events, resources), {
        revives: revive === true,
        words: commandWords,
      });
      if ('conflict' in planned) throw new Conflict(`nothing was reverted:\n  ${planned.conflict}`);
      const { changes, notes } = planned;
      return {
        changes,
        notes,
        question: questionOf(operation, changes),
        done: `Reverted: ${describeOperation(operation)}.`,
        already: `Nothing to revert: all is as it was before ${describeOperation(operation)}.`,
      };
    },
  });
}

interface RevertFlags {
  readonly resource?: AuditSelection['resource'];
  readonly revive?: true;
}

/** What is reverted. Rewrapping secrets changes no resource, and takes no revision of its own. */
function onlyOne(operations: readonly AuditOperation[], name: EventName): AuditOperation {
  const real = operations.filter(({ action }) => action !== REWRAP);
  const [first, second] = real;
  if (first === undefined)
    throw new Conflict('sealing secrets with another key changes no resource, and cannot be reverted');
  if (second === undefined) return first;
  const events = real.map(({ action, events: [event] }) => `${String(event?.event)} (${action})`);
  throw new Conflict(`${describeName(name)} was given to several commands; name one event: ${events.join(', ')}`);
}

const REWRAP = 'keyring rewrap';

function describeOperation({ action, actor, atMs }: AuditOperation): string {
  return `"${action}" of ${actor} at ${formatTime(Math.floor(atMs / 1000))}`;
}

function questionOf(
  operation: AuditOperation,
  changes: readonly { readonly kind: string; readonly after: unknown }[],
): string {
  const lost = changes.filter(({ kind, after }) => kind === 'credential' && after === null).length;
  const forGood = lost === 0 ? '' : `, and delete ${count(lost, 'credential')} for good`;
  return `Revert ${describeOperation(operation)} (${count(changes.length, 'change')}${forGood})?`;
}
