import { createHmac, type KeyObject } from 'node:crypto';
import { CIPHER_KEY_BYTES, decrypt, encrypt, NONCE_BYTES } from './aes-gcm.ts';
import type { KeyRing } from './key-ring.ts';

/** What keys are derived for, as {@link KeyRing.derive} takes it. */
const SEAL_PURPOSE = 'cursor-seal-v1';
const NONCE_PURPOSE = 'cursor-nonce-v1';

/** What is taken of a ring. */
export type CursorRing = Pick<KeyRing, 'currentKeyId' | 'keyIds' | 'derive'>;

/** Hides and authenticates where the next page of a list begins. */
export interface CursorSealer {
  /** A text for one operator and one list, which `scope` names. The same place gives the same text. */
  seal(place: string, scope: string): string;
  /** The place; null for a text that was sealed for another scope, with no key of the ring, or not at all. */
  open(cursor: string, scope: string): string | null;
}

/**
 * Seals cursors with keys derived from the key ring, so that every replica opens them: AES-256-GCM whose nonce is the
 * HMAC-SHA256 of scope and place, so that a nonce comes again with the same text only; the scope is authenticated. What
 * was sealed with a former key of the ring opens.
 *
 * @param ring the ring now; called for every use
 */
export function createCursorSealer(ring: () => CursorRing): CursorSealer {
  return {
    seal: (place, scope) => {
      const { currentKeyId } = ring();
      const [sealKey, nonceKey] = keysOf(ring(), currentKeyId);
      const nonce = createHmac('sha256', nonceKey).update(`${scope}\0\0${place}`).digest().subarray(0, NONCE_BYTES);
      const sealed = encrypt(sealKey, nonce, Buffer.from(place, 'utf8'), Buffer.from(scope, 'utf8'));
      return Buffer.concat([nonce, sealed]).toString('base64url');
    },
    open: (cursor, scope) => {
      const bytes = Buffer.from(cursor, 'base64url');
      if (bytes.toString('base64url') !== cursor) return null;
      const [nonce, sealed] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES)];
      for (const keyId of ring().keyIds) {
        const place = decrypt(keysOf(ring(), keyId)[0], nonce, sealed, Buffer.from(scope, 'utf8'));
        if (place !== null) return place.toString('utf8');
      }
      return null;
    },
  };
}

function keysOf(ring: CursorRing, keyId: string): readonly [seal: KeyObject, nonce: KeyObject] {
  return [ring.derive(keyId, SEAL_PURPOSE, CIPHER_KEY_BYTES), ring.derive(keyId, NONCE_PURPOSE, CIPHER_KEY_BYTES)];
}
