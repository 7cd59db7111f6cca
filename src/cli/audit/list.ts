import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { type AuditOperation, operationsOf } from '../../resources/changes/audit/operations.ts';
import type { AuditEvent, AuditSelection } from '../../resources/changes/resource-store.ts';
import { count } from '../../base/text/printable.ts';
import type { CommandContext } from '../command.ts';
import type { StoreFlags } from '../flags/options.ts';
import { type Moment, momentBack } from '../../model/document/moments.ts';
import { parseMoment } from '../flags/times.ts';
import { parseCount, parseId } from '../flags/values.ts';
import { type Column, type ListView, printList } from '../render/list.ts';
import { formatTime } from '../render/text.ts';
import { addReadAction, selectFrom } from '../store/read-store.ts';
import { declareEvent, declareOperation } from '../../resources/changes/audit/declare-event.ts';
import { addResourceFlag } from './named-events.ts';

/** Adds `postern audit list`. */
export function registerList(noun: Command, context: CommandContext): void {
  const command = noun
    .command('list')
    .description('List what was changed, by whom and when, newest first. Secrets are in no event.')
    .option('--since <time>', 'from then on: 7d, 12h, or 2026-11-01T00:00:00Z', parseMoment)
    .option('--until <time>', 'up to then: 1d, or 2026-11-02T00:00:00Z', parseMoment)
    .option('--consumer <id>', 'all about this partner: itself, its credentials and grants, deleted ones too', parseId)
    .option('--endpoint <id>', 'all about this endpoint: itself, the grants on it and the plans that list it', parseId)
    .option('--actor <name>', 'changes by this operator')
    .option('--action <command>', 'changes by this command, such as "credential revoke"');
  addResourceFlag(command, 'changes of this: consumer/acme, grant/orders/acme, endpoint')
    .option('--operations', 'a line for each command, however much it changed')
    .option('--limit <number>', 'show this many at most, newest first', parseCount, DEFAULT_LIMIT);
  addReadAction(command, context, {
    notes: `Changes of one command have the same REVISION; "audit show REVISION" shows what they changed, "audit revert REVISION"
undoes them. JSON and YAML have each resource before and after the change.`,
    examples: [
      'postern audit list --since 7d --consumer acme',
      'postern audit list --actor ada --operations',
      'postern audit list --endpoint orders --since 7d --until 1d -o json',
    ],
    show: async ({ audit }, { operations, limit, output, ...flags }: ListFlags) => {
      const selection = selectionOf(flags, context.clock.nowSeconds());
      if (operations === true) {
        const all = selectFrom(operationsOf(audit.events(selection)), () => true, limit);
        await printList(all, operationView, output, context.terminal);
      } else await printList(audit.events({ ...selection, limit }), eventView, output, context.terminal);
    },
  });
}

interface ListFlags extends StoreFlags {
  readonly since?: Moment;
  readonly until?: Moment;
  readonly consumer?: string;
  readonly endpoint?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly resource?: AuditSelection['resource'];
  readonly operations?: true;
  readonly limit: number;
}

const DEFAULT_LIMIT = 100;

function selectionOf(flags: Omit<ListFlags, 'limit' | 'output'>, nowSeconds: number): AuditSelection {
  const { since, until, consumer, endpoint, actor, action, resource } = flags;
  return {
    sinceMs: since && momentBack(since, nowSeconds) * 1000,
    untilMs: until && momentBack(until, nowSeconds) * 1000,
    consumerId: consumer,
    endpointId: endpoint,
    actor,
    action,
    resource,
  };
}

const common: readonly Column<Omit<AuditOperation, 'events'>>[] = [
  { heading: 'REVISION', cell: ({ storeRevision }) => String(storeRevision) },
  { heading: 'WHEN', cell: ({ atMs }) => formatTime(Math.floor(atMs / 1000)) },
  { heading: 'WHO', cell: ({ actor }) => actor, canShrink: true },
  { heading: 'COMMAND', cell: ({ action }) => action },
];
const reason: Column<Omit<AuditOperation, 'events'>> = {
  heading: 'REASON',
  cell: ({ reason: why = '' }) => why,
  canShrink: true,
  goesBelow: true,
};

const eventView: ListView<AuditEvent> = {
  columns: [
    ...common,
    { heading: 'RESOURCE', cell: ({ kind, id }) => `${kind}/${id}`, canShrink: true },
    { heading: 'CHANGED', cell: changed, canShrink: true, goesBelow: true },
    reason,
  ],
  declare: declareEvent,
  none: 'There is no such event.',
};

const operationView: ListView<AuditOperation> = {
  columns: [
    ...common,
    { heading: 'CHANGED', cell: ({ events }) => resourcesOf(events), canShrink: true, goesBelow: true },
    reason,
  ],
  declare: declareOperation,
  none: 'There is no such operation.',
};

/** What a change did, in a few words: `created`, `deleted`, or the fields that differ. */
function changed({ before, after, refused }: AuditEvent): string {
  if (refused !== undefined) return `refused: ${refused}`;
  if (before === null) return 'created';
  if (after === null) return 'deleted';
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const differing = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  return differing.join(', ');
}

const MAX_NAMED = 5;

/**
 * `consumer/acme`, or `12: consumer/acme, grant/orders/acme, …`; `refused: consumer/acme` where nothing was changed.
 */
function resourcesOf(events: readonly AuditEvent[]): string {
  const names = events
    .slice(0, MAX_NAMED)
    .map(({ kind, id, refused }) => `${refused === undefined ? '' : 'refused: '}${kind}/${id}`);
  if (events.length === 1) return names.join('');
  return `${count(events.length, 'change')}: ${names.join(', ')}${events.length > MAX_NAMED ? ', …' : ''}`;
}
