import type { Collection, Filter } from 'mongodb';
import { literalPattern, searchedFields } from '../../resources/changes/named-like.ts';
import type { Identified } from './commit/changes.ts';
import { byDeadline } from './deadline.ts';
import { withFaults } from './faults.ts';

/** More names than these that hold a text are so many that reading in the order of ids soon finds a page of them. */
const FEW = 1000;

/** Conditions of which one has to hold, for what `isNamedLike` (manage/named-like.ts) finds. */
export type NamedConditions = readonly Filter<Identified>[];

/**
 * Looks for a text in names and contacts. No index answers that, so all of them are read, and nothing else of a
 * document: 100 000 take about 0.1 s. Where few hold it, the conditions name their ids, so that the search itself reads
 * only what it finds. Rejects at the deadline.
 */
export async function findNamed(
  collection: Collection<Identified>,
  text: string,
  timeoutMs: number,
): Promise<NamedConditions> {
  const id = { _id: { $regex: `^${literalPattern(text.toLowerCase())}` } };
  const holds = { $regex: literalPattern(text), $options: 'i' };
  const named = { $or: searchedFields.map((field) => ({ [field]: holds })) };
  const cursor = collection.find(named, { projection: { _id: 1 }, hint: { $natural: 1 }, limit: FEW + 1 });
  const found = await withFaults(() => byDeadline(AbortSignal.timeout(timeoutMs), async () => await cursor.toArray()));
  if (found.length > FEW) return [id, named];
  return [id, { _id: { $in: found.map(({ _id }) => _id) } }];
}

/** A filter narrowed to such conditions; in this form the server merges what the index of ids has for each. */
export function withNames(filter: Filter<Identified>, conditions: NamedConditions): Filter<Identified> {
  return { $or: conditions.map((condition) => ({ $and: [filter, condition] })) };
}
