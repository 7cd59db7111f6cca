import { documentNames, MAX_LARGE_DOCUMENT_BYTES } from '../resources/parse-document.ts';
import { MAX_PROBLEMS } from '../model/document/problem-log.ts';
import { excerptOf } from '../model/document/source-excerpt.ts';
import { readWholeFile } from '../base/files/read-whole-file.ts';
import { count, grouped } from '../base/text/printable.ts';
import { paintFor } from './render/text.ts';
import { formatPlace, type Problem } from '../model/document/problem.ts';
import type { DocumentSource, UnreadSource } from '../model/document/source-text.ts';
import type { Terminal } from './terminal.ts';

/** The files of a command that together are one document. */
export interface SourceFiles {
  /** As given, each once. */
  readonly files: readonly string[];
  /** Texts of the files that could be read. */
  readonly texts: ReadonlyMap<string, string>;
  readonly sources: readonly (DocumentSource | UnreadSource)[];
}

/** Reads the files of `-f`. One that cannot be read is a source whose problem is reported with the others. */
export async function readSources(names: readonly string[]): Promise<SourceFiles> {
  const files = [...new Set(names)];
  const texts = new Map<string, string>();
  const sources: (DocumentSource | UnreadSource)[] = [];
  for (const file of files) {
    const read = await readWholeFile(file, MAX_LARGE_DOCUMENT_BYTES);
    if (read.kind === 'read') {
      texts.set(file, read.text);
      sources.push({ file, text: read.text });
    } else if (read.kind === 'faulty') {
      sources.push({ file, line: read.line, message: read.message });
    } else {
      sources.push({ file, line: 1, message: 'the file changed while it was read; try again' });
    }
  }
  return { files, texts, sources };
}

/** The problems of declarative files for people: each with its line, a mark below its place, and no secret. */
export function renderProblems(
  problems: readonly Problem[],
  texts: ReadonlyMap<string, string>,
  terminal: Pick<Terminal, 'environment' | 'out'>,
): string {
  const colors = paintFor(terminal);
  const blocks = renderPlaces(problems, texts, { terminal, level: '' });
  const isCut = problems.length >= MAX_PROBLEMS;
  const files = new Set(problems.map(({ file }) => file)).size;
  const summary = `${isCut ? 'the first ' : ''}${count(problems.length, 'problem')} in ${count(files, 'file')}`;
  return `${blocks}${colors.red(summary)}\n`;
}

/** Warnings in the same form, each called one; nothing when there are none. */
export function renderWarnings(
  warnings: readonly Problem[],
  texts: ReadonlyMap<string, string>,
  terminal: Pick<Terminal, 'environment' | 'out'>,
): string {
  const colors = paintFor(terminal);
  return renderPlaces(warnings, texts, { terminal, level: `${colors.yellow('warning:')} ` });
}

/** So many are shown one by one: what is wrong everywhere has one cause. Programs get all of them. */
const MAX_SHOWN = 20;

function renderPlaces(
  all: readonly Problem[],
  texts: ReadonlyMap<string, string>,
  { terminal, level }: { readonly terminal: Pick<Terminal, 'environment' | 'out'>; readonly level: string },
): string {
  const colors = paintFor(terminal);
  const problems = all.slice(0, MAX_SHOWN);
  const more = all.length - problems.length;
  const files = new Set(problems.map(({ file }) => file));
  const lines = new Map([...texts].flatMap(([file, text]) => (files.has(file) ? [[file, text.split('\n')]] : [])));
  const blocks = problems.map((problem) => {
    const { file, line, message } = problem;
    const heading = `${colors.bold(formatPlace(problem))} ${level}${message}\n`;
    const excerpt = excerptOf(lines.get(file) ?? [], problem, documentNames);
    if (excerpt === null) return heading;
    const margin = String(line).padStart(5);
    const mark = colors.red('^');
    return `${heading}${colors.dim(`${margin} |`)} ${excerpt.text}\n${colors.dim('      |')} ${' '.repeat(excerpt.indent)}${mark}\n`;
  });
  return `${blocks.join('')}${more === 0 ? '' : `… and ${grouped(more)} more; -o json prints all\n`}`;
}
