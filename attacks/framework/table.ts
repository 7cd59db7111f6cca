import type { Attack } from './attack.ts';
import type { Answers, Measurement } from './bounds.ts';

/** An attack, what was measured of it, and the bounds that it broke. */
export interface Result {
  readonly attack: Attack;
  readonly measured: Measurement;
  readonly breaches: readonly string[];
}

const HEADINGS = [
  'attack',
  'KiB',
  'frames',
  'conn.',
  'CPU ms',
  'ms/KiB',
  'peak MiB',
  'after',
  'good calls',
  'p50 / p99 / max ms',
  'new conn. max ms',
  'waited ms',
  'verdict',
] as const;

/** The results as a table that is Markdown, too. */
export function renderTable(results: readonly Result[]): string {
  const rows = [HEADINGS, ...results.map(rowOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(HEADINGS), rule, ...rows.slice(1).map(line)].join('\n');
}

function rowOf({ attack, measured, breaches }: Result): readonly string[] {
  const { sent, cost, peakMib, afterMib, callers, isAlive } = measured;
  const { calls, newConnections } = callers;
  return [
    attack.name,
    sent.kib.toFixed(0),
    String(sent.frames),
    String(sent.connections),
    cost.cpuMs.toFixed(0),
    cost.kib === 0 ? '–' : (cost.cpuMs / cost.kib).toFixed(2),
    peakMib.toFixed(0),
    isAlive ? afterMib.toFixed(0) : 'dead',
    outcomesOf(calls),
    [calls.p50Ms, calls.p99Ms, calls.maxMs].map((ms) => ms.toFixed(0)).join(' / '),
    `${newConnections.maxMs.toFixed(0)}${'ok' in newConnections.outcomes && Object.keys(newConnections.outcomes).length === 1 ? '' : ' ✗'}`,
    measured.waitedMs.toFixed(0),
    breaches.length === 0 ? 'holds' : 'BROKEN',
  ];
}

/** `120 ok`, `80 ok, 40 not`. */
function outcomesOf({ outcomes }: Answers): string {
  const ok = outcomes['ok'] ?? 0;
  const others = Object.values(outcomes).reduce((sum, count) => sum + count, 0) - ok;
  return others === 0 ? `${String(ok)} ok` : `${String(ok)} ok, ${String(others)} not`;
}
