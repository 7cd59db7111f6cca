import Table from 'cli-table3';
import { type BesideFigures, besideTitle } from './beside.ts';
import type { Latencies } from './driver/pace.ts';
import { type Figures } from './figures.ts';
import { judgeGoals, type Outcome } from './goals.ts';
import { type LoadName, loadNames, type Plan } from './loads.ts';
import { type TokenEndpointFigures, tokenEndpointName, tokenEndpointTitle } from './token-endpoint.ts';

/** What was left out of a run, and why. */
export interface Omission {
  readonly name: string;
  readonly reason: string;
}

/** A run of the bench. */
export interface Report {
  readonly machine: Readonly<Record<string, string>>;
  readonly plan: Plan;
  readonly rows: readonly Figures[];
  /** Null when it was not measured. */
  readonly beside: BesideFigures | null;
  readonly tokenEndpoint: TokenEndpointFigures | null;
  readonly omitted: readonly Omission[];
}

/** The figures as text for people. */
export function formatReport({ machine, plan, rows, beside, tokenEndpoint, omitted }: Report): string {
  const lines = Object.entries(machine).map(([name, value]) => `${name}: ${value}`);
  for (const load of rows.length > 0 ? loadNames : []) {
    const { connections, streams } = plan.loads[load];
    lines.push('', `${load}: ${String(connections)} connections, ${String(streams)} calls at once on each`);
    lines.push(formatLoad(rows, load));
  }
  if (beside !== null) lines.push('', besideTitle, formatBeside(beside));
  if (tokenEndpoint !== null) lines.push('', tokenEndpointTitle, formatTokenEndpoint(tokenEndpoint));
  const outcomes = judgeGoals(rows);
  if (outcomes.length > 0) lines.push('', 'goals', formatGoals(outcomes));
  for (const { name, reason } of omitted) lines.push(`left out: ${name}: ${reason}`);
  return `${lines.join('\n')}\n`;
}

function formatLoad(rows: readonly Figures[], load: LoadName): string {
  const table = newTable([
    'row',
    'CPU µs/check',
    '× grpc-js',
    '× grpc-go',
    'checks/s',
    'p50 µs',
    'p99 µs',
    'RSS MiB',
    'peak MiB',
    'driver µs',
  ]);
  for (const { name, title, loads, memory } of rows) {
    const { cpuUs, toGrpcJs, toGrpcGo, checksPerSecond, p50Us, p99Us, driverUs } = loads[load];
    table.push([
      `${title} (${name})`,
      cpuUs.toFixed(1),
      toGrpcJs?.toFixed(2) ?? '-',
      toGrpcGo?.toFixed(2) ?? '-',
      checksPerSecond.toFixed(0),
      p50Us.toFixed(0),
      p99Us.toFixed(0),
      memory.residentMiB.toFixed(0),
      memory.peakMiB.toFixed(0),
      driverUs.toFixed(1),
    ]);
  }
  return table.toString();
}

function formatBeside({ alone, beside, large }: BesideFigures): string {
  const table = newTable(['', 'p50 µs', 'p99 µs', 'longest µs']);
  const add = (name: string, { p50Us, p99Us, maxUs }: Latencies): void => {
    table.push([name, p50Us.toFixed(0), p99Us.toFixed(0), maxUs.toFixed(0)]);
  };
  add('small, alone', alone);
  add('small, beside large', beside);
  add('large', large);
  return table.toString();
}

function formatTokenEndpoint({ cpuUs, tokensPerSecond, p50Us, p99Us }: TokenEndpointFigures): string {
  const table = newTable(['', 'CPU µs/token', 'tokens/s', 'p50 µs', 'p99 µs']);
  table.push([tokenEndpointName, cpuUs.toFixed(1), tokensPerSecond.toFixed(0), p50Us.toFixed(0), p99Us.toFixed(0)]);
  return table.toString();
}

function formatGoals(outcomes: readonly Outcome[]): string {
  const table = newTable(['goal', 'measured', '']);
  for (const { text, value, isMet } of outcomes) table.push([text, value.toFixed(2), isMet ? 'ok' : 'missed']);
  return table.toString();
}

/** A table without colours, as all of the bench are. */
export function newTable(head: string[]): Table.Table {
  return new Table({
    head,
    style: { head: [], border: [], compact: true },
    colAligns: head.map((_, at) => (at === 0 ? 'left' : 'right')),
  });
}
