import { type Command, InvalidArgumentError, Option } from 'commander';
import { authenticationMethods } from '../../model/endpoint.ts';
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
import { addAction, addHelp, changeExits, type CommandContext } from '../command.ts';
import { readSources, renderProblems } from '../declarative-files.ts';
import { reportFailure, UsageError, writeSafely } from '../failure.ts';
import { addChangeOptions, type ChangeFlags } from '../flags/options.ts';
import { collectId } from '../flags/values.ts';
import { watchForStop } from '../interaction.ts';
import { count, grouped } from '../../base/text/printable.ts';
import { formatData } from '../render/data.ts';
import { type ListView, printList } from '../render/list.ts';
import type { OpenedStore } from '../opened-store.ts';
import { openForChange } from '../store/change-store.ts';
import { commitWithProgress } from '../store/commit-changes.ts';
import { waitWhereWished } from '../store/wait-for-replicas.ts';
import { type ExitCode, exitCodes, type Terminal } from '../terminal.ts';
import { documentOf, importedFields, type PartnerDocument, type PartnerRow, type RowDefaults } from './partner-rows.ts';
import { readCsv } from './read-csv.ts';

interface ImportFlags extends ChangeFlags {
  readonly map?: RowDefaults['map'];
  readonly method?: string;
  readonly endpoint?: readonly string[];
  readonly out?: string;
}

/** Adds `postern consumer import`. */
export function registerConsumerImport(noun: Command, context: CommandContext): void {
  const command = noun
    .command('import')
    .description('Create the partners of a CSV file, with a credential and grants for each.')
    .argument('<file>', 'CSV whose first line names its columns')
    .option('--map <field=column>', `which column gives a field; repeatable`, collectMap)
    .addOption(
      new Option('--method <method>', 'a credential of this method for each row').choices(authenticationMethods),
    )
    .option('--endpoint <id>', 'a grant on this endpoint for each row; repeatable', collectId)
    .option('--out <file>', 'write what is generated into this new file, for its owner only, instead of printing it');
  addChangeOptions(command);
  addHelp(command, {
    notes: `Fields: ${importedFields.join(', ')}, and label.NAME. A column with the name of a field needs no --map.
"endpoints" holds ids with blanks or ";" between them. Without "credential", a credential is called CONSUMER-METHOD.

Only what is missing is created: what is there stays as it is, so that the same command can be run again after an
interruption. Problems have the line, and the number of the column.`,
    examples: [
      'postern consumer import partners.csv --map id=Partner --map name=Company --map label.tier=Tier --dry-run',
      'postern consumer import partners.csv --method hmac --endpoint orders --out secrets.yaml',
    ],
    exits: { ...changeExits, failed: 'problems of the file, or stopped', conflict: 'others changed the store' },
  });
  addAction(command, context, async (file: string, flags: ImportFlags) => {
    const out = flags.out === undefined ? null : await openGeneratedFile(flags.out);
    const read = await readPartners(file, flags);
    if ('problems' in read) return refuse(read.problems, flags, context);
    const { document } = read;
    if (document.unused.length > 0) {
      writeSafely(context.terminal.err, `note: columns that are not used: ${document.unused.join(', ')}\n`);
    }
    await using store = await openForChange(context, 'consumer import', flags, true);
    return await importPartners(document, { flags, context, store, out });
  });
}

function collectMap(text: string, former: RowDefaults['map'] = {}): RowDefaults['map'] {
  const [, field = '', column = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (!importedFields.includes(field) && !/^label\../.test(field)) {
    throw new InvalidArgumentError(`Write FIELD=COLUMN; fields are ${importedFields.join(', ')} and label.NAME.`);
  }
  if (Object.hasOwn(former, field)) throw new InvalidArgumentError(`${field} is given twice.`);
  return { ...former, [field]: column };
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
  const { end, revision } = dryRun ? NOTHING : await commitMissing(missing, made, running);
  const done = new Set((dryRun ? missing : made).map(nameOf));
  const due = new Set(missing.map(nameOf));
  const rows = document.rows.map((row) => ({ ...row, what: fateOf(row, { done, due, differing }) }));
  const pairs = made.flatMap(({ kind, id }) => (kind === 'credential' ? (generated.get(id) ?? []) : []));
  await report(rows, pairs, { revision, created: done.size }, running);
  if (end !== 'done') {
    const code =
      end === 'stopped' ? exitCodes.failed : reportFailure('postern consumer import', end.error, context.terminal);
    const left = `${grouped(made.length)} of ${grouped(missing.length)} are created`;
    context.terminal.err.write(`${left}. Run the same command again: it does what is left.\n`);
    return code;
  }
  return dryRun ? exitCodes.done : await waitWhereWished(revision, store, flags, context);
}

interface Committed {
  readonly end: StepsOutcome['end'];
  /** Of the last commit; null when there was none. */
  readonly revision: number | null;
}

const NOTHING: Committed = { end: 'done', revision: null };

/** Makes what is missing, in steps where one transaction does not carry all, and adds to `made` what was committed. */
async function commitMissing(
  missing: readonly Change[],
  made: Change[],
  { flags, context, store }: Running,
): Promise<Committed> {
  let isOver = false;
  const isStopped = watchForStop(context.terminal, {
    isOver: () => isOver,
    first: 'Stopping after the step under way, in a few seconds; Ctrl-C again leaves it unknown.\n',
    second: 'Stopped: the same command with --dry-run shows what is not done yet.\n',
    exitCode: exitCodes.unknown,
  });
  let revision: number | null = null;
  const onCommitted = (step: readonly Change[], latest: number): void => {
    revision = latest;
    for (const change of step) made.push(change);
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
  { flags, context: { terminal }, out }: Running,
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
  printGenerated(printed, terminal);
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

function refuse(problems: readonly Problem[], { output }: ImportFlags, { terminal }: CommandContext): ExitCode {
  // Excerpts would be of the document that was made of the rows.
  const text = output === 'table' ? renderProblems(problems, new Map(), terminal) : formatData({ problems }, output);
  terminal.out.write(text);
  return exitCodes.failed;
}
