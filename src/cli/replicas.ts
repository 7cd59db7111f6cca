import type { Command } from 'commander';
import {
  behind,
  declareReplica,
  forgetReplica,
  isStale,
  type Replica,
  STALE_MS,
} from '../resources/changes/replicas.ts';
import { type StoreRevision, wholeRevision } from '../model/store-revision.ts';
import type { CommandContext } from './command.ts';
import type { StoreFlags } from './flags/options.ts';
import { type ListView, printList } from './render/list.ts';
import { renderResult } from './render/data.ts';
import { formatSpan } from './render/text.ts';
import { addReadAction } from './store/read-store.ts';
import { requireReplicas } from './store/require-replicas.ts';

interface ReplicasFlags extends StoreFlags {
  readonly forget?: string;
}

/** Adds `postern replicas`. */
export function registerReplicas(program: Command, context: CommandContext): void {
  const command = program
    .command('replicas')
    .description('List the replicas that serve a database, and the revision that each has in force.')
    .option('--forget <id>', 'remove the entry of a replica that is gone for good');
  addReadAction(command, context, {
    notes: `A replica reports every five seconds. One that has not reported for ${String(STALE_MS / 1000)} s is stale: gone, or cut off from the database
and serving from memory. Its entry stays until it can serve nothing from memory any more. A replica that stops
cleanly removes its own.`,
    examples: ['postern replicas', 'postern replicas -o json', 'postern replicas --forget 5f0c9e1ab27d'],
    exits: { notFound: 'no such replica' },
    show: async (store, { output, forget }: ReplicasFlags) => {
      const directory = requireReplicas(store);
      const { out } = context.terminal;
      if (forget !== undefined) {
        const { audit, actor } = store;
        await forgetReplica(forget, { replicas: directory, audit, actor, action: 'replica forget' });
        out.write(renderResult(output, { forgotten: forget }, `Replica ${forget} is forgotten.\n`));
        return;
      }
      const latest = await directory.storeRevision();
      await printList(each(await directory.list()), viewOf(latest), output, context.terminal);
    },
  });
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  await Promise.resolve();
  yield* items;
}

function viewOf(latest: StoreRevision): ListView<Replica> {
  return {
    columns: [
      { heading: 'ID', cell: ({ id }) => id },
      { heading: 'NAME', cell: ({ name }) => name, canShrink: true },
      { heading: 'VERSION', cell: ({ version }) => version },
      {
        heading: 'STATE',
        cell: stateOf,
        canShrink: true,
        paint: (text, replica, paint) => (stateOf(replica) === 'ready' ? paint.green(text) : paint.yellow(text)),
      },
      { heading: 'REVISION', cell: ({ revision }) => (revision === null ? '-' : String(wholeRevision(revision))) },
      { heading: 'BEHIND', cell: (replica) => String(behind(replica, latest) ?? '-') },
      { heading: 'SEEN', cell: ({ silentMs }) => `${formatSpan(silentMs)} ago` },
      { heading: 'AGE', cell: ({ ageMs }) => formatSpan(ageMs) },
    ],
    declare: (replica) => declareReplica(replica, latest),
    none: 'No replica reports.',
  };
}

/** `ready`, or what is the matter. */
function stateOf(replica: Replica): string {
  const { unreadiness, mode } = replica;
  if (isStale(replica)) return 'stale';
  if (unreadiness !== null) return `not ready: ${unreadiness}`;
  return mode === 'waiting' ? 'ready, no changes arrive' : 'ready';
}
