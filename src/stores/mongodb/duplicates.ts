import { MongoBulkWriteError, MongoServerError } from 'mongodb';

/** The code of a write that was refused because another document has the same key. */
export const DUPLICATE_KEY = 11_000;

/** Whether a write was refused because another document has the same key. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/** Whether all that an unordered bulk write did not write had been written before. */
export function areAllDuplicates(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) return false;
  const failures = error.result.getWriteErrors();
  return failures.length > 0 && failures.every(({ code }) => code === DUPLICATE_KEY);
}
