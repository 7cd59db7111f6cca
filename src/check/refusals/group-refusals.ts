import type { RefusalRecord } from './refusal-record.ts';

/** What of a refusal says whether it is the same to a person as another one. */
export type GroupedFacts = Pick<
  RefusalRecord,
  'atMs' | 'path' | 'consumerId' | 'credentialId' | 'endpointId' | 'method' | 'code' | 'isObserved' | 'detail'
>;

/** Refusals that are the same to a person: one line of a table. */
export interface RefusalGroup<R extends GroupedFacts = RefusalRecord> {
  readonly newest: R;
  readonly times: number;
  /** The path of all of them, or what their paths begin with. */
  readonly path: string;
}

/** Joins refusals of the same credential, endpoint, method and reason, in the order of the newest of each. */
export async function groupRefusals<R extends GroupedFacts>(
  records: AsyncIterable<R> | Iterable<R>,
): Promise<{
  readonly groups: readonly RefusalGroup<R>[];
  readonly count: number;
  /** When the oldest was, in milliseconds since the epoch; null for none. */
  readonly oldestMs: number | null;
}> {
  const groups = new Map<string, RefusalGroup<R>>();
  let count = 0;
  let oldestMs: number | null = null;
  for await (const record of records) {
    const key = keyOf(record);
    const former = groups.get(key);
    groups.set(key, former === undefined ? groupOf(record) : joined(former, record));
    count += 1;
    oldestMs = record.atMs;
  }
  return { groups: [...groups.values()], count, oldestMs };
}

/** A group of one. */
export function groupOf<R extends GroupedFacts>(record: R): RefusalGroup<R> {
  return { newest: record, times: 1, path: record.path };
}

/** Numbers in a detail, such as seconds and sizes, differ from request to request. */
function keyOf({ consumerId, credentialId, endpointId, method, code, isObserved, detail }: GroupedFacts): string {
  const reason = detail.replaceAll(/\d+/g, '#');
  return JSON.stringify([consumerId, credentialId, endpointId, method, code, isObserved, reason]);
}

const ANY = '…';

function joined<R extends GroupedFacts>({ newest, times, path }: RefusalGroup<R>, older: R): RefusalGroup<R> {
  return { newest, times: times + 1, path: commonPath(path, older.path) };
}

/** `/orders/…` for `/orders/1` and `/orders/2`. */
function commonPath(one: string, other: string): string {
  if (one === other) return one;
  const known = one.endsWith(ANY) ? one.slice(0, -ANY.length) : one;
  let end = 0;
  while (end < known.length && known[end] === other[end]) end += 1;
  return `${known.slice(0, known.lastIndexOf('/', end - 1) + 1)}${ANY}`;
}
