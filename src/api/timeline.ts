import { pagesOf } from '../manage/resource-store.ts';
import { readCursor } from './request.ts';

/** A place in a list that has the newest first, and of one millisecond the highest id. */
export interface Place {
  readonly atMs: number;
  /** 24 hexadecimal digits. */
  readonly id: string;
}

/** What is read of a list, and how much of that an operator may see. */
export interface TimelineReading<T> {
  /** Reads on from a place, the newest first; at most so many. */
  readonly read: (after: Place | undefined, most: number) => AsyncIterable<T>;
  readonly placeOf: (item: T) => Place;
  /** Of some items those that the operator may see. */
  readonly keep: (items: readonly T[]) => Promise<readonly T[]>;
  /** Whether `keep` may leave anything out. */
  readonly isPartial: boolean;
}

/** Items of a page, and where the next page begins; null for the last one. */
export interface TimelinePage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** One request looks at so many items at most, however few of them an operator may see. */
const MAX_LOOKED_AT = 2000;
const LOOKED_AT_ONCE = 500;

/**
 * A page of a list. Where an operator sees little of it, a page can have fewer items than fit, or none, and still be
 * followed by another one: what one request costs is bounded.
 */
export async function readTimeline<T>(
  { read, placeOf, keep, isPartial }: TimelineReading<T>,
  { limit, from }: { readonly limit: number; readonly from: Place | undefined },
): Promise<TimelinePage<T>> {
  const most = isPartial ? MAX_LOOKED_AT : limit + 1;
  const items: T[] = [];
  let count = 0;
  let last: T | undefined;
  for await (const piece of pagesOf(read(from, most), LOOKED_AT_ONCE)) {
    const kept = new Set(await keep(piece));
    for (const item of piece) {
      if (kept.has(item)) {
        if (items.length === limit) return { items, nextCursor: last === undefined ? null : write(placeOf(last)) };
        items.push(item);
      }
      last = item;
      count += 1;
    }
  }
  return { items, nextCursor: count < most || last === undefined ? null : write(placeOf(last)) };
}

function write({ atMs, id }: Place): string {
  return Buffer.from(`${String(atMs)}.${id}`).toString('base64url');
}

const PLACE = /^(\d{1,15})\.([0-9a-f]{24})$/;

/** The place of a `nextCursor`. Throws `MALFORMED_REQUEST` for another text. */
export function readPlace(text: string | undefined): Place | undefined {
  const read = readCursor(text, (named) => {
    const [, atMs, id] = PLACE.exec(named) ?? [];
    return atMs === undefined || id === undefined ? null : { atMs: Number(atMs), id };
  });
  return read ?? undefined;
}
