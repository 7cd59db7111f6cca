import { createSecretKey } from 'node:crypto';
import { KeyRing } from '../../../src/model/keyring/key-ring.ts';
import type { RingKey } from '../../../src/model/keyring/ring-content.ts';
import { formatKeyRing } from '../../../src/model/keyring/ring-document.ts';

/** Keys that only tests use, always the same: each byte of `test-key-N` is N. */
export function testRingKey(number: number): RingKey {
  return {
    id: `test-key-${String(number)}`,
    key: createSecretKey(Buffer.alloc(32, number)),
    createdAt: Date.UTC(2026, 0, number) / 1000,
  };
}

/** A ring of fixed keys, `test-key-1` unless others are given; the last one is current. */
export function testKeyRing(...numbers: readonly number[]): KeyRing {
  return new KeyRing(contentOf(numbers));
}

/** Such a ring, for a process that would follow its file. */
export function testKeyRingHolder(): AsyncDisposable & { readonly ring: KeyRing } {
  return { ring: testKeyRing(), [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** The text of the file of such a ring. */
export function ringText(...numbers: readonly number[]): string {
  return formatKeyRing(contentOf(numbers));
}

function contentOf(numbers: readonly number[]) {
  const keys = (numbers.length === 0 ? [1] : numbers).map(testRingKey);
  return { currentKeyId: keys.at(-1)?.id ?? '', stagedKeyId: null, keys };
}
