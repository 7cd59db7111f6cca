import { renderTable } from '../src/cli/render/list.ts';
import { type BesideFigures, besideNames, type BesideResults, besideTitle } from './beside.ts';
import { type Figures } from './figures.ts';
import type { Outcome } from './goals.ts';
import { describeLoad, type LoadName, loadNames, type Plan } from './loads.ts';
import { type MemoryFigures, memoryTitle } from './memory.ts';
import { type TokenFigures, tokenEndpointTitle } from './token-endpoint.ts';

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
  readonly beside: BesideResults;
  /** Null when it was not measured. */
  readonly tokens: readonly TokenFigures[] | null;
  readonly memory: MemoryFigures | null;
  readonly goals: readonly Outcome[];
  readonly omitted: readonly Omission[];
}

/** The figures as text for people. */
export function formatReport(report: Report): string {
  const { machine, plan, rows, beside, tokens, memory, goals, omitted } = report;
  const lines = Object.entries(machine).map(([name, value]) => `${name}: ${value}`);
  for (const load of loadNames) {
    const table = formatLoad(rows, load);
    if (table !== null) lines.push('', describeLoad(load, plan.loads[load]), table);
  }
  for (const name of besideNames) {
    const figures = beside[name];
    if (figures !== undefined) lines.push('', besideTitle(name), formatBeside(figures));
  }
  if (tokens !== null) lines.push('', tokenEndpointTitle, formatTokens(tokens));
  if (memory !== null) lines.push('', memoryTitle, formatMemory(memory));
  if (goals.length > 0) lines.push('', 'goals', formatGoals(goals));
  for (const { name, reason } of omitted) lines.push(`left out: ${name}: ${reason}`);
  return `${lines.join('\n')}\n`;
}

/** Null when no row was measured under this load. */
function formatLoad(rows: readonly Figures[], load: LoadName): string | null {
  const head = [
    'row',
    'CPU µs/check',
    '× grpc-js',
    '× grpc-go',
    '× tonic',
    'checks/s',
    'p50 µs',
    'p99 µs',
    'RSS MiB',
    'peak MiB',
    'driver µs',
    'Envoy µs',
  ];
  const lines = rows.flatMap(({ name, title, loads, memory }) => {
    const figures = loads[load];
    if (figures === undefined) return [];
    const { cpuUs, toGrpcJs, toGrpcGo, toTonic, checksPerSecond, p50Us, p99Us, driverUs, envoyUs } = figures;
    const line = [
      `${title} (${name})`,
      cpuUs.toFixed(1),
      toGrpcJs?.toFixed(2) ?? '-',
      toGrpcGo?.toFixed(2) ?? '-',
      toTonic?.toFixed(2) ?? '-',
      checksPerSecond.toFixed(0),
      p50Us.toFixed(0),
      p99Us.toFixed(0),
      memory.residentMiB.toFixed(0),
      memory.peakMiB.toFixed(0),
      driverUs.toFixed(1),
      envoyUs?.toFixed(1) ?? '-',
    ];
    return [line];
  });
  return lines.length === 0 ? null : formatTable(head, lines);
}

function formatBeside(figures: readonly BesideFigures[]): string {
  return formatTable(
    ['', 'p50 µs', 'p99 µs', '× alone', 'longest µs', 'others: p50 µs', 'p99 µs'],
    figures.map(({ title, keyChecks, p99ToAlone, others }) => [
      title,
      keyChecks.p50Us.toFixed(0),
      keyChecks.p99Us.toFixed(0),
      p99ToAlone?.toFixed(2) ?? '-',
      keyChecks.maxUs.toFixed(0),
      others?.p50Us.toFixed(0) ?? '-',
      others?.p99Us.toFixed(0) ?? '-',
    ]),
  );
}

function formatTokens(tokens: readonly TokenFigures[]): string {
  return formatTable(
    ['', 'CPU µs/token', 'crypto.verify µs', '× (token-endpoint + crypto.verify)', 'tokens/s', 'p50 µs', 'p99 µs'],
    tokens.map(({ name, cpuUs, verifyUs, toParts, tokensPerSecond, p50Us, p99Us }) => [
      name,
      cpuUs.toFixed(1),
      verifyUs?.toFixed(1) ?? '-',
      toParts?.toFixed(2) ?? '-',
      tokensPerSecond.toFixed(0),
      p50Us.toFixed(0),
      p99Us.toFixed(0),
    ]),
  );
}

function formatMemory({ afterChecksMiB, afterLargeBodiesMiB }: MemoryFigures): string {
  return formatTable(
    ['', 'MiB'],
    [
      ['key checks', afterChecksMiB.toFixed(0)],
      ['hmac checks of 10 MiB', afterLargeBodiesMiB.toFixed(0)],
    ],
  );
}

function formatGoals(outcomes: readonly Outcome[]): string {
  const lines = outcomes.map(({ text, values, isMet }) => {
    const measured = values.map((value) => value?.toFixed(2) ?? '-').join(' or ');
    return [text, measured, isMet ? 'ok' : 'missed'];
  });
  return formatTable(['goal', 'measured', ''], lines);
}

/** A table without its last line break; figures, in all columns but the first, end at the right. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lengths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)));
  const aligned = (row: readonly string[]): string[] =>
    row.map((cell, at) => (at === 0 ? cell : cell.padStart(lengths[at] ?? 0)));
  return renderTable(aligned(head), rows.map(aligned)).trimEnd();
}
