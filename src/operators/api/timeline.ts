import type { Cursors } from './cursors.ts';

/** A place in a list that has the newest first, and of one millisecond the highest id. */
export interface Place {
  readonly atMs: number;
  /** 24 hexadecimal digits. */
  readonly id: string;
}

/** Items of a page, and where the next page begins; null for the last one. */
export interface TimelinePage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** The page of what was read of a list: one more than fits says that there is another. */
export function timelinePage<T>(
  read: readonly T[],
  { limit, placeOf, cursors }: { readonly limit: number; placeOf: (item: T) => Place; readonly cursors: Cursors },
): TimelinePage<T> {
  const items = read.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    nextCursor: read.length > limit && last !== undefined ? cursors.after(placeText(placeOf(last))) : null,
  };
}

/** A place as a cursor names it. */
export function placeText({ atMs, id }: Place): string {
  return `${String(atMs)}.${id}`;
}

const PLACE = /^(\d{1,15})\.([0-9a-f]{24})$/;

/** The place that a cursor names; null for another text. */
export function readPlace(named: string): Place | null {
  const [, atMs, id] = PLACE.exec(named) ?? [];
  return atMs === undefined || id === undefined ? null : { atMs: Number(atMs), id };
}
