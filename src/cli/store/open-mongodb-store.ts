import { UsageError } from '../partner/usage-error.ts';
import type { OpenedStore } from './open-store.ts';

/** Connects to the database of a MongoDB address. Rejects as `openStore` says. */
export async function openMongoDbStore(): Promise<Omit<OpenedStore, 'actor'>> {
  return await Promise.reject(
    new UsageError('POSTERN_STORE: this version reads declarative files only; use file:PATH'),
  );
}
