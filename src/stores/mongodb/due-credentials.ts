import type { Db, Document, Filter } from 'mongodb';
import type { Clock } from '../../base/clock.ts';
import { chunksOf } from '../../resources/changes/resource-store.ts';
import type { DueOrder, DuePlace, DueSelection, DueSource } from '../../resources/changes/due-source.ts';
import { batchesInTime, DEFAULT_TIMEOUT_MS } from './deadline.ts';
import { collectionOf } from './documents.ts';
import { iterateWithFaults, withFaults } from './faults.ts';

/** Where an order is found: the collection, and the field of its index. */
const places = {
  end: { collection: 'credentials', field: 'expiresAt', more: { state: { $ne: 'revoked' } } },
  certificate: { collection: 'credentials', field: 'certificate.notAfter', more: { state: { $ne: 'revoked' } } },
  'former-secret': {
    collection: 'credentials',
    field: 'retiringSecret.expiresAt',
    more: { state: { $ne: 'revoked' } },
  },
  'former-key': {
    collection: 'credentials',
    field: 'retiringPublicKey.expiresAt',
    more: { state: { $ne: 'revoked' } },
  },
  retiring: { collection: 'credentials', field: 'expiresAt', more: { state: 'retiring' } },
  idle: { collection: 'usage', field: 'idleSince', more: {} },
} as const satisfies Record<DueOrder, { collection: 'credentials' | 'usage'; field: string; more: object }>;

const LOOKED_UP_AT_ONCE = 1000;

/** {@link DueSource} on MongoDB, by indexes only. Does not own the client. */
export function createDueSource(db: Db, clock: Clock, timeoutMs = DEFAULT_TIMEOUT_MS): DueSource {
  return {
    list: (selection) => {
      const found = readPlaces(db, selection, timeoutMs);
      return selection.order === 'idle' ? thatWork(db, found, { clock, timeoutMs, first: selection.most }) : found;
    },
  };
}

/** The index of an order, by its name: two indexes that begin with the same field are told apart by it. */
export function indexOfOrder(order: DueOrder): string {
  const { field } = places[order];
  return order === 'retiring' ? `state_1_${field}_1__id_1` : `${field}_1__id_1`;
}

async function* readPlaces(
  db: Db,
  { order, afterMs, untilMs, behind, most }: DueSelection,
  timeoutMs: number,
): AsyncGenerator<DuePlace> {
  const { collection, field, more } = places[order];
  const range = {
    ...(Number.isFinite(afterMs) ? { $gt: new Date(afterMs) } : { $gte: new Date(0) }),
    ...(Number.isFinite(untilMs) ? { $lte: new Date(untilMs) } : {}),
  };
  const rests: Filter<Document>[] =
    behind === null
      ? [{ [field]: range }]
      : [
          { [field]: new Date(behind.atMs), _id: { $gt: behind.id } as never },
          { [field]: { ...range, $gt: new Date(behind.atMs) } },
        ];
  for (const rest of rests) {
    const cursor = db.collection(collection).find(
      { ...rest, ...more },
      {
        sort: { [field]: 1, _id: 1 },
        hint: indexOfOrder(order),
        batchSize: most,
        projection: { _id: 1, [field]: 1 },
      },
    );
    for await (const batch of iterateWithFaults(batchesInTime(cursor, timeoutMs))) {
      for (const document of batch) {
        const at = field.split('.').reduce<unknown>((value, name) => (value as Document)[name], document);
        if (at instanceof Date) yield { order, atMs: at.getTime(), id: String(document['_id']) };
      }
    }
  }
}

/**
 * Those whose credential is there, not revoked and not ended. Others stay among what is not used for good, and are many
 * after years; so they are passed over here, before a credential is opened.
 */
async function* thatWork(
  db: Db,
  found: AsyncIterable<DuePlace>,
  { clock, timeoutMs, first }: { readonly clock: Clock; readonly timeoutMs: number; readonly first: number },
): AsyncGenerator<DuePlace> {
  let size = first;
  let some: DuePlace[] = [];
  const working = async (): Promise<readonly DuePlace[]> => {
    const ids = new Set<string>();
    for (const piece of chunksOf(some, LOOKED_UP_AT_ONCE)) {
      const filter = {
        _id: { $in: piece.map(({ id }) => id) },
        state: { $ne: 'revoked' as const },
        expiresAt: { $not: { $lte: new Date(clock.nowSeconds() * 1000) } },
      };
      const options = { projection: { _id: 1 }, signal: AbortSignal.timeout(timeoutMs) } as const;
      const documents = await withFaults(() => collectionOf(db, 'credentials').find(filter, options).toArray());
      for (const { _id } of documents) ids.add(_id);
    }
    return some.filter(({ id }) => ids.has(id));
  };
  for await (const place of found) {
    some.push(place);
    if (some.length < size) continue;
    yield* await working();
    some = [];
    size = Math.min(size * 2, LOOKED_UP_AT_ONCE);
  }
  yield* await working();
}
