import { createSecretKey } from 'node:crypto';
import { KeyRing } from '../../src/model/keyring/key-ring.ts';

/** A ring with a fixed key, for measuring only. */
export function benchRing(): KeyRing {
  const key = { id: 'bench', key: createSecretKey(Buffer.alloc(32, 1)), createdAt: 0 };
  return new KeyRing({ currentKeyId: key.id, stagedKeyId: null, keys: [key] });
}
