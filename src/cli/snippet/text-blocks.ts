/** How many blanks a line begins with. */
function widthOf(line: string): number {
  return line.length - line.trimStart().length;
}

/**
 * YAML without the block whose first line begins with a text, blanks included: that line, the deeper ones, and blank
 * ones. Comments elsewhere stay. Throws when there is none: the file was changed by hand.
 */
export function withoutBlock(text: string, start: string): string {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith(start));
  if (from < 0) throw new Error(`no line begins with "${start}"`);
  const rest = lines.slice(from + 1);
  const length = rest.findIndex((line) => line.trim() !== '' && widthOf(line) <= widthOf(start));
  return [...lines.slice(0, from), ...(length < 0 ? [''] : rest.slice(length))].join('\n');
}

/** With every place that a global pattern finds replaced. Throws when there is none: the file was changed by hand. */
export function replaceFound(text: string, pattern: RegExp, replacement: string): string {
  if (text.search(pattern) < 0) throw new Error(`nothing matches ${String(pattern)}`);
  return text.replaceAll(pattern, () => replacement);
}
