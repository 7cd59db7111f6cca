import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { findNearestName } from '../document/nearest-name.ts';

/** The length of every key of a ring. */
export const RING_KEY_BYTES = 32;

/** Ids of keys, which are part of every sealed secret and the `kid` of tokens. */
export const KEY_ID_PATTERN = /^[a-z0-9-]{1,63}$/;

/** One key of a ring. */
export interface RingKey {
  readonly id: string;
  /** {@link RING_KEY_BYTES} random bytes. */
  readonly key: KeyObject;
  /** Seconds since the epoch. */
  readonly createdAt: number;
}

/** The content of a key ring file. */
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

/** Why a key ring cannot be changed so; `message` is a sentence for people. */
export interface RingConflict {
  readonly kind: 'conflict' | 'not-found';
  readonly message: string;
}

/** A key ring after a change, or why it cannot be changed so. */
export type ChangedRing = { readonly content: RingContent; readonly keyId: string } | RingConflict;

/** A ring of one key. */
export function newRing(key: RingKey): RingContent {
  return { currentKeyId: key.id, stagedKeyId: null, keys: [key] };
}

/** Adds a key and makes it current at once, or only stages it: it then opens and verifies, and seals once promoted. */
export function addKey(ring: RingContent, key: RingKey, as: 'current' | 'staged'): ChangedRing {
  const { stagedKeyId } = ring;
  if (stagedKeyId !== null) {
    const message = `the key ${stagedKeyId} is staged already; promote it with "postern keyring rotate --promote", or remove it`;
    return { kind: 'conflict', message };
  }
  if (ring.keys.some(({ id }) => id === key.id)) {
    return { kind: 'conflict', message: `the ring has a key ${key.id} already; try again` };
  }
  const added = as === 'current' ? { currentKeyId: key.id } : { stagedKeyId: key.id };
  return { content: { ...ring, ...added, keys: [...ring.keys, key] }, keyId: key.id };
}

/** Makes the staged key current. */
export function promoteKey(ring: RingContent): ChangedRing {
  const { stagedKeyId } = ring;
  if (stagedKeyId === null) {
    return { kind: 'conflict', message: 'no key is staged; "postern keyring rotate --stage" adds one' };
  }
  return { content: { ...ring, currentKeyId: stagedKeyId, stagedKeyId: null }, keyId: stagedKeyId };
}

/** Removes a former or the staged key. */
export function removeKey(ring: RingContent, keyId: string): ChangedRing {
  const ids = ring.keys.map(({ id }) => id);
  if (!ids.includes(keyId)) {
    const nearest = findNearestName(keyId, ids);
    const advice = nearest === null ? 'see "postern keyring show"' : `did you mean ${nearest}?`;
    return { kind: 'not-found', message: `the key ring has no key of this id; ${advice}` };
  }
  if (keyId === ring.currentKeyId) {
    const message = `${keyId} is the current key; rotate first, then rewrap the store, then remove it`;
    return { kind: 'conflict', message };
  }
  const keys = ring.keys.filter(({ id }) => id !== keyId);
  return { content: { ...ring, stagedKeyId: ring.stagedKeyId === keyId ? null : ring.stagedKeyId, keys }, keyId };
}
