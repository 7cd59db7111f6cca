import type { RefusalRecord } from '../../check/refusals/refusal-record.ts';

/** Refusals that are the same to a person: one line of a table. */
export interface RefusalGroup {
  readonly newest: RefusalRecord;
  readonly times: number;
  /** The path of all of them, or what their paths begin with. */
  readonly path: string;
}

/** Joins refusals of the same credential, endpoint, method and reason, in the order of the newest of each. */
export async function groupRefusals(records: AsyncIterable<RefusalRecord>): Promise<{
  readonly groups: readonly RefusalGroup[];
  readonly count: number;
  /** When the oldest was, in milliseconds since the epoch; null for none. */
  readonly oldestMs: number | null;
}> {
  const groups = new Map<string, RefusalGroup>();
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
export function groupOf(record: RefusalRecord): RefusalGroup {
  return { newest: record, times: 1, path: record.path };
}

/** Numbers in a detail, such as seconds and sizes, differ from request to request. */
function keyOf({ consumerId, credentialId, endpointId, method, code, isObserved, detail }: RefusalRecord): string {
  const reason = detail.replaceAll(/\d+/g, '#');
  return JSON.stringify([consumerId, credentialId, endpointId, method, code, isObserved, reason]);
}

const ANY = '…';

function joined({ newest, times, path }: RefusalGroup, older: RefusalRecord): RefusalGroup {
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
