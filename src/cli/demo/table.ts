import type picocolors from 'picocolors';
import { MAX_TITLE_CHARACTERS, type Verdict } from './row.ts';

/** How to paint, or not: as `picocolors.createColors` gives it. */
export type Colors = ReturnType<typeof picocolors.createColors>;

/** The longest verdict, `401 AUTHENTICATION_FAILED`. */
const VERDICT_CHARACTERS = 25;
const LATENCY_CHARACTERS = 8;
const NOTE_INDENT = '      ';
/** No line of the table is longer, whatever comes. */
export const TABLE_COLUMNS = 100;

/** One line of the table: what a request should get, and what it got. */
export interface ShownRow {
  readonly title: string;
  readonly expected: Verdict;
  readonly got: string;
  /** Null when no answer came. */
  readonly latencyMs: number | null;
  readonly isRight: boolean;
  readonly notes: readonly string[];
}

/** The heads of the columns, as a line with its end. */
export function renderHead(colors: Colors): string {
  const head = columns('REQUEST', 'EXPECTED', 'GOT', 'LATENCY');
  return `${colors.dim(`    ${head}`)}\n`;
}

/** The title of a group, as lines with their ends. */
export function renderGroupTitle(title: string, colors: Colors): string {
  return `\n  ${colors.bold(title)}\n`;
}

/** A line with a mark, and its notes below. */
export function renderRow(row: ShownRow, colors: Colors): string {
  const paint = row.isRight ? colors.green : colors.red;
  const latency = row.latencyMs === null ? '-' : `${row.latencyMs.toFixed(row.latencyMs < 1000 ? 1 : 0)} ms`;
  const cells = columns(row.title, row.expected, row.got, latency);
  const [start, got, end] = row.isRight ? [cells, '', ''] : splitAtGot(cells);
  const lines = [`  ${paint(row.isRight ? '✓' : '✗')} ${start}${colors.red(got)}${end}`];
  for (const note of row.notes) lines.push(...wrap(note).map((line) => colors.dim(`${NOTE_INDENT}${line}`)));
  return `${lines.join('\n')}\n`;
}

function columns(title: string, expected: string, got: string, latency: string): string {
  return [
    title.padEnd(MAX_TITLE_CHARACTERS),
    expected.padEnd(VERDICT_CHARACTERS),
    shorten(got).padEnd(VERDICT_CHARACTERS),
    latency.padStart(LATENCY_CHARACTERS),
  ].join('  ');
}

function splitAtGot(cells: string): [string, string, string] {
  const start = MAX_TITLE_CHARACTERS + VERDICT_CHARACTERS + 4;
  return [
    cells.slice(0, start),
    cells.slice(start, start + VERDICT_CHARACTERS),
    cells.slice(start + VERDICT_CHARACTERS),
  ];
}

function shorten(text: string): string {
  return text.length <= VERDICT_CHARACTERS ? text : `${text.slice(0, VERDICT_CHARACTERS - 1)}…`;
}

/** Breaks at blanks where it can. */
function wrap(text: string): string[] {
  const width = TABLE_COLUMNS - NOTE_INDENT.length;
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const blank = rest.lastIndexOf(' ', width);
    const end = blank > 0 ? blank : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}
