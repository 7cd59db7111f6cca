import { createSecretKey } from 'node:crypto';
import { KeyRing } from '../../src/keyring/key-ring.ts';
import type { RingKey } from '../../src/keyring/ring-content.ts';

/** Keys that only tests use, always the same: each byte of `test-key-N` is N. */
export function testRingKey(number: number): RingKey {
  return {
    id: `test-key-${String(number)}`,
    key: createSecretKey(Buffer.alloc(32, number)),
    createdAt: Date.UTC(2026, 0, number) / 1000,
  };
}

/** A ring of fixed keys, `test-key-1` unless told otherwise; the last one is current. */
export function testKeyRing(...numbers: readonly number[]): KeyRing {
  const keys = (numbers.length === 0 ? [1] : numbers).map(testRingKey);
  return new KeyRing({ currentKeyId: keys.at(-1)?.id ?? '', stagedKeyId: null, keys });
}
