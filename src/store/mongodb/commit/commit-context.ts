import type { ClientSession, Db, ObjectId } from 'mongodb';

/** What the steps of one commit share, for one attempt. */
export interface CommitContext {
  readonly db: Db;
  readonly session: ClientSession;
  /** What tells this commit from all others, in every attempt. */
  readonly commitId: ObjectId;
  /** The store's revision after the commit. */
  readonly storeRevision: number;
  /** The time that the commit's records get. */
  readonly nowMs: number;
}

/** A document of which only this much matters. */
export interface Identified {
  readonly _id: string;
  readonly [field: string]: unknown;
}
