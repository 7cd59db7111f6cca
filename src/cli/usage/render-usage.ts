import type { Paint } from '../../resources/changes/render-change.ts';
import { renderTable } from '../render/list.ts';
import { grouped } from '../../base/text/printable.ts';
import { paintFor } from '../render/text.ts';
import type { Terminal } from '../terminal.ts';
import { type Grouping, isTime, type UsageRow, type UsageSummary } from '../../resources/changes/usage/sum-traffic.ts';

/** A picture that is narrower shows nothing, a wider one nothing more. */
const MIN_BAR = 10;
const MAX_BAR = 60;
const GAP = 2;

/** The parts of a bar, from the left. Without colours their shades differ. */
const parts = [
  { name: 'allowed', shade: '█', paint: (text: string, paint: Paint) => paint.green(text) },
  { name: 'limited', shade: '▓', paint: (text: string, paint: Paint) => paint.yellow(text) },
  { name: 'refused', shade: '░', paint: (text: string, paint: Paint) => paint.red(text) },
] as const;

/**
 * Prints rows of counts with their total, beside each a bar where a terminal is wide enough, and how many requests were
 * refused with each code.
 */
export function printUsage(summary: UsageSummary, by: Grouping, terminal: Terminal): void {
  const { rows, total } = summary;
  const { out } = terminal;
  const paint = paintFor(terminal);
  const table = renderNumbers(by, rows, total);
  const width = Math.max(...table.map((line) => line.length));
  const barWidth = out.isTerminal ? Math.min(MAX_BAR, (out.columns ?? 0) - width - GAP) : 0;
  const most = Math.max(...rows.map(requestsOf));
  const lines = table.map((line, index) => {
    const row = rows[index - 1];
    if (row === undefined) return index === 0 ? paint.dim(line) : paint.bold(line);
    const bar = barWidth < MIN_BAR ? '' : barOf(row, barWidth / most, paint);
    return bar === '' ? line : `${line.padEnd(width + GAP)}${bar}`;
  });
  out.write(`${lines.join('\n')}\n`);
  if (barWidth >= MIN_BAR) out.write(`\n${legend(most / barWidth, paint)}\n`);
  out.write(renderCodes(total, paint));
}

function requestsOf({ allowed, refused, limited }: UsageRow): number {
  return allowed + refused + limited;
}

/** The lines of the table, the heading first and the total last. Numbers end in one column. */
function renderNumbers(by: Grouping, rows: readonly UsageRow[], total: UsageRow): readonly string[] {
  const head = [isTime(by) ? `${by.toUpperCase()} (UTC)` : by.toUpperCase(), 'ALLOWED', 'REFUSED', 'LIMITED'];
  const cells = [...rows, total].map(({ name, allowed, refused, limited }) => [
    shown(by, name),
    ...[allowed, refused, limited].map(grouped),
  ]);
  const widths = head.map((_, at) => Math.max(...[head, ...cells].map((row) => (row[at] ?? '').length)));
  const aligned = [head, ...cells].map((row) =>
    row.map((cell, at) => (at === 0 ? cell : cell.padStart(widths[at] ?? 0))),
  );
  return renderTable(aligned[0] ?? [], aligned.slice(1))
    .trimEnd()
    .split('\n');
}

function shown(by: Grouping, name: string): string {
  return by === 'hour' ? name.replace('T', ' ').replace('Z', '') : name;
}

/** `cellsPerRequest` blocks for each request; at least a thin one for any at all. */
function barOf(row: UsageRow, cellsPerRequest: number, paint: Paint): string {
  let requests = 0;
  let end = 0;
  const bar = parts.map((part) => {
    const start = end;
    requests += row[part.name];
    end = Math.round(requests * cellsPerRequest);
    return end === start ? '' : part.paint(part.shade.repeat(end - start), paint);
  });
  return end === 0 && requests > 0 ? '▏' : bar.join('');
}

function legend(requestsPerCell: number, paint: Paint): string {
  const shades = parts.map(({ name, shade, paint: color }) => `${color(shade, paint)} ${name}`);
  return `${shades.join('  ')}  ${paint.dim(`(a block is about ${grouped(Math.max(1, Math.round(requestsPerCell)))})`)}`;
}

function renderCodes({ codes }: UsageRow, paint: Paint): string {
  const refusals = Object.entries(codes).filter(([code]) => code !== 'ALLOWED');
  if (refusals.length === 0) return '';
  const sorted = refusals.sort(([, a], [, b]) => b - a).map(([code, sum]) => [code, grouped(sum)] as const);
  const width = Math.max(...sorted.map(([, sum]) => sum.length));
  const lines = sorted.map(([code, sum]) => `  ${sum.padStart(width)}  ${code}\n`);
  return `\n${paint.bold('Refused with')}\n${lines.join('')}`;
}
