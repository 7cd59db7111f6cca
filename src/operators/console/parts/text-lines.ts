/** The texts of a text area, one on each line; blank lines are none. */
export function textsOfLines(lines: string): readonly string[] {
  return lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** A whole number that was typed; what is none stays a text, for the API to refuse. */
export function typedNumber(text: string): number | string {
  return /^-?\d{1,12}$/.test(text) ? Number(text) : text;
}
