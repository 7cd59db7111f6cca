import { type Command, Option } from 'commander';
import type { Declared } from '../resources/declared.ts';
import { writeDocument } from '../resources/write-document.ts';
import { openOutput, type OutputFile } from '../base/files/output-file.ts';
import { type DeclaredParts, declareStore } from '../resources/changes/declare-store.ts';
import { addAction, addHelp, type CommandContext, readExits } from './command.ts';
import { type SelectorFlag, selectorOption, type StoreFlags, timeoutOption } from './flags/options.ts';
import { describeLabels } from '../model/labels.ts';
import { writeSafely } from './failure.ts';
import { collectId } from './flags/values.ts';
import { startProgress } from './interaction.ts';
import type { OpenedStore } from './opened-store.ts';
import { openFor, requireResource } from './store/read-store.ts';
import { exitCodes } from './terminal.ts';

/** Adds `postern export`. */
export function registerExport(program: Command, context: CommandContext): void {
  const command = program
    .command('export')
    .description('Print the store, or a part of it, as a declarative document.')
    .option('--endpoint <id>', 'only this endpoint, with its grants; repeatable', collectId)
    .option('--consumer <id>', 'only this consumer, with its credentials and grants; repeatable', collectId)
    .addOption(
      selectorOption('only what carries this label, as apply --selector takes it').conflicts(['endpoint', 'consumer']),
    )
    .option('--with-secrets', 'with App Secrets, and App Keys of method key')
    .option('--to <file>', 'write this file, or to this pipe or device; with secrets, only the owner can read the file')
    .addOption(new Option('-o, --output <format>', 'how to write').choices(['yaml', 'json']).default('yaml'))
    .option('--store <location>', 'where resources are kept, instead of POSTERN_STORE; no password')
    .addOption(timeoutOption());
  addHelp(command, {
    notes: `The document says whether each endpoint and consumer is enabled, and the state of each credential. Without secrets, it
can be applied to the same store, which keeps its secrets. With secrets, it makes the same state in an empty database.
A file store is printed in its normal form.

With --selector: endpoints and consumers with these labels, credentials of these consumers, grants on these endpoints,
and plans both of whose selectors name these labels. With --endpoint or --consumer there are no plans.`,
    examples: [
      'postern export > postern.yaml',
      'postern export --with-secrets --to backup.yaml',
      'postern export --consumer acme -o json',
      'postern export --selector team=payments > payments.yaml',
    ],
    exits: { ...readExits, notFound: 'there is no such endpoint or consumer' },
  });
  addAction(command, context, async (flags: ExportFlags) => {
    const hasSecrets = flags.withSecrets === true;
    // Before the store is read, which may take long.
    const file = flags.to === undefined ? null : await openOutput(flags.to, hasSecrets ? 'owner' : 'open');
    await using store = await openFor(context, 'export', flags, hasSecrets);
    for (const id of flags.endpoint ?? []) await requireResource(store.resources, 'endpoint', id);
    for (const id of flags.consumer ?? []) await requireResource(store.resources, 'consumer', id);
    await write(flags, store, file, context);
    return exitCodes.done;
  });
}

interface ExportFlags extends Pick<StoreFlags, 'store' | 'timeout'>, SelectorFlag {
  readonly endpoint?: readonly string[];
  readonly consumer?: readonly string[];
  readonly withSecrets?: true;
  readonly to?: string;
  readonly output: 'yaml' | 'json';
}

async function write(
  flags: ExportFlags,
  store: OpenedStore,
  file: OutputFile | null,
  { terminal, clock }: CommandContext,
): Promise<void> {
  const { out, err } = terminal;
  const hasSecrets = flags.withSecrets === true;
  const selection = { endpointIds: flags.endpoint, consumerIds: flags.consumer, selector: flags.selector };
  const parts = declareStore(store.resources, selection, hasSecrets ? 'reveal' : 'leave-out');
  // A bar between the lines of a document would be in the way.
  using progress = startProgress('exporting', file === null ? { ...err, isTerminal: false } : err, clock);
  let written = 0;
  const onWritten = (): void => {
    written += 1;
    progress.update(written, null);
  };
  const pieces = writeDocument(
    { comment: commentFor(flags), selector: flags.selector, ...counted(parts, onWritten) },
    flags.output,
  );
  if (file === null) for await (const piece of pieces) out.write(piece);
  else await file.write(pieces);
  const { selector } = flags;
  if (written === 0 && selector !== undefined) writeSafely(err, `note: nothing carries ${describeLabels(selector)}\n`);
}

function counted(parts: DeclaredParts, onWritten: () => void): DeclaredParts {
  const count = async function* (resources: AsyncIterable<Declared>): AsyncGenerator<Declared> {
    for await (const resource of resources) {
      yield resource;
      onWritten();
    }
  };
  return {
    endpoints: count(parts.endpoints),
    issuers: count(parts.issuers),
    consumers: count(parts.consumers),
    grants: count(parts.grants),
    plans: count(parts.plans),
  };
}

function commentFor({ endpoint, consumer, selector, withSecrets }: ExportFlags): readonly string[] {
  const isPart = endpoint !== undefined || consumer !== undefined;
  return [
    'Written by "postern export".',
    ...(withSecrets === true
      ? ['It holds secrets: keep it where passwords are kept. "postern apply -f" brings it into another database.']
      : [
          'Secrets are left out. "postern apply -f" takes it again: the store keeps the secrets of the credentials named here.',
          'For another database, or as a file store, export it with --with-secrets.',
        ]),
    ...(selector === undefined
      ? []
      : ['It is a part of a store: "selector" keeps "postern apply" to it, also with --prune.']),
    ...(isPart ? ['It is a part of a store: its grants may name what only the store has.'] : []),
  ];
}
