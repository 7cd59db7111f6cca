import { formatPlace, type Problem } from '../../document/problem.ts';
import type { Terminal } from '../terminal.ts';

/** The problems of declarative files for people: each with its line, a mark below its place, and no secret. */
export async function renderProblems(
  problems: readonly Problem[],
  texts: ReadonlyMap<string, string>,
  { environment, out }: Pick<Terminal, 'environment' | 'out'>,
): Promise<string> {
  const [{ excerptOf }, { MAX_PROBLEMS }, { default: picocolors }] = await Promise.all([
    import('../../document/source-excerpt.ts'),
    import('../../document/problem-log.ts'),
    import('picocolors'),
  ]);
  const colors = picocolors.createColors(out.isTerminal && (environment['NO_COLOR'] ?? '') === '');
  const lines = new Map([...texts].map(([file, text]) => [file, text.split('\n')]));
  const blocks = problems.map((problem) => {
    const { file, line, message } = problem;
    const place = colors.bold(formatPlace(problem));
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

function count(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? '' : 's'}`;
}
