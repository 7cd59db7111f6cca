/** The texts of a text area, one on each line; blank lines are none. */
export function textsOfLines(lines: string): readonly string[] {
  return lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
