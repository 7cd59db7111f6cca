import type { Environment } from '../config.ts';
import { MAX_DOCUMENT_BYTES, parseDocument } from '../resources/parse-document.ts';
import { describeGrant } from '../resources/grant.ts';
import { secretReader } from '../resources/secret-source.ts';
import { readWholeFile } from '../files/read-whole-file.ts';

/** What Postern itself would count requests against. */
export interface OwnLimits {
  /** Whether a rate limit service is configured. */
  readonly hasService: boolean;
  /** Endpoints and grants that have limits, in words; null when the store cannot be read. */
  readonly holders: readonly string[] | null;
}

/** What is known without a look at the store. */
export const unknownLimits: OwnLimits = { hasService: false, holders: null };

/** Of a store with thousands of grants, enough to report. */
const MAX_HOLDERS = 100;

/**
 * Finds the endpoints and grants of a declarative file that have limits; null for a file that cannot be read, which is
 * a finding of another check.
 */
export async function findLimitHolders(path: string, environment: Environment): Promise<readonly string[] | null> {
  const read = await readWholeFile(path, MAX_DOCUMENT_BYTES);
  if (read.kind !== 'read') return null;
  const parsed = parseDocument([{ file: path, text: read.text }], {
    isComplete: true,
    readSecret: secretReader({ environment }),
  });
  if ('problems' in parsed) return null;
  const { endpoints, grants } = parsed.content;
  return [
    ...endpoints.filter(({ limits }) => limits.length > 0).map(({ id }) => `endpoint ${id}`),
    ...grants.filter(({ limits }) => limits !== null && limits.length > 0).map(describeGrant),
  ].slice(0, MAX_HOLDERS);
}
