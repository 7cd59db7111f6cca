import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

/** The length of every key of a ring. */
export const RING_KEY_BYTES = 32;

/** Ids of keys: they stand in every sealed secret and in the `kid` of tokens. */
export const KEY_ID_PATTERN = /^[a-z0-9-]{1,63}$/;

/** One key of a ring. */
export interface RingKey {
  readonly id: string;
  /** {@link RING_KEY_BYTES} random bytes. */
  readonly key: KeyObject;
  /** Seconds since the epoch. */
  readonly createdAt: number;
}

/** What a key ring file says. */
export interface RingContent {
  /** The key that seals and signs; one of {@link keys}. */
  readonly currentKeyId: string;
  /** The key that is to become the current one once every replica has it; one of {@link keys}, or null. */
  readonly stagedKeyId: string | null;
  /** Ids are unique. All keys but the current and the staged one are former: they only open and verify. */
  readonly keys: readonly RingKey[];
}

/** Makes a random key with an id such as `k20261121-3f0c9a`: the day in UTC, and three random bytes. */
export function generateRingKey(nowSeconds: number): RingKey {
  const day = new Date(nowSeconds * 1000).toISOString().slice(0, 10).replaceAll('-', '');
  return {
    id: `k${day}-${randomBytes(3).toString('hex')}`,
    key: createSecretKey(randomBytes(RING_KEY_BYTES)),
    createdAt: nowSeconds,
  };
}
