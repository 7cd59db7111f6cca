import { formatPlace, type Problem } from '../../document/problem.ts';
import type { Terminal } from '../terminal.ts';

/** The problems of declarative files for people: each with its line, a mark below its place, and no secret. */
export async function renderProblems(
  problems: readonly Problem[],
  texts: ReadonlyMap<string, string>,
  terminal: Pick<Terminal, 'environment' | 'out'>,
): Promise<string> {
  const { MAX_PROBLEMS } = await import('../../document/problem-log.ts');
  const colors = await colorsOf(terminal);
  const blocks = await renderPlaces(problems, texts, { terminal, level: '' });
  const isCut = problems.length >= MAX_PROBLEMS;
  const files = new Set(problems.map(({ file }) => file)).size;
  const summary = `${isCut ? 'the first ' : ''}${count(problems.length, 'problem')} in ${count(files, 'file')}`;
  return `${blocks}${colors.red(summary)}\n`;
}

/** Warnings in the same form, each called one; nothing when there are none. */
export async function renderWarnings(
  warnings: readonly Problem[],
  texts: ReadonlyMap<string, string>,
  terminal: Pick<Terminal, 'environment' | 'out'>,
): Promise<string> {
  const colors = await colorsOf(terminal);
  return await renderPlaces(warnings, texts, { terminal, level: `${colors.yellow('warning:')} ` });
}

async function renderPlaces(
  problems: readonly Problem[],
  texts: ReadonlyMap<string, string>,
  { terminal, level }: { readonly terminal: Pick<Terminal, 'environment' | 'out'>; readonly level: string },
): Promise<string> {
  const { excerptOf } = await import('../../document/source-excerpt.ts');
  const colors = await colorsOf(terminal);
  const files = new Set(problems.map(({ file }) => file));
  const lines = new Map([...texts].flatMap(([file, text]) => (files.has(file) ? [[file, text.split('\n')]] : [])));
  const blocks = problems.map((problem) => {
    const { file, line, message } = problem;
    const told = `${colors.bold(formatPlace(problem))} ${level}${message}\n`;
    const excerpt = excerptOf(lines.get(file) ?? [], problem);
    if (excerpt === null) return told;
    const margin = String(line).padStart(5);
    const mark = colors.red('^');
    return `${told}${colors.dim(`${margin} |`)} ${excerpt.text}\n${colors.dim('      |')} ${' '.repeat(excerpt.indent)}${mark}\n`;
  });
  return blocks.join('');
}

async function colorsOf({ environment, out }: Pick<Terminal, 'environment' | 'out'>) {
  const { default: picocolors } = await import('picocolors');
  return picocolors.createColors(out.isTerminal && (environment['NO_COLOR'] ?? '') === '');
}

function count(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? '' : 's'}`;
}
