import { type Command, InvalidArgumentError, Option } from 'commander';
import { fileRevision, REVISION_DIGITS } from '../base/files/file-revision.ts';
import { readWholeFile } from '../base/files/read-whole-file.ts';
import { declareReplica, STALE_MS, type WantedRevision } from '../resources/changes/replicas.ts';
import { MAX_DOCUMENT_BYTES } from '../resources/parse-document.ts';
import { addAction, addHelp, type CommandContext } from './command.ts';
import { UsageError } from './failure.ts';
import { DEFAULT_WAIT_MS, outputOption, type StoreFlags } from './flags/options.ts';
import { parseTimeout } from './flags/times.ts';
import { renderResult } from './render/data.ts';
import { findStore } from './store/open-store.ts';
import { openFor } from './store/read-store.ts';
import { requireReplicas } from './store/require-replicas.ts';
import { waitForListeners } from './store/wait-for-listeners.ts';
import { describeWaited, waitForReplicas } from './store/wait-for-replicas.ts';
import { type ExitCode, exitCodes } from './terminal.ts';

interface WaitFlags extends StoreFlags {
  readonly revision?: string;
  readonly admin?: readonly URL[];
}

/** Adds `postern wait`. */
export function registerWait(program: Command, context: CommandContext): void {
  const command = program
    .command('wait')
    .description('Wait until every replica decides by a revision of the store.')
    .option(
      '--revision <revision>',
      'as a changing command prints it with -o json; without it, what the store holds now',
      parseRevision,
    )
    .option('--admin <url...>', 'ask these admin listeners instead of what replicas report in MongoDB', parseAdmin)
    .addOption(
      new Option('--timeout <span>', 'how long to wait').argParser(parseTimeout).default(DEFAULT_WAIT_MS, '30s'),
    )
    .option('--store <location>', 'where resources are kept, instead of POSTERN_STORE; no password')
    .addOption(outputOption());
  addHelp(command, {
    notes: `It also waits for replicas that have not reported for ${String(STALE_MS / 1000)} s: they may be cut off from the database and serve from
memory. If no replica reports, nothing is known. The revision of a declarative file is the first ${String(REVISION_DIGITS)} digits of its
SHA-256; its replicas report nowhere, so --admin is needed.`,
    examples: [
      'postern wait                                     for everything that was changed so far',
      'postern wait --revision 42 --timeout 1m',
      'postern wait --admin http://10.0.0.7:9003 http://10.0.0.8:9003',
    ],
    exits: {
      done: 'in force everywhere',
      failed: 'not in time, or no replica reports',
      unreachable: 'the store is unreachable',
    },
  });
  addAction(command, context, async (flags: WaitFlags) => {
    return flags.admin === undefined
      ? await waitForReports(flags, context)
      : await askListeners(flags, flags.admin, context);
  });
}

async function waitForReports(flags: WaitFlags, context: CommandContext): Promise<ExitCode> {
  const { revision, timeout, output } = flags;
  await using store = await openFor(context, 'wait', flags, false);
  const directory = requireReplicas(store);
  const latest = await directory.storeRevision();
  const wanted: WantedRevision = revision === undefined ? latest : numberOf(revision);
  if (typeof wanted === 'number' && wanted > latest.latest) {
    throw new UsageError(`the store has no revision ${String(wanted)} yet; its last one is ${String(latest.latest)}`);
  }
  const waited = await waitForReplicas(directory, wanted, timeout);
  const { out, err } = context.terminal;
  const text = `${describeWaited(waited, wanted).join('\n')}\n`;
  const isInForce = waited.outcome === 'in-force';
  const replicas = waited.replicas.map((each) => declareReplica(each, latest));
  const data = { revision: typeof wanted === 'number' ? wanted : wanted.latest, outcome: waited.outcome, replicas };
  if (output !== 'table') out.write(renderResult(output, data, ''));
  else (isInForce ? out : err).write(text);
  if (waited.outcome === 'unknown') return exitCodes.unreachable;
  return isInForce ? exitCodes.done : exitCodes.failed;
}

async function askListeners(flags: WaitFlags, urls: readonly URL[], context: CommandContext): Promise<ExitCode> {
  const { revision, timeout, output } = flags;
  const { terminal } = context;
  const location = findStore(flags.store, terminal.environment);
  const wanted = revision ?? (location.kind === 'file' ? await revisionOfFile(location.path) : null);
  if (wanted === null) throw new UsageError('--revision is missing: with --admin a database is not asked for its own');
  const isReached = (shown: string): boolean =>
    location.kind === 'file' ? shown === wanted : /^\d+$/.test(shown) && Number(shown) >= numberOf(wanted);
  const asked = await waitForListeners(urls, isReached, timeout);
  const missing = asked.filter(({ isThere }) => !isThere);
  const { out, err } = terminal;
  const listeners = asked.map(({ url, isThere, said }) => ({ url: url.href, inForce: isThere, said }));
  const outcome = missing.length === 0 ? 'in-force' : 'behind';
  if (output !== 'table') out.write(renderResult(output, { revision: wanted, outcome, listeners }, ''));
  else if (missing.length === 0)
    out.write(`Revision ${wanted} is in force at ${urls.map(({ href }) => href).join(', ')}.\n`);
  else
    err.write(
      `Revision ${wanted} is not in force:\n${missing.map(({ url, said }) => `  ${url.href}: ${said}\n`).join('')}`,
    );
  return missing.length === 0 ? exitCodes.done : exitCodes.failed;
}

async function revisionOfFile(path: string): Promise<string> {
  const file = await readWholeFile(path, MAX_DOCUMENT_BYTES);
  if (file.kind === 'read') return fileRevision(file.text);
  throw new Error(`${path}: ${file.kind === 'faulty' ? file.message : 'the file changes while it is read'}`);
}

function numberOf(revision: string): number {
  if (!/^\d{1,15}$/.test(revision)) throw new UsageError('--revision: a revision of a database is a number');
  return Number(revision);
}

function parseRevision(text: string): string {
  if (/^[\da-f]{1,15}$/.test(text)) return text;
  throw new InvalidArgumentError(
    `It must be a number, or for a declarative file ${String(REVISION_DIGITS)} hexadecimal digits.`,
  );
}

function parseAdmin(text: string, former: readonly URL[] = []): readonly URL[] {
  if (!/^https?:\/\/[^\s?#@]+$/.test(text) || !URL.canParse(text)) {
    throw new InvalidArgumentError('It must be like http://127.0.0.1:9003.');
  }
  return [...former, new URL(text)];
}
