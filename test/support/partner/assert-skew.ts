import assert from 'node:assert/strict';

/**
 * Asserts that a request is allowed up to so many seconds before and after the present, and expired one second beyond.
 */
export async function assertSkew(skew: number, codeAt: (distanceSeconds: number) => Promise<string>): Promise<void> {
  const distances = [-skew - 1, -skew, 0, skew, skew + 1];
  assert.deepEqual(await Promise.all(distances.map(codeAt)), [
    'REQUEST_EXPIRED',
    'ALLOWED',
    'ALLOWED',
    'ALLOWED',
    'REQUEST_EXPIRED',
  ]);
}
