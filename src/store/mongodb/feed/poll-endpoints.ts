import { setTimeout as delay } from 'node:timers/promises';
import { BSON, type MongoClient } from 'mongodb';
import type { Clock } from '../../../clock.ts';
import { collectionNames } from '../documents.ts';
import type { RawDocument } from '../mapping/document-fault.ts';

/** What polling takes, and whom it tells. */
export interface PollPorts {
  readonly client: MongoClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly pollIntervalMs: number;
  /** The whole collection, when it differs from the last time. */
  onEndpoints(documents: readonly RawDocument[]): void;
  /** The endpoints were those of the store at this moment of the clock. */
  onConfirmed(confirmedMs: number): void;
}

/** Reading all endpoints may take this part of the time at most. */
const LARGEST_SHARE = 0.05;

/**
 * Reads all endpoints again and again until the signal is aborted, for servers without change streams: whole, because
 * who edits documents by hand changes no revision. Only those that differ to the byte are taken apart. Rejects with the
 * driver's errors.
 */
export async function pollEndpoints({ client, clock, signal, ...ports }: PollPorts): Promise<void> {
  const collection = client.db().collection<RawDocument>(collectionNames.endpoints);
  let known: readonly Buffer[] | null = null;
  while (!signal.aborted) {
    const askedMs = clock.nowMs();
    const found = (await collection.find({}, { raw: true, signal }).sort({ _id: 1 }).toArray()) as unknown as Buffer[];
    if (known === null || !isSame(known, found)) {
      known = found.map((bytes) => Buffer.from(bytes));
      ports.onEndpoints(known.map((bytes) => BSON.deserialize(bytes)));
    }
    ports.onConfirmed(askedMs);
    const tookMs = clock.nowMs() - askedMs;
    await delay(Math.max(ports.pollIntervalMs, tookMs / LARGEST_SHARE), undefined, { signal });
  }
}

function isSame(known: readonly Buffer[], found: readonly Buffer[]): boolean {
  return known.length === found.length && known.every((bytes, index) => found[index]?.equals(bytes) === true);
}
