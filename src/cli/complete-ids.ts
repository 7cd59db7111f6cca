import { Argument, type Command } from 'commander';
import { type ResourceStore, takeFirst } from '../resources/changes/resource-store.ts';
import { addAction, type CommandContext } from './command.ts';
import { openFor } from './store/read-store.ts';
import { exitCodes } from './terminal.ts';

/** The kinds whose ids scripts of `postern completion` complete. */
export const completedKinds = ['consumer', 'endpoint', 'credential', 'plan', 'issuer', 'operator'] as const;
export type CompletedKind = (typeof completedKinds)[number];

/** The command that scripts ask for ids. */
export const COMPLETE_IDS = 'complete-ids';

/** People wait for it at the press of a key. Milliseconds. */
const TIMEOUT_MS = 2000;
/** A shell shows no more in a way that helps. */
const MAX_IDS = 200;

/** Adds the command, hidden, that prints the ids of a kind which begin so, one a line. */
export function registerCompleteIds(program: Command, context: CommandContext): void {
  const command = program
    .command(COMPLETE_IDS, { hidden: true })
    .description('Print ids that begin so: what the scripts of "postern completion" ask for.')
    .addArgument(new Argument('<kind>', 'of what').choices(completedKinds))
    .argument('[beginning]', 'what is typed already');
  addAction(command, context, async (kind: CompletedKind, beginning = '') => {
    await using store = await openFor(context, COMPLETE_IDS, { timeout: TIMEOUT_MS }, false);
    for (const id of await takeFirst(idsFrom(store.resources, kind, beginning), MAX_IDS))
      context.terminal.out.write(`${id}\n`);
    return exitCodes.done;
  });
}

async function* idsFrom(store: ResourceStore, kind: CompletedKind, beginning: string): AsyncGenerator<string> {
  // Ids come in their order, so that those which begin so stand together, after the one that is the beginning itself.
  if (beginning !== '' && (await store.find(kind, beginning)) !== null) yield beginning;
  for await (const { resource } of store.list(kind, beginning === '' ? {} : { after: beginning })) {
    if (resource.id <= beginning) continue;
    if (!resource.id.startsWith(beginning)) return;
    yield resource.id;
  }
}
