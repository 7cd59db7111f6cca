import { type Command, InvalidArgumentError, Option } from 'commander';
import { FieldFault } from '../model/document/fields.ts';
import { replaceInvisible } from '../model/document/source-text.ts';
import { isSameFile, openOutput } from '../base/files/output-file.ts';
import { declaredDocument, type ImportedKong, importKong } from '../partners/import/kong/import-kong.ts';
import { type Finding, MAX_FINDINGS } from '../partners/import/kong/finding.ts';
import { sharedLimitChoices, type SharedLimits } from '../partners/import/kong/import-context.ts';
import { kindOfPlugin, preferredMethods } from '../partners/import/kong/plugin-kinds.ts';
import { issuerFields } from '../resources/issuer-fields.ts';
import type { Paint } from '../resources/changes/render-change.ts';
import { addAction, addHelp, type CommandContext } from './command.ts';
import { readSources } from './declarative-files.ts';
import { UsageError } from './failure.ts';
import { collect, collecting } from './flags/values.ts';
import { formatData } from './render/data.ts';
import { count } from '../base/text/printable.ts';
import { paintFor } from './render/text.ts';
import { type ExitCode, exitCodes, type Terminal } from './terminal.ts';

/** Adds `postern import` with what it can read. */
export function registerImport(program: Command, context: CommandContext): void {
  const group = program
    .command('import')
    .description('Turn the configuration of another gateway into a declarative document.');
  addHelp(group, { examples: ['postern import kong -f kong.yaml --to postern.yaml'] });
  registerImportKong(group, context);
}

interface ImportKongFlags {
  readonly file: string;
  readonly output: 'yaml' | 'json';
  readonly to?: string;
  readonly report?: string;
  readonly allowPartial?: true;
  readonly sharedLimits: SharedLimits;
  readonly elsewhere?: readonly string[];
  readonly wholeSegments?: true;
  readonly slashOptional?: true;
  readonly audience?: readonly string[];
  readonly complete?: true;
  readonly observe?: true;
}

function registerImportKong(group: Command, context: CommandContext): void {
  const command = group
    .command('kong')
    .description(
      'Turn Kong’s declarative configuration, such as "deck gateway dump" writes, into a declarative document.',
    )
    .requiredOption('-f, --file <file>', 'the configuration of Kong, in YAML or JSON')
    .addOption(
      new Option('-o, --output <format>', 'how to write the document').choices(['yaml', 'json']).default('yaml'),
    )
    .option('--to <file>', 'write this file, or to this pipe or device; only the owner can read the file')
    .option('--report <file>', 'also write the differences to this file; as JSON if its name ends with .json')
    .option('--allow-partial', 'exit code 0 although something was refused or left out')
    .addOption(
      new Option(
        '--shared-limits <how>',
        'a limit that several routes share: refuse; each route has it; or divide it among them',
      )
        .choices([...sharedLimitChoices])
        .default('refuse'),
    )
    .option(
      '--elsewhere <plugin>',
      'this plugin’s work is done elsewhere, such as in Envoy; repeatable',
      collecting(parsePlugin),
    )
    .option('--whole-segments', 'no back end has paths such as /orders2 where Kong has the path /orders')
    .option('--slash-optional', 'where Kong has the path /orders/, that route may decide /orders too')
    .option(
      '--audience <text>',
      'an "aud" that imported issuers ask of tokens, which Kong does not; repeatable',
      collect,
    )
    .option('--observe', 'endpoints only record what they would decide, while Kong behind them decides')
    .option('--complete', 'the file is the whole configuration, though it was selected by tags');
  addHelp(command, {
    notes: `The document never lets in a caller whom Kong refuses: what Postern cannot translate becomes an endpoint that
refuses everything (enabled: false), or is left out. Each such error is reported on standard error with its place in
the file, the reason and what to do instead. Warnings are differences that callers or back ends may notice. The document
is always written.

It holds secrets if the file does. They are not printed to a terminal: give --to, or a pipe.`,
    examples: [
      'postern import kong -f kong.yaml --to postern.yaml',
      'postern import kong -f kong.yaml --to postern.yaml --report report.txt --shared-limits each --elsewhere ip-restriction',
      'postern validate -f postern.yaml',
    ],
    exits: { failed: 'errors, or the file is not a Kong configuration' },
  });
  addAction(command, context, async (flags: ImportKongFlags) => await runImportKong(flags, context.terminal));
}

const PLUGIN_NAME = /^[\w-]{1,100}$/;

function parsePlugin(name: string): string {
  if (!PLUGIN_NAME.test(name)) throw new InvalidArgumentError('must be the name of a plugin, such as ip-restriction.');
  const { kind } = kindOfPlugin(name);
  if (kind === 'restricting' || kind === 'limit') return name;
  throw new InvalidArgumentError(
    kind === 'authentication' || kind === 'other-authentication' || kind === 'acl'
      ? `who gets in is decided here: it cannot be for ${[...preferredMethods.map(({ plugin }) => plugin), 'acl'].join(', ')} and the like.`
      : 'it is not needed for this plugin.',
  );
}

async function runImportKong(flags: ImportKongFlags, terminal: Terminal): Promise<ExitCode> {
  const { out, err } = terminal;
  if (flags.audience !== undefined) {
    const audiences = issuerFields.audiences(flags.audience);
    if (audiences instanceof FieldFault) throw new UsageError(`--audience ${audiences.message}`);
  }
  await checkOutputs(flags);
  // Both hold what only the owner should read: the document may have secrets, and the report names partners.
  const document = flags.to === undefined ? null : await openOutput(flags.to, 'owner');
  const report = flags.report === undefined ? null : await openOutput(flags.report, 'owner');
  const imported = await readKong(flags, err);
  if (imported === null) return exitCodes.failed;
  if (document === null && out.isTerminal && imported.holdsSecrets) {
    throw new UsageError('the document holds secrets, which are not printed to a terminal: give --to FILE, or a pipe');
  }
  const pieces = declaredDocument(imported, flags.output);
  if (document === null) for await (const piece of pieces) out.write(piece);
  else await document.write(pieces);
  await report?.write(reportPieces(flags.report ?? '', imported));
  err.write(renderFindings(imported, paintFor(terminal, err)));
  return imported.counts.error > 0 && flags.allowPartial !== true ? exitCodes.failed : exitCodes.done;
}

/** Throws `UsageError` where one file would replace another. */
async function checkOutputs({ file, to, report }: ImportKongFlags): Promise<void> {
  for (const output of [to, report]) {
    if (output !== undefined && (await isSameFile(output, file))) {
      throw new UsageError('--to and --report would replace the file that is read; name another one');
    }
  }
  if (to !== undefined && report !== undefined && (await isSameFile(to, report))) {
    throw new UsageError('--to and --report name the same file; name another one for the report');
  }
}

/** Null for a file that is no configuration of Kong, whose problems were printed then. */
async function readKong(flags: ImportKongFlags, err: Terminal['err']): Promise<ImportedKong | null> {
  const { sources } = await readSources([flags.file]);
  const [source] = sources;
  if (source === undefined) throw new Error('no file was read');
  const result = importKong(source, {
    sharedLimits: flags.sharedLimits,
    elsewhere: new Set(flags.elsewhere ?? []),
    wholeSegments: flags.wholeSegments === true,
    slashOptional: flags.slashOptional === true,
    audiences: flags.audience ?? [],
    isComplete: flags.complete === true,
    observes: flags.observe === true,
  });
  if (!('problems' in result)) return result.imported;
  // Without the lines of the file: any of them may hold a secret.
  for (const { file, line, column, message } of result.problems) {
    err.write(`${replaceInvisible(`${file}:${String(line)}:${String(column)}: ${message}`)}\n`);
  }
  err.write(`${count(result.problems.length, 'problem')}; nothing was written\n`);
  return null;
}

async function* reportPieces(name: string, imported: ImportedKong): AsyncGenerator<string> {
  yield await Promise.resolve(name.endsWith('.json') ? describeFindings(imported) : renderFindings(imported));
}

type FindingReport = Pick<ImportedKong, 'findings' | 'counts' | 'endpoints' | 'issuers' | 'consumers' | 'grants'>;

const plain: Paint = { bold: String, dim: String, red: String, green: String, yellow: String };

/** Findings for people: `file:line:column: error: what differs`, and what to do on a line of its own. */
function renderFindings(report: FindingReport, paint: Paint = plain): string {
  const { findings, counts } = report;
  const blocks = groupsOf(findings).map(([first, ...others]) => {
    const { level, file, line, column, subject, what, instead } = first;
    const colour = level === 'error' ? paint.red : level === 'warning' ? paint.yellow : paint.dim;
    const head = `${paint.bold(`${file}:${String(line)}:${String(column)}:`)} ${colour(`${level}:`)} ${subject}: ${what}\n`;
    const same = others.length === 0 ? '' : `    the same: ${listPlaces(others)}\n`;
    return head + same + (instead === null ? '' : `    -> ${instead}\n`);
  });
  const summary = `${describeContent(report)}: ${count(counts.error, 'error')}, ${count(counts.warning, 'warning')}, ${count(counts.note, 'note')}`;
  const total = counts.error + counts.warning + counts.note;
  return `${blocks.join('')}${summary}${total > MAX_FINDINGS ? `; the first ${String(MAX_FINDINGS)} that were found are shown` : ''}\n`;
}

type Group = readonly [Finding, ...Finding[]];

/** Findings that say the same of several things, each group where its first one stands. */
function groupsOf(findings: readonly Finding[]): readonly Group[] {
  const groups = new Map<string, [Finding, ...Finding[]]>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.level, finding.file, finding.what, finding.instead]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  return [...groups.values()];
}

/** More of a group are counted. The report as JSON has all. */
const MAX_PLACES = 10;

/** `route "b" (line 7), route "c" (line 9) and 3 more`. */
function listPlaces(findings: readonly Finding[]): string {
  const shown = findings.slice(0, MAX_PLACES).map(({ subject, line }) => `${subject} (line ${String(line)})`);
  const more = findings.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
}

function describeFindings({ findings, counts }: FindingReport): string {
  return formatData({ counts, findings }, 'json');
}

/** `4 endpoints (1 refuses everything), 1 issuer, 2 consumers, 1 grant`; issuers only where there are some. */
function describeContent({ endpoints, issuers, consumers, grants }: FindingReport): string {
  const refusing = endpoints.filter(({ enabled }) => enabled === false).length;
  const closed = refusing === 0 ? '' : ` (${String(refusing)} ${refusing === 1 ? 'refuses' : 'refuse'} everything)`;
  const ofTokens = issuers.length === 0 ? '' : `, ${count(issuers.length, 'issuer')}`;
  return `${count(endpoints.length, 'endpoint')}${closed}${ofTokens}, ${count(consumers.length, 'consumer')}, ${count(grants.length, 'grant')}`;
}
