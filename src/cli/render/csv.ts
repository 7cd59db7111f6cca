/**
 * Rows below their headings as comma-separated values (RFC 4180), with line feeds alone, as tools of Unix have them.
 */
export function formatCsv(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [head, ...rows].map((row) => `${row.map(cellOf).join(',')}\n`).join('');
}

/** What spreadsheets take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** A text that a spreadsheet would calculate is marked as one; what has separators or quotes is quoted. */
function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
