import { CsvError, parse } from 'csv-parse/sync';
import { type Problem, problemOf, quoted } from '../../model/document/problem.ts';

/** A row below the headings, with the line on which it ends. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** What a CSV file holds (RFC 4180): rows as wide as its headings, without blanks around texts. */
export interface CsvTable {
  readonly headings: readonly string[];
  readonly rows: readonly CsvRow[];
}

interface ParsedRow {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** Reads a CSV file, or says what is wrong with it: quotes that do not close, rows that are too short or too long. */
export function readCsv(
  file: string,
  text: string,
): { readonly table: CsvTable } | { readonly problems: readonly Problem[] } {
  const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true, trim: true } as const;
  let parsed: readonly ParsedRow[];
  try {
    parsed = parse(text, options) as unknown as readonly ParsedRow[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { problems: [problemOf(file, Number(error['lines'] ?? 1), describeCsvError(error))] };
  }
  const [head, ...below] = parsed;
  if (head === undefined)
    return { problems: [problemOf(file, 1, 'the file is empty; its first line names the columns')] };
  const headings = head.record;
  const twice = headings.find((heading, at) => headings.indexOf(heading) !== at);
  if (twice !== undefined) {
    return { problems: [problemOf(file, head.info.lines, `two columns are called ${quoted(twice)}; rename one`)] };
  }
  const problems = below.flatMap(({ record: { length }, info: { lines } }) => {
    if (length === headings.length) return [];
    const message = `the row has ${String(length)} cells, and there are ${String(headings.length)} columns`;
    return [problemOf(file, lines, `${message}; quote cells that hold commas`)];
  });
  if (problems.length > 0) return { problems };
  return { table: { headings, rows: below.map(({ record, info }) => ({ line: info.lines, cells: record })) } };
}

/** Without what the library quotes of the file. */
function describeCsvError({ code }: CsvError): string {
  return code === 'CSV_QUOTE_NOT_CLOSED'
    ? 'a quote that opens here or above is not closed'
    : 'this is not CSV: a quote stands within a cell; double it, and quote the whole cell';
}
