import type { Command } from 'commander';
import { describeEvent } from '../../resources/changes/audit/describe-event.ts';
import type { AuditOperation } from '../../resources/changes/audit/operations.ts';
import { renderChange } from '../../resources/changes/render-change.ts';
import type { AuditSelection } from '../../resources/changes/resource-store.ts';
import type { CommandContext } from '../command.ts';
import type { StoreFlags } from '../flags/options.ts';
import { formatData } from '../render/data.ts';
import { formatTimeFrom, paintFor, printFields } from '../render/text.ts';
import { addReadAction } from '../store/read-store.ts';
import type { Terminal } from '../terminal.ts';
import { declareOperation } from '../../resources/changes/audit/declare-event.ts';
import { addResourceFlag, type EventName, findOperations, parseEventName } from './named-events.ts';

/** Adds `postern audit show`. */
export function registerShow(noun: Command, context: CommandContext): void {
  const command = noun
    .command('show')
    .description('Show what a command changed, field by field, before and after.')
    .argument('<event>', 'a REVISION of "audit list", or the "event" of its JSON', parseEventName);
  addResourceFlag(command, 'only the changes of this: consumer/acme, grant/orders/acme, endpoint');
  addReadAction(command, context, {
    examples: ['postern audit show 2', 'postern audit show 2 --resource consumer -o json'],
    exits: { notFound: 'no such event' },
    show: async ({ audit }, { resource, output }: ShowFlags, name: EventName) => {
      const operations = await findOperations(audit, name, resource);
      const { terminal, clock } = context;
      if (output === 'table') for (const each of operations) printOperation(each, clock.nowSeconds(), terminal);
      else terminal.out.write(formatData(operations.map(declareOperation), output));
    },
  });
}

interface ShowFlags extends StoreFlags {
  readonly resource?: AuditSelection['resource'];
}

function printOperation(operation: AuditOperation, nowSeconds: number, terminal: Terminal): void {
  const { storeRevision, action, atMs, actor, reason = null, events } = operation;
  const reverted = new Set(events.flatMap(({ reverts }) => reverts?.storeRevision ?? []));
  printFields(
    `${action}, revision ${String(storeRevision)}`,
    [
      ['when', formatTimeFrom(Math.floor(atMs / 1000), nowSeconds)],
      ['who', actor],
      ['reason', reason],
      ['reverts', reverted.size === 0 ? null : [...reverted].map((each) => `revision ${String(each)}`).join(', ')],
    ],
    terminal,
  );
  const paint = paintFor(terminal);
  // In the order in which the command made them.
  for (const event of [...events].reverse()) {
    if (event.refused !== undefined) terminal.out.write(`${event.kind}/${event.id}: refused: ${event.refused}\n`);
    else terminal.out.write(`${renderChange(describeEvent(event), paint).join('\n')}\n`);
  }
}
