const MAX_COLUMNS = 120;

/** A text for people: broken at blanks where a terminal is known to be too narrow, whole for a file or a pipe. */
export function fit(text: string, columns: number | undefined): string {
  return columns === undefined ? text : wrap(text, columns);
}

/** Breaks a text at blanks into lines that fit a terminal of so many columns, 120 at most. */
export function wrap(text: string, columns = MAX_COLUMNS): string {
  const width = Math.min(columns, MAX_COLUMNS);
  const tooLong = `(?=.{${String(width + 1)}})(.{1,${String(width)}}) `;
  return text.replaceAll(new RegExp(tooLong, 'g'), '$1\n');
}
