import assert from 'node:assert/strict';
import { type LoadReport } from '../../support/load/open-load.ts';

/** Asserts that every request was answered with 200, and that there were some of each kind. */
export function assertNoFailure(report: LoadReport, kinds: readonly string[]): void {
  const answered = Object.keys(report.outcomes);
  assert.deepEqual(answered, kinds.map((kind) => `${kind} 200`).toSorted(), JSON.stringify(report));
  assert.equal(
    Object.values(report.outcomes).reduce((sum, count) => sum + count, 0),
    report.sent,
  );
}

/** The kinds of `mixedRequests`. */
export const mixedKinds = ['hmac', 'hmac, 2 kB', 'hmac, 40 kB', 'key', 'oauth2', 'token'] as const;
