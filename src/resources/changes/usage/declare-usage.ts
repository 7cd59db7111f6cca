import type { Moment } from '../../../model/document/moments.ts';
import { formatHour, type Grouping, type UsageRow, type UsageSummary } from './sum-traffic.ts';

const DAY_SECONDS = 86_400;
const aWeek = { distanceSeconds: 7 * DAY_SECONDS };

/** From when requests are counted where nothing is said. */
export const usualSince: Readonly<Record<Grouping, Moment>> = {
  hour: { distanceSeconds: DAY_SECONDS },
  day: aWeek,
  month: { distanceSeconds: 396 * DAY_SECONDS },
  consumer: aWeek,
  endpoint: aWeek,
};

/** Counts for programs. A row is named by what it was grouped by. */
export interface DeclaredUsage {
  /** The first hour. */
  readonly since: string;
  readonly rows: Record<string, unknown>[];
  readonly total: Record<string, unknown>;
}

/** A summary for programs, with the first hour that it counts. */
export function declareUsage({ rows, total }: UsageSummary, by: Grouping, sinceHour: number): DeclaredUsage {
  const declared = rows.map(({ name, ...counts }) => ({ [by]: name, ...declareCounts(counts) }));
  return { since: formatHour(sinceHour), rows: declared, total: declareCounts(total) };
}

function declareCounts({ allowed, refused, limited, codes }: Omit<UsageRow, 'name'>): Record<string, unknown> {
  return { allowed, refused, limited, codes };
}
