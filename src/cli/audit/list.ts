import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import type { AuditEvent, AuditSelection } from '../../manage/resource-store.ts';
import type { CommandContext } from '../command-context.ts';
import { parseCount } from '../flags/parse-count.ts';
import { type Moment, momentBack, parseMoment } from '../flags/parse-moment.ts';
import { addStoreOptions, type StoreFlags } from '../flags/store-options.ts';
import { formatTime } from '../render/format-time.ts';
import { type ListView, printList } from '../render/render-list.ts';
import { useStore } from '../store/use-store.ts';
import { exitCodes } from '../terminal.ts';
import { parseResource } from './parse-resource.ts';

interface ListFlags extends StoreFlags {
  readonly since?: Moment;
  readonly actor?: string;
  readonly resource?: AuditSelection['resource'];
  readonly limit: number;
}

const DEFAULT_LIMIT = 100;

const view: ListView<AuditEvent> = {
  columns: [
    { heading: 'WHEN', cell: ({ atMs }) => formatTime(Math.floor(atMs / 1000)) },
    { heading: 'WHO', cell: ({ actor }) => actor },
    { heading: 'COMMAND', cell: ({ action }) => action },
    { heading: 'RESOURCE', cell: ({ kind, id }) => `${kind}/${id}` },
    { heading: 'CHANGED', cell: changed, canShrink: true },
  ],
  declare: ({ atMs, ...event }) => ({ at: new Date(atMs).toISOString(), ...event }),
  none: 'There is no such event.',
};

/** Adds `postern audit list`. */
export function registerAuditList(noun: Command, context: CommandContext): void {
  const command = noun
    .command('list')
    .description('List what was changed, by whom and when, newest first. Secrets are in no event.')
    .option('--since <time>', 'from then on: 7d, 12h, or 2026-11-01T00:00:00Z', parseMoment)
    .option('--actor <name>', 'what this one changed')
    .option('--resource <resource>', 'changes of this: consumer/acme, grant/orders/acme, endpoint', parseResource)
    .option('--limit <number>', 'the newest so many', parseCount, DEFAULT_LIMIT);
  addStoreOptions(command)
    .addHelpText(
      'after',
      `
JSON and YAML have each resource before and after the change.

Examples:
  $ postern audit list --since 7d --resource consumer/acme
  $ postern audit list --actor ada --limit 1000 -o json

Exit codes: 0 done, 1 failed, 2 usage, 5 the store is unreachable.`,
    )
    .action(async (flags: ListFlags) => {
      const use = { command: 'audit list', store: flags.store, timeout: flags.timeout, needsSecrets: false };
      const code = await useStore(context, use, async ({ audit }) => {
        const { since, actor, resource, limit } = flags;
        const events = audit.events({
          limit,
          ...(since === undefined ? {} : { sinceMs: momentBack(since, context.clock.nowSeconds()) * 1000 }),
          ...(actor === undefined ? {} : { actor }),
          ...(resource === undefined ? {} : { resource }),
        });
        await printList(events, view, flags.output, context.terminal);
        return exitCodes.done;
      });
      context.finish(code);
    });
}

/** What a change did, in a few words: `made`, `deleted`, or the fields that differ. */
function changed({ before, after }: AuditEvent): string {
  if (before === null) return 'created';
  if (after === null) return 'deleted';
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const differing = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  // Secrets are in neither, so that a rotation of them alone leaves no difference.
  return differing.length === 0 ? 'secrets' : differing.join(', ');
}
