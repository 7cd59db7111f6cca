import { writeDocument, type DocumentParts } from '../../document/declare/write-document.ts';
import type { Declared } from '../../document/declare/declared.ts';
import { openOutput, type OutputFile } from '../../files/output-file.ts';
import { declareStore } from '../../manage/export/declare-store.ts';
import type { CommandContext } from '../command-context.ts';
import { reportFailure } from '../partner/report-failure.ts';
import { startProgress } from '../progress-bar.ts';
import { requireResource } from '../store/require-resource.ts';
import type { OpenedStore } from '../store/open-store.ts';
import { useStore } from '../store/use-store.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';

/** The flags of `postern export`. */
export interface ExportFlags {
  readonly endpoint?: readonly string[];
  readonly consumer?: readonly string[];
  readonly withSecrets?: true;
  readonly to?: string;
  readonly output: 'yaml' | 'json';
  readonly store?: string;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Prints a store, or a part of it, as a declarative document, or writes it into a file. */
export async function exportDocument(flags: ExportFlags, context: CommandContext): Promise<ExitCode> {
  const hasSecrets = flags.withSecrets === true;
  let file: OutputFile | null = null;
  try {
    // Before the store is read, which may take long.
    file = flags.to === undefined ? null : await openOutput(flags.to, hasSecrets ? 'owner' : 'open');
  } catch (error) {
    return reportFailure('postern export', error, context.terminal);
  }
  const use = { command: 'export', store: flags.store, timeout: flags.timeout, needsSecrets: hasSecrets };
  return await useStore(context, use, async (store) => {
    for (const id of flags.endpoint ?? []) await requireResource(store.resources, 'endpoint', id);
    for (const id of flags.consumer ?? []) await requireResource(store.resources, 'consumer', id);
    await write(flags, store, file, context);
    return exitCodes.done;
  });
}

async function write(
  flags: ExportFlags,
  store: OpenedStore,
  file: OutputFile | null,
  { terminal, clock }: CommandContext,
): Promise<void> {
  const { out, err } = terminal;
  const hasSecrets = flags.withSecrets === true;
  const selection = { endpointIds: flags.endpoint, consumerIds: flags.consumer };
  const parts = declareStore(store.resources, selection, hasSecrets ? 'reveal' : 'leave-out');
  // A bar between the lines of a document would be in the way.
  using progress = startProgress('exporting', file === null ? { ...err, isTerminal: false } : err, clock);
  let written = 0;
  const onWritten = (): void => {
    written += 1;
    progress.update(written, null);
  };
  const pieces = writeDocument({ comment: commentFor(flags), ...counted(parts, onWritten) }, flags.output);
  if (file !== null) {
    await file.write(pieces);
    return;
  }
  for await (const piece of pieces) out.write(piece);
}

function counted(parts: Omit<DocumentParts, 'comment'>, onWritten: () => void): Omit<DocumentParts, 'comment'> {
  const count = async function* (resources: AsyncIterable<Declared>): AsyncGenerator<Declared> {
    for await (const resource of resources) {
      yield resource;
      onWritten();
    }
  };
  return { endpoints: count(parts.endpoints), consumers: count(parts.consumers), grants: count(parts.grants) };
}

function commentFor({ endpoint, consumer, withSecrets }: ExportFlags): readonly string[] {
  const isPart = endpoint !== undefined || consumer !== undefined;
  return [
    'Written by "postern export".',
    ...(withSecrets === true
      ? ['It holds secrets: keep it where passwords are kept. "postern apply -f" brings it into another database.']
      : [
          'Secrets are left out. "postern apply -f" takes it again: the store keeps the secrets of the credentials named here.',
          'For another database, or as a file store, export it with --with-secrets.',
        ]),
    ...(isPart ? ['It is a part of a store: its grants may lead to what only the store has.'] : []),
  ];
}
