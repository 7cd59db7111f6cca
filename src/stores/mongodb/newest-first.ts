import type { Collection, Filter } from 'mongodb';
import { dateOf } from '../../model/document/fields.ts';
import type { NewestFirst } from '../../resources/changes/resource-store.ts';
import type { Identified } from './commit/changes.ts';
import { byDeadline } from './deadline.ts';
import { withFaults } from './faults.ts';

/** The order in which documents are read: the parts of it, one behind the other, each by the same index. */
export interface Order {
  readonly parts: readonly Filter<Identified>[];
  readonly sort: Readonly<Record<string, 1 | -1>>;
}

/** The order of ids, or the newest first. Rejects at the deadline. */
export async function orderOf(
  collection: Collection<Identified>,
  newest: NewestFirst | undefined,
  timeoutMs: number,
): Promise<Order> {
  if (newest === undefined) return { parts: [{}], sort: { _id: 1 } };
  const { by, behind } = newest;
  const sort = { [by]: -1, _id: -1 } as const;
  if (behind === null) return { parts: [{}], sort };
  const at = await exactTime(collection, by, behind, timeoutMs);
  return { parts: [{ [by]: at, _id: { $lt: behind.id } }, { [by]: { $lt: at } }], sort };
}

/** A hand may have written a fraction of a second, which a place has not. */
async function exactTime(
  collection: Collection<Identified>,
  by: NewestFirst['by'],
  { atSeconds, id }: NonNullable<NewestFirst['behind']>,
  timeoutMs: number,
): Promise<Date> {
  const options = { projection: { [by]: 1 }, signal: AbortSignal.timeout(timeoutMs) };
  const document = await withFaults(() =>
    byDeadline(AbortSignal.timeout(timeoutMs), async () => await collection.findOne({ _id: id }, options)),
  );
  const at = document?.[by];
  return at instanceof Date && Math.floor(at.getTime() / 1000) === atSeconds ? at : dateOf(atSeconds);
}
