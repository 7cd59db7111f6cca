import type { Db } from 'mongodb';
import type { Session, SessionStore } from '../../resources/changes/sessions.ts';
import { byDeadline, DEFAULT_TIMEOUT_MS } from './deadline.ts';
import { collectionOf, type SessionDocument } from './documents.ts';
import { withFaults } from './faults.ts';

/**
 * {@link SessionStore} in the collection `sessions`, which a TTL index empties. Reads the primary, so that what ended
 * is refused at once. It takes `find`, `insert`, `update` and `remove`. Does not own the client.
 */
export function createSessionStore(db: Db, timeoutMs = DEFAULT_TIMEOUT_MS): SessionStore {
  const sessions = collectionOf(db, 'sessions');
  const write = async (work: () => Promise<unknown>): Promise<void> => {
    await withFaults(() => byDeadline(AbortSignal.timeout(timeoutMs), work));
  };
  return {
    add: async (session) => {
      await write(() => sessions.insertOne(documentOf(session)));
    },
    find: async (hash) => {
      const options = { readPreference: 'primary', signal: AbortSignal.timeout(timeoutMs) } as const;
      const document = await withFaults(() => sessions.findOne({ _id: hash }, options));
      return document === null ? null : readSession(document);
    },
    extend: async (hash, expiresAt) => {
      await write(() => sessions.updateOne({ _id: hash }, { $max: { expiresAt: new Date(expiresAt * 1000) } }));
    },
    remove: async (hash) => {
      await write(() => sessions.deleteOne({ _id: hash }));
    },
  };
}

function documentOf({ hash, operatorId, createdAt, expiresAt, tokenId, subject }: Session): SessionDocument {
  return {
    _id: hash,
    operatorId,
    createdAt: new Date(createdAt * 1000),
    expiresAt: new Date(expiresAt * 1000),
    ...(tokenId === null ? {} : { tokenId }),
    ...(subject === null ? {} : { subject }),
  };
}

/** Null for what a hand wrote past the validator: it is no session. */
function readSession({ _id, operatorId, createdAt, expiresAt, tokenId, subject }: SessionDocument): Session | null {
  const times = [createdAt, expiresAt].map((time: unknown) => (time instanceof Date ? time.getTime() / 1000 : NaN));
  const [created = NaN, expires = NaN] = times;
  if (typeof operatorId !== 'string' || !Number.isFinite(created) || !Number.isFinite(expires)) return null;
  return {
    hash: _id,
    operatorId,
    createdAt: Math.floor(created),
    expiresAt: Math.floor(expires),
    tokenId: tokenId ?? null,
    subject: subject ?? null,
  };
}
