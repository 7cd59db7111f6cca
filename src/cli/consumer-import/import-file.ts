import type { Problem } from '../../model/document/problem.ts';
import type { StepsOutcome } from '../../resources/changes/apply/commit-in-steps.ts';
import { planApply } from '../../resources/changes/apply/plan-apply.ts';
import type { GeneratedCredential } from '../../resources/changes/apply/apply-plan.ts';
import type { Change } from '../../resources/changes/change.ts';
import { grantId } from '../../resources/grant.ts';
import { parsePlacedDocument } from '../../resources/parse-document.ts';
import { anySecret } from '../../resources/secret-source.ts';
import { openGeneratedFile, type GeneratedFile } from '../apply/generated-file.ts';
import { declareGenerated, printGenerated } from '../apply/plan.ts';
import type { CommandContext } from '../command.ts';
import { readSources, renderProblems } from '../declarative-files.ts';
import { reportFailure, UsageError, writeSafely } from '../failure.ts';
import { watchForStop } from '../interaction.ts';
import { count, grouped } from '../../base/text/printable.ts';
import { formatData } from '../render/data.ts';
import { type ListView, printList } from '../render/list.ts';
import type { OpenedStore } from '../opened-store.ts';
import { openForChange } from '../store/change-store.ts';
import { commitWithProgress } from '../store/commit-changes.ts';
import { waitWhereWished } from '../store/wait-for-replicas.ts';
import { type ExitCode, exitCodes, type Terminal } from '../terminal.ts';
import { documentOf, type PartnerDocument, type PartnerRow } from './partner-rows.ts';
import { readCsv } from './read-csv.ts';
import type { ImportFlags } from './consumer-import.ts';

/** Imports the partners of a file, as the flags say, and prints what became of each row. Gives the exit code. */
export async function importFile(file: string, flags: ImportFlags, context: CommandContext): Promise<ExitCode> {
  if ((flags.handover === undefined) !== (flags.url === undefined)) {
    throw new UsageError('--handover and --url go together: the folder, and the address that is written into it');
  }
  const out = flags.out === undefined ? null : await openGeneratedFile(flags.out);
  const read = await readPartners(file, flags);
  if ('problems' in read) return refuse(read.problems, flags, context);
  const { document } = read;
  if (document.unused.length > 0) {
    writeSafely(context.terminal.err, `note: columns that are not used: ${document.unused.join(', ')}\n`);
  }
  await using store = await openForChange(context, 'consumer import', flags, true);
  return await importPartners(document, { flags, context, store, out });
}

async function readPartners(
  file: string,
  { map = {}, method, endpoint = [] }: ImportFlags,
): Promise<{ readonly document: PartnerDocument } | { readonly problems: readonly Problem[] }> {
  const { sources } = await readSources([file]);
  const [source] = sources;
  if (source === undefined || !('text' in source)) {
    throw new UsageError(`${file}: ${source === undefined ? 'cannot be read' : source.message}`);
  }
  const read = readCsv(file, source.text);
  if ('problems' in read) return read;
  return { document: documentOf(file, read.table, { map, method, endpoints: endpoint }) };
}

interface Running {
  readonly flags: ImportFlags;
  readonly context: CommandContext;
  readonly store: OpenedStore;
  /** Null where what is generated is printed. */
  readonly out: GeneratedFile | null;
}

async function importPartners(document: PartnerDocument, running: Running): Promise<ExitCode> {
  const { flags, context, store } = running;
  const parsed = parsePlacedDocument([document.source], {
    isComplete: false,
    references: 'elsewhere',
    readSecret: anySecret,
  });
  const planned =
    'problems' in parsed ? parsed : await planApply(parsed.document, store.resources, { isPruning: false });
  if ('problems' in planned) return refuse(planned.problems.map(document.toCell), flags, context);
  const { changes: all, generated } = planned.plan;
  const missing = all.filter(({ before }) => before === null);
  const differing = new Set(all.filter(({ before }) => before !== null).map(nameOf));
  const dryRun = flags.dryRun === true;
  const made: Change[] = [];
  const pairsMade = (): readonly GeneratedCredential[] =>
    made.flatMap(({ kind, id }) => (kind === 'credential' ? (generated.get(id) ?? []) : []));
  const { end, revision } = dryRun ? NOTHING : await commitMissing(missing, made, pairsMade, running);
  const done = new Set((dryRun ? missing : made).map(nameOf));
  const due = new Set(missing.map(nameOf));
  const rows = document.rows.map((row) => ({ ...row, what: fateOf(row, { done, due, differing }) }));
  const pairs = pairsMade();
  await report(rows, pairs, { revision, created: done.size }, running);
  if (end !== 'done') {
    const code =
      end === 'stopped' ? exitCodes.failed : reportFailure('postern consumer import', end.error, context.terminal);
    const left = `${grouped(made.length)} of ${grouped(missing.length)} are created`;
    context.terminal.err.write(`${left}. Run the same command again: it does what is left.\n`);
    return code;
  }
  if (dryRun) return exitCodes.done;
  const code = await waitWhereWished(revision, store, flags, context);
  return code === exitCodes.done ? await handOver(pairs, flags, context) : code;
}

interface Committed {
  readonly end: StepsOutcome['end'];
  /** Of the last commit; null when there was none. */
  readonly revision: number | null;
}

const NOTHING: Committed = { end: 'done', revision: null };

/**
 * Makes what is missing, in steps where one transaction does not carry all, and adds to `made` what was committed. What
 * was generated for it is in the file after each step.
 */
async function commitMissing(
  missing: readonly Change[],
  made: Change[],
  pairsMade: () => readonly GeneratedCredential[],
  { flags, context, store, out }: Running,
): Promise<Committed> {
  let isOver = false;
  const isStopped = watchForStop(context.terminal, {
    isOver: () => isOver,
    first: 'Stopping after the step under way, in a few seconds; Ctrl-C again leaves it unknown.\n',
    second: 'Stopped: the same command with --dry-run shows what is not done yet.\n',
    exitCode: exitCodes.unknown,
  });
  let revision: number | null = null;
  const onCommitted = async (step: readonly Change[], latest: number): Promise<void> => {
    revision = latest;
    for (const change of step) made.push(change);
    await out?.keep(pairsMade());
  };
  const operation = { actor: store.actor, action: 'consumer import', reason: flags.reason };
  const work = { store: store.resources, operation, label: 'importing', isStopped, onCommitted };
  const { end } = await commitWithProgress(missing, work, context);
  isOver = true;
  return { end, revision };
}

function nameOf({ kind, id }: Pick<Change, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

interface Fates {
  readonly done: ReadonlySet<string>;
  readonly due: ReadonlySet<string>;
  readonly differing: ReadonlySet<string>;
}

/** What happened to a row, or would. */
function fateOf({ consumerId, credentialId, endpointIds }: PartnerRow, { done, due, differing }: Fates): string {
  const parts = [
    ['the consumer', nameOf({ kind: 'consumer', id: consumerId })],
    ...(credentialId === null
      ? []
      : [[`the credential ${credentialId}`, nameOf({ kind: 'credential', id: credentialId })]]),
    ...endpointIds.map((endpointId) => [
      `the grant on ${endpointId}`,
      nameOf({ kind: 'grant', id: grantId({ endpointId, consumerId }) }),
    ]),
  ] as const;
  const created = parts.filter(([, name = '']) => done.has(name)).map(([text]) => text);
  const left = parts.filter(([, name = '']) => due.has(name) && !done.has(name)).map(([text]) => text);
  const others = parts.filter(([, name = '']) => differing.has(name)).map(([text]) => text);
  const texts = [
    ...(created.length === 0 ? [] : [`creates ${created.join(', ')}`]),
    ...(left.length === 0 ? [] : [`not done: ${left.join(', ')}`]),
    ...(others.length === 0 ? [] : [`left as stored, which differs: ${others.join(', ')}`]),
  ];
  return texts.length === 0 ? 'is there already' : texts.join('; ');
}

interface ReportedRow extends PartnerRow {
  readonly what: string;
}

const view: ListView<ReportedRow> = {
  columns: [
    { heading: 'LINE', cell: ({ line }) => String(line) },
    { heading: 'CONSUMER', cell: ({ consumerId }) => consumerId },
    { heading: 'WHAT HAPPENS', cell: ({ what }) => what },
  ],
  declare: declareRow,
  none: 'The file has no rows below its headings.',
};

function declareRow({ line, consumerId, what }: ReportedRow): object {
  return { line, consumer: consumerId, what };
}

/** Prints what happened to each row, and what was generated, which is nowhere else: where it cannot be written, too. */
async function report(
  rows: readonly ReportedRow[],
  pairs: readonly GeneratedCredential[],
  { revision, created }: { readonly revision: number | null; readonly created: number },
  { flags, store, context: { terminal }, out }: Running,
): Promise<void> {
  const isWritten = await writePairs(pairs, out, terminal.err);
  const printed = isWritten ? [] : pairs;
  const dryRun = flags.dryRun === true;
  if (flags.output !== 'table') {
    const generated = declareGenerated(printed);
    terminal.out.write(formatData({ dryRun, revision, rows: rows.map(declareRow), generated }, flags.output));
    return;
  }
  await printList(listed(rows), view, flags.output, terminal);
  const skipped = rows.filter(({ what }) => what === 'is there already').length;
  const sum = `${count(created, 'resource', grouped(created))} created`;
  terminal.out.write(
    `${count(rows.length, 'row', grouped(rows.length))}: ${sum}, ${grouped(skipped)} rows were there already.\n`,
  );
  if (dryRun) terminal.out.write('Nothing was changed (--dry-run).\n');
  printGenerated(printed, store, terminal);
}

async function* listed<T>(items: readonly T[]): AsyncGenerator<T> {
  await Promise.resolve();
  yield* items;
}

async function writePairs(
  pairs: readonly GeneratedCredential[],
  out: GeneratedFile | null,
  err: Terminal['err'],
): Promise<boolean> {
  if (out === null || pairs.length === 0) return false;
  try {
    await out.write(pairs);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    writeSafely(err, `postern consumer import: ${error.message}; what was generated is printed instead\n`);
    return false;
  }
  writeSafely(err, `Generated, and written to ${out.path} only: ${count(pairs.length, 'credential')}.\n`);
  return true;
}

/** Writes the hand-overs of credentials that were made, without their secrets. */
async function handOver(
  pairs: readonly GeneratedCredential[],
  { handover: to, url, store, timeout, output }: ImportFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const credential = pairs.map(({ credential: { id } }) => id);
  if (to === undefined || url === undefined || credential.length === 0) return exitCodes.done;
  const where = { timeout, ...(store === undefined ? {} : { store }) };
  const { handOverTo } = await import('../handover/handover.ts');
  const flags = { credential, url, to, language: 'shell', output: 'markdown', ...where } as const;
  return await handOverTo(flags, context, output === 'table' ? 'out' : 'err');
}

function refuse(problems: readonly Problem[], { output }: ImportFlags, { terminal }: CommandContext): ExitCode {
  // Excerpts would be of the document that was made of the rows.
  const text = output === 'table' ? renderProblems(problems, new Map(), terminal) : formatData({ problems }, output);
  terminal.out.write(text);
  return exitCodes.failed;
}
