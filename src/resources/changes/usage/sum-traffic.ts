import { type CodeCounts, hourOf, sumOf, type TrafficCount } from '../../../model/traffic-count.ts';

/** What counts are added up by: a span of time in UTC, or who called what. */
export const groupings = ['hour', 'day', 'month', 'consumer', 'endpoint'] as const;
export type Grouping = (typeof groupings)[number];

/** The requests of one span of time, consumer or endpoint. */
export interface UsageRow {
  /** `2026-11-23T13:00Z`, `2026-11-23`, `2026-11`, or an id. */
  readonly name: string;
  readonly allowed: number;
  /** With any code but `RATE_LIMITED`. */
  readonly refused: number;
  /** With `RATE_LIMITED`. */
  readonly limited: number;
  readonly codes: CodeCounts;
}

/** Counts added up. */
export interface UsageSummary {
  /** Spans of time in their order, those without a request too; others with the most requests first. */
  readonly rows: readonly UsageRow[];
  readonly total: UsageRow;
}

const HOUR_SECONDS = 3600;
const HOUR_MS = 3_600_000;

/** The first hour of the span that a moment belongs to, so that no row shows a part: its month, day or hour. */
export function firstHourOf(by: Grouping, seconds: number): number {
  const moment = new Date(seconds * 1000);
  const month = moment.getUTCMonth();
  if (by === 'month') return hourOf(Date.UTC(moment.getUTCFullYear(), month) / 1000);
  return hourOf(by === 'day' ? Date.UTC(moment.getUTCFullYear(), month, moment.getUTCDate()) / 1000 : seconds);
}

/** The hour after the span that the second before a moment belongs to. */
export function endHourOf(by: Grouping, seconds: number): number {
  const last = new Date((seconds - 1) * 1000);
  const [year, month, day] = [last.getUTCFullYear(), last.getUTCMonth(), last.getUTCDate()];
  if (by === 'month') return hourOf(Date.UTC(year, month + 1) / 1000);
  return by === 'day' ? hourOf(Date.UTC(year, month, day + 1) / 1000) : hourOf(seconds - 1) + 1;
}

/** Adds counts up. `nowSeconds` is when the last span of time is. */
export async function sumTraffic(
  counts: AsyncIterable<TrafficCount> | Iterable<TrafficCount>,
  by: Grouping,
  nowSeconds: number,
): Promise<UsageSummary> {
  const groups = new Map<string, Record<string, number>>();
  const total: Record<string, number> = {};
  let firstHour = Infinity;
  for await (const count of counts) {
    const name = nameOf(by, count);
    if (name === null) continue;
    firstHour = Math.min(firstHour, count.hour);
    let group = groups.get(name);
    if (group === undefined) groups.set(name, (group = {}));
    for (const [code, sum] of Object.entries(count.codes)) {
      group[code] = (group[code] ?? 0) + sum;
      total[code] = (total[code] ?? 0) + sum;
    }
  }
  const names = isTime(by) ? spansFrom(by, firstHour, nowSeconds, groups) : byRequests(groups);
  return { rows: names.map((name) => rowOf(name, groups.get(name) ?? {})), total: rowOf('total', total) };
}

/** What rows can be sorted by. */
export const sortings = ['allowed', 'refused', 'limited'] as const;
export type Sorting = (typeof sortings)[number];

/** The rows with the most first, by one of their counts; equal ones stay in their order. */
export function sortRows(rows: readonly UsageRow[], by: Sorting): readonly UsageRow[] {
  return rows.toSorted((a, b) => b[by] - a[by]);
}

/** Whether rows are spans of time, not consumers or endpoints. */
export function isTime(by: Grouping): by is 'hour' | 'day' | 'month' {
  return by !== 'consumer' && by !== 'endpoint';
}

function nameOf(by: Grouping, { hour, consumerId, endpointId }: TrafficCount): string | null {
  if (by === 'consumer') return consumerId;
  return by === 'endpoint' ? endpointId : spanOf(by, hour);
}

const SHOWN_LENGTH = { hour: 16, day: 10, month: 7 } as const;

function spanOf(by: 'hour' | 'day' | 'month', hour: number): string {
  const text = new Date(hour * HOUR_MS).toISOString().slice(0, SHOWN_LENGTH[by]);
  return by === 'hour' ? `${text}Z` : text;
}

/** Every span from the first with a request until now; later ones only where a clock is ahead. */
function spansFrom(
  by: 'hour' | 'day' | 'month',
  firstHour: number,
  nowSeconds: number,
  groups: ReadonlyMap<string, unknown>,
): readonly string[] {
  const names = new Set<string>();
  const step = by === 'hour' ? 1 : 24;
  for (let hour = firstHour; hour <= hourOf(nowSeconds); hour += step) names.add(spanOf(by, hour));
  if (names.size > 0) names.add(spanOf(by, hourOf(nowSeconds)));
  return [...new Set([...names, ...groups.keys()])].sort();
}

function byRequests(groups: ReadonlyMap<string, CodeCounts>): readonly string[] {
  const sums = [...groups].map(([name, codes]) => ({ name, sum: sumOf(codes) }));
  return sums.sort((a, b) => b.sum - a.sum || (a.name < b.name ? -1 : 1)).map(({ name }) => name);
}

function rowOf(name: string, codes: CodeCounts): UsageRow {
  const { ALLOWED: allowed = 0, RATE_LIMITED: limited = 0 } = codes;
  return { name, allowed, limited, refused: sumOf(codes) - allowed - limited, codes };
}

/** `2026-11-16T00:00:00Z`, for programs. */
export function formatHour(hour: number): string {
  return new Date(hour * HOUR_SECONDS * 1000).toISOString().replace('.000Z', 'Z');
}
