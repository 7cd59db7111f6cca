import type { Db } from 'mongodb';
import { migrateFrom1 } from './migrate-from-1.ts';

/**
 * Leads the documents of one version to the next. A migration that was broken off is done again from its beginning, so
 * that it passes over what is done already. Collections, validators and indexes of the newest version are made after the
 * last one; a migration removes what would stand in its way.
 */
export type Migration = (db: Db) => Promise<void>;

/** By the version that each begins with. */
export const migrations: Readonly<Record<number, Migration>> = {
  1: migrateFrom1,
  // Versions 3 and 4 add a collection each, which needs no more than being made.
  2: () => Promise.resolve(),
  3: () => Promise.resolve(),
};
