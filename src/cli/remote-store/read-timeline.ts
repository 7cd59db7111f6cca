import type { ApiClient } from './api-client.ts';

const PAGE = 500;

/** A query of what is given. */
export function queryOf(given: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const entries = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return new URLSearchParams(entries as [string, string][]);
}

/** The items of a list of the management API, page by page: at most so many. */
export async function* readTimeline(
  client: ApiClient,
  path: string,
  query: URLSearchParams,
  limit = Infinity,
): AsyncGenerator {
  let left = limit;
  let cursor: string | null = null;
  do {
    if (left <= 0) return;
    const asked = new URLSearchParams(query);
    asked.set('limit', String(Math.min(left, PAGE)));
    if (cursor !== null) asked.set('cursor', cursor);
    const { items, nextCursor } = await client.ask('GET', `${path}?${asked.toString()}`);
    const page: readonly unknown[] = Array.isArray(items) ? items : [];
    yield* page;
    left -= page.length;
    cursor = typeof nextCursor === 'string' ? nextCursor : null;
  } while (cursor !== null);
}
