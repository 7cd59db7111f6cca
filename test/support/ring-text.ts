import { formatKeyRing } from '../../src/keyring/ring-document.ts';
import { testRingKey } from './keyring.ts';

/** The text of a key ring with the fixed keys of tests; the last one is current. */
export function ringText(...numbers: readonly number[]): string {
  const keys = (numbers.length === 0 ? [1] : numbers).map(testRingKey);
  return formatKeyRing({ currentKeyId: keys.at(-1)?.id ?? '', stagedKeyId: null, keys });
}
