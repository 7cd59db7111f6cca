import { type Command, Option } from 'commander';
import type { DocumentContent } from '../document/document-content.ts';
import type { ParsedDocument } from '../document/parse-document.ts';
import type { SourceFiles } from './document/read-sources.ts';
import { type ExitCode, exitCodes, type Terminal } from './terminal.ts';

const outputFormats = ['table', 'json', 'yaml'] as const;
type OutputFormat = (typeof outputFormats)[number];

/** What was found in the files: all of it at once. */
interface Finding extends SourceFiles {
  readonly parsed: ParsedDocument;
}

/** Adds `postern validate`. */
export function registerValidate(program: Command, terminal: Terminal, finish: (code: ExitCode) => void): void {
  program
    .command('validate')
    .description('Check declarative files and tell every problem with file, line and column.')
    .requiredOption('-f, --file <file...>', 'files that together are one document')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(outputFormats).default('table'))
    .addHelpText(
      'after',
      `
Several files are one document: grants in one may name endpoints of another. App Secrets are looked up too, so the
environment variables and files of appSecretFrom must be there. No secret is printed.

Examples:
  $ postern validate -f postern.yaml
  $ postern validate -f endpoints.yaml -f consumers.yaml -o json

Exit codes: 0 valid, 1 problems, 2 usage.`,
    )
    .action(async ({ file, output }: { file: readonly string[]; output: OutputFormat }) => {
      finish(await validate(file, output, terminal));
    });
}

/** Checks files as one document and prints what was found. Gives 0 for a valid document and 1 for problems. */
export async function validate(
  files: readonly string[],
  format: OutputFormat,
  terminal: Pick<Terminal, 'environment' | 'out'>,
): Promise<ExitCode> {
  const finding = await check(files, terminal.environment);
  terminal.out.write(await render(finding, format, terminal));
  return 'content' in finding.parsed ? exitCodes.done : exitCodes.failed;
}

async function check(names: readonly string[], environment: Terminal['environment']): Promise<Finding> {
  const [{ parseDocument }, { secretReader }, { readSources }] = await Promise.all([
    import('../document/parse-document.ts'),
    import('../document/secret-source.ts'),
    import('./document/read-sources.ts'),
  ]);
  const read = await readSources(names);
  return {
    ...read,
    parsed: parseDocument(read.sources, { isComplete: true, readSecret: secretReader({ environment }) }),
  };
}

async function render(
  finding: Finding,
  format: OutputFormat,
  terminal: Pick<Terminal, 'environment' | 'out'>,
): Promise<string> {
  if (format === 'json') return `${JSON.stringify(describe(finding), null, 2)}\n`;
  if (format === 'yaml') return (await import('yaml')).stringify(describe(finding));
  const { parsed } = finding;
  if ('content' in parsed) return `${nameOf(finding.files)}: valid: ${countResources(parsed.content)}\n`;
  const { renderProblems } = await import('./document/render-problems.ts');
  return await renderProblems(parsed.problems, finding.texts, terminal);
}

/** What scripts get. */
function describe({ files, parsed }: Finding): object {
  if ('problems' in parsed) return { valid: false, files, problems: parsed.problems };
  const { endpoints, consumers, credentials, grants } = parsed.content;
  return {
    valid: true,
    files,
    endpoints: endpoints.length,
    consumers: consumers.length,
    credentials: credentials.length,
    grants: grants.length,
  };
}

function countResources({ endpoints, consumers, credentials, grants }: DocumentContent): string {
  return [
    count(endpoints.length, 'endpoint'),
    count(consumers.length, 'consumer'),
    count(credentials.length, 'credential'),
    count(grants.length, 'grant'),
  ].join(', ');
}

function nameOf(files: readonly string[]): string {
  return files.length === 1 ? files.join() : count(files.length, 'file');
}

function count(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? '' : 's'}`;
}
