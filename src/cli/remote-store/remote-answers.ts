import { isMapping } from '../../model/document/fields.ts';
import type { LabelSelector } from '../../model/labels.ts';
import { limitUnits } from '../../model/limit.ts';
import type { PlanUse } from '../../resources/changes/usage/plan-usage.ts';
import {
  formatHour,
  type Grouping,
  type UsageRow,
  type UsageSummary,
} from '../../resources/changes/usage/sum-traffic.ts';
import type { StoreAnswers } from '../opened-store.ts';
import type { ApiClient } from './api-client.ts';
import { queryOf, readTimeline } from './read-timeline.ts';

/** Rows of one answer at most. */
const MAX_ROWS = 10_000;
const MAX_PLAN_ROWS = 500;

/** What the management API adds up itself: sent one by one, counts of hours would be too many. */
export function createRemoteAnswers(client: ApiClient): StoreAnswers {
  return {
    sumUsage: async ({ by, sinceHour, consumer, endpoint, label = {} }) => {
      const query = queryOf({ by, since: formatHour(sinceHour), consumer, endpoint, limit: String(MAX_ROWS) });
      appendLabels(query, label);
      return readSummary(by, await client.ask('GET', `/v1/usage?${query.toString()}`));
    },
    planUse: async (wish) => {
      if (wish.consumer !== undefined) {
        const { consumer } = wish;
        const { plans } = await client.ask('GET', `/v1/usage?${queryOf({ consumer, limit: '1' }).toString()}`);
        return readUses(plans);
      }
      const { plan, limit } = wish;
      if (limit > MAX_PLAN_ROWS)
        throw new Error(`the management API shows ${String(MAX_PLAN_ROWS)} consumers at most; give --limit`);
      const { items } = await client.ask('GET', `/v1/plans/${plan}/usage?limit=${String(limit)}`);
      return readUses(items);
    },
    dueIds: ({ endingSeconds, isFormerWanted, unusedSeconds }) =>
      credentialIds(client, {
        expiringWithin: spanOf(endingSeconds),
        formerInUse: isFormerWanted ? 'true' : undefined,
        unusedFor: spanOf(unusedSeconds),
      }),
    certificateIds: () => credentialIds(client, { sort: 'certificateEndsAt' }),
  };
}

function spanOf(seconds: number | null): string | undefined {
  return seconds === null ? undefined : `${String(seconds)}s`;
}

async function* credentialIds(
  client: ApiClient,
  wish: Readonly<Record<string, string | undefined>>,
): AsyncGenerator<string> {
  for await (const item of readTimeline(client, '/v1/credentials', queryOf({ ...wish, fields: 'id' }))) {
    if (isMapping(item)) yield String(item['id']);
  }
}

function appendLabels(query: URLSearchParams, label: LabelSelector): void {
  for (const [name, value] of Object.entries(label)) query.append('label', `${name}=${value}`);
}

function readSummary(by: Grouping, answer: Readonly<Record<string, unknown>>): UsageSummary {
  const rows = Array.isArray(answer['rows']) ? (answer['rows'] as readonly unknown[]) : [];
  if (rows.length >= MAX_ROWS) {
    throw new Error(`more than ${String(MAX_ROWS - 1)} rows: ask for less with --label or --endpoint`);
  }
  return { rows: rows.map((row) => readRow(row, by)), total: readRow(answer['total'], 'total') };
}

function readRow(raw: unknown, by: string): UsageRow {
  const row = isMapping(raw) ? raw : {};
  const number = (name: string): number => {
    const value = row[name];
    return typeof value === 'number' ? value : 0;
  };
  const codes = isMapping(row['codes']) ? (row['codes'] as Readonly<Record<string, number>>) : {};
  const counts = { allowed: number('allowed'), refused: number('refused'), limited: number('limited') };
  const name = row[by];
  return {
    name: typeof name === 'string' ? name : 'total',
    allowed: counts.allowed,
    refused: counts.refused,
    limited: counts.limited,
    codes,
  };
}

function readUses(raw: unknown): readonly PlanUse[] {
  return (Array.isArray(raw) ? (raw as readonly unknown[]) : []).flatMap((each): readonly PlanUse[] => {
    if (!isMapping(each)) return [];
    const unit = limitUnits.find((known) => known === each['unit']);
    const endsAt = Date.parse(String(each['until'])) / 1000;
    if (unit === undefined || Number.isNaN(endsAt)) return [];
    const limit = { requests: Number(each['requests']), unit } as PlanUse['limit'];
    return [
      { planId: String(each['plan']), consumerId: String(each['consumer']), limit, used: Number(each['used']), endsAt },
    ];
  });
}
