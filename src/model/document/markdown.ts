import { replaceInvisible } from './source-text.ts';

/** A text from outside as Markdown that shows exactly it, on one line. */
export function plain(text: string): string {
  return replaceInvisible(text).replaceAll(/[\\`*_[\]<>#|!&~]/g, '\\$&');
}

/** A text as code in a sentence or a cell, whatever it holds. */
export function code(text: string): string {
  const shown = replaceInvisible(text).replaceAll('|', '\\|');
  const fence = fenceFor(shown, 1);
  const margin = shown.startsWith('`') || shown.endsWith('`') ? ' ' : '';
  return `${fence}${margin}${shown}${margin}${fence}`;
}

/** A text of several lines as a block of code. */
export function block(text: string, language = ''): string {
  const fence = fenceFor(text, 3);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}

/** A table; cells are Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** So many backticks that no run of them in the text ends the code. */
function fenceFor(text: string, least: number): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  return '`'.repeat(longest < least ? least : longest + 1);
}
