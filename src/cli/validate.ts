import { type Command, Option } from 'commander';
import type { DocumentContent } from '../document/document-content.ts';
import type { ParsedDocument } from '../document/parse-document.ts';
import type { Problem } from '../document/problem.ts';
import type { DocumentSource, UnreadSource } from '../document/source-text.ts';
import { type ExitCode, exitCodes, type Terminal } from './terminal.ts';

const outputFormats = ['table', 'json', 'yaml'] as const;
type OutputFormat = (typeof outputFormats)[number];

/** What was found in the files: all of it at once. */
interface Finding {
  /** As given, each once. */
  readonly files: readonly string[];
  /** Texts of the files that could be read. */
  readonly texts: ReadonlyMap<string, string>;
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
  const finding = await check([...new Set(files)], terminal.environment);
  terminal.out.write(await render(finding, format, terminal));
  return 'content' in finding.parsed ? exitCodes.done : exitCodes.failed;
}

async function check(files: readonly string[], environment: Terminal['environment']): Promise<Finding> {
  const [{ parseDocument }, { secretReader }, { readWholeFile }] = await Promise.all([
    import('../document/parse-document.ts'),
    import('../document/secret-source.ts'),
    import('../store/file/read-whole-file.ts'),
  ]);
  const texts = new Map<string, string>();
  const sources: (DocumentSource | UnreadSource)[] = [];
  for (const file of files) {
    const read = await readWholeFile(file);
    if (read.kind === 'read') {
      texts.set(file, read.text);
      sources.push({ file, text: read.text });
    } else if (read.kind === 'faulty') {
      sources.push({ file, line: read.line, message: read.message });
    } else {
      sources.push({ file, line: 1, message: 'the file changed while it was read; try again' });
    }
  }
  return {
    files,
    texts,
    parsed: parseDocument(sources, { isComplete: true, readSecret: secretReader({ environment }) }),
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

async function renderProblems(
  problems: readonly Problem[],
  texts: ReadonlyMap<string, string>,
  { environment, out }: Pick<Terminal, 'environment' | 'out'>,
): Promise<string> {
  const [{ excerptOf }, { MAX_PROBLEMS }, { default: picocolors }] = await Promise.all([
    import('../document/source-excerpt.ts'),
    import('../document/problem-log.ts'),
    import('picocolors'),
  ]);
  const colors = picocolors.createColors(out.isTerminal && (environment['NO_COLOR'] ?? '') === '');
  const lines = new Map([...texts].map(([file, text]) => [file, text.split('\n')]));
  const blocks = problems.map((problem) => {
    const { file, line, column, message } = problem;
    const place = colors.bold(`${file}:${String(line)}:${String(column)}:`);
    const excerpt = excerptOf(lines.get(file) ?? [], problem);
    if (excerpt === null) return `${place} ${message}\n`;
    const margin = String(line).padStart(5);
    const mark = colors.red('^');
    const source = `${colors.dim(`${margin} |`)} ${excerpt.text}\n${colors.dim('      |')} ${' '.repeat(excerpt.indent)}${mark}\n`;
    return `${place} ${message}\n${source}`;
  });
  const isCut = problems.length >= MAX_PROBLEMS;
  const files = new Set(problems.map(({ file }) => file)).size;
  const summary = `${isCut ? 'the first ' : ''}${count(problems.length, 'problem')} in ${count(files, 'file')}`;
  return `${blocks.join('')}${colors.red(summary)}\n`;
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
