import type { Command } from 'commander';
import { type Clock, systemClock } from '../base/clock.ts';
import { findWarnings } from '../resources/find-warnings.ts';
import { parsePlacedDocument, type PlacedDocument, type PlacedOptions } from '../resources/parse-document.ts';
import type { Problem } from '../model/document/problem.ts';
import { noteOnLasting } from '../check/limit/lasting-limits.ts';
import { describeGrant } from '../resources/grant.ts';
import { anySecret, secretReader } from '../resources/secret-source.ts';
import { addAction, addHelp, type CommandContext } from './command.ts';
import { readSources, renderProblems, renderWarnings, type SourceFiles } from './declarative-files.ts';
import { type OutputFormat, outputOption, type SelectorFlag, selectorOption } from './flags/options.ts';
import { formatData } from './render/data.ts';
import { count } from '../base/text/printable.ts';
import { type ExitCode, exitCodes, type Terminal } from './terminal.ts';

interface Finding extends SourceFiles {
  readonly parsed:
    | { readonly document: PlacedDocument; readonly warnings: readonly Problem[]; readonly note: string | null }
    | { readonly problems: readonly Problem[]; readonly lacksOnlySecrets: boolean };
}

interface ValidateFlags extends SelectorFlag {
  readonly file?: readonly string[];
  readonly withoutSecrets?: true;
  readonly output: OutputFormat;
}

/** Adds `postern validate`. */
export function registerValidate(program: Command, context: CommandContext): void {
  const command = program
    .command('validate')
    .description('Check declarative files and report every problem with file, line and column.')
    .argument('[files...]', 'files that together are one document; the one of POSTERN_STORE when left out')
    .option('-f, --file <file...>', 'the same, as in "apply" and "diff"')
    .addOption(selectorOption('files for apply --selector: all of it carries this label'))
    .option(
      '--without-secrets',
      'files for apply, which keeps or generates App Keys and App Secrets: they may be missing',
    )
    .addOption(outputOption());
  addHelp(command, {
    notes: `Several files are one document: grants in one may name endpoints of another. App Secrets are looked up too, so the
environment variables and files of appSecretFrom must be there, except with --without-secrets. No secret is printed.

Warnings are about what is valid but probably a mistake, such as a path with a wildcard or a grant that has ended.

With --selector, grants may name what only the store has. The store is not read: "diff" with the same flags does.`,
    examples: [
      'postern validate',
      'postern validate postern.yaml',
      'postern validate -f endpoints.yaml -f consumers.yaml -o json',
      'postern validate -f payments.yaml --selector team=payments --without-secrets',
    ],
    exits: { done: 'valid, with or without warnings', failed: 'problems' },
  });
  addAction(command, context, async (names: readonly string[], { file = [], output, ...flags }: ValidateFlags) => {
    const given = [...names, ...file];
    const files = given.length > 0 ? given : [await fileOfStore(context.terminal.environment)];
    return await validate(files, { format: output, ...flags }, context.terminal);
  });
}

/** How files are validated, and the result printed. */
export interface HowToValidate extends SelectorFlag {
  readonly format: OutputFormat;
  /** App Keys and App Secrets may be missing, and none is looked up. */
  readonly withoutSecrets?: boolean;
}

/** Checks files as one document and prints what was found. Gives 0 for a valid document and 1 for problems. */
export async function validate(
  files: readonly string[],
  { format, selector, withoutSecrets = false }: HowToValidate,
  terminal: Pick<Terminal, 'environment' | 'out'>,
  clock: Clock = systemClock,
): Promise<ExitCode> {
  const finding = await check(
    files,
    { clock, environment: terminal.environment },
    {
      isComplete: !withoutSecrets,
      references: 'as-selected',
      selector,
      readSecret: withoutSecrets ? anySecret : secretReader({ environment: terminal.environment }),
    },
  );
  terminal.out.write(render(finding, format, terminal));
  return 'document' in finding.parsed ? exitCodes.done : exitCodes.failed;
}

/** Loads the settings: with files given, they are not needed. */
async function fileOfStore(environment: Terminal['environment']): Promise<string> {
  return (await import('./store/served-file.ts')).findServedFile(environment);
}

async function check(
  names: readonly string[],
  { clock, environment }: Pick<Terminal, 'environment'> & { readonly clock: Clock },
  options: PlacedOptions,
): Promise<Finding> {
  const read = await readSources(names);
  const parsed = parsePlacedDocument(read.sources, options);
  if ('problems' in parsed) {
    const again = { ...options, isComplete: false, readSecret: anySecret };
    const lacksOnlySecrets = options.isComplete && 'document' in parsePlacedDocument(read.sources, again);
    return { ...read, parsed: { ...parsed, lacksOnlySecrets } };
  }
  const { document } = parsed;
  const warnings = findWarnings(document, read.sources, clock.nowSeconds());
  const holders = [
    ...document.endpoints.map(({ value: { id, limits } }) => ({ name: `endpoint ${id}`, limits })),
    ...document.grants.map(({ value }) => ({ name: describeGrant(value), limits: value.limits })),
    ...document.plans.map(({ value: { id, limits } }) => ({ name: `plan ${id}`, limits })),
  ];
  return { ...read, parsed: { document, warnings, note: noteOnLasting(holders, environment) } };
}

function render(finding: Finding, format: OutputFormat, terminal: Pick<Terminal, 'environment' | 'out'>): string {
  if (format !== 'table') return formatData(describe(finding), format);
  const { parsed, texts, files } = finding;
  if ('problems' in parsed) {
    return renderProblems(parsed.problems, texts, terminal) + (parsed.lacksOnlySecrets ? LACKS_ONLY_SECRETS : '');
  }
  const { document, warnings, note } = parsed;
  const warned = warnings.length === 0 ? '' : `; ${count(warnings.length, 'warning')}`;
  const counts = Object.entries(countResources(document)).map(([kinds, number]) => count(number, kinds.slice(0, -1)));
  const summary = `${nameOf(files)}: valid: ${counts.join(', ')}${warned}\n`;
  return `${renderWarnings(warnings, texts, terminal)}${note === null ? '' : `note: ${note}\n`}${summary}`;
}

const LACKS_ONLY_SECRETS = `But for App Keys and App Secrets, the document is right. For a database they may be left out: "postern apply" makes those
of new credentials that have an id, and keeps those that are stored; check with --without-secrets. A file that is served
needs them.
`;

function describe({ files, parsed }: Finding): object {
  if ('problems' in parsed) return { valid: false, files, problems: parsed.problems };
  const { document, warnings, note } = parsed;
  return { valid: true, files, ...countResources(document), warnings, ...(note === null ? {} : { notes: [note] }) };
}

function countResources({
  endpoints,
  consumers,
  credentials,
  grants,
  plans,
  issuers,
}: PlacedDocument): Readonly<Record<string, number>> {
  return {
    endpoints: endpoints.length,
    consumers: consumers.length,
    credentials: credentials.length,
    grants: grants.length,
    ...(plans.length === 0 ? {} : { plans: plans.length }),
    ...(issuers.length === 0 ? {} : { issuers: issuers.length }),
  };
}

function nameOf(files: readonly string[]): string {
  return files.length === 1 ? files.join() : count(files.length, 'file');
}
