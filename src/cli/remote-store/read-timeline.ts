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
  if (limit <= 0) return;
  let left = limit;
  let cursor: string | null = null;
  let last: string | null = null;
  do {
    const asked = new URLSearchParams(query);
    asked.set('limit', String(Math.min(left, PAGE)));
    if (cursor !== null) asked.set('cursor', cursor);
    const { items, nextCursor } = await client.ask('GET', `${path}?${asked.toString()}`);
    const page: readonly unknown[] = Array.isArray(items) ? items : [];
    yield* page;
    left -= page.length;
    cursor = typeof nextCursor === 'string' ? nextCursor : null;
    if (cursor === null) return;
    const end = JSON.stringify(page.at(-1));
    if (page.length === 0 || end === last) throw standsStill(client.origin, `GET ${path}`);
    last = end;
  } while (left > 0);
}

/** That the pages of a list do not go on: another API, or a proxy that answers for it, would be asked without end. */
export function standsStill(origin: string, question: string): Error {
  return new Error(
    `${origin} answers ${question} with a page that leads to no further one: POSTERN_STORE must name "postern manage" itself`,
  );
}
