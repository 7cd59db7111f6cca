import { createCipheriv, createDecipheriv, createHmac, type KeyObject } from 'node:crypto';
import type { KeyRing } from './key-ring.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

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
      const cipher = createCipheriv(CIPHER, sealKey, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(scope, 'utf8'));
      const sealed = Buffer.concat([nonce, cipher.update(place, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return sealed.toString('base64url');
    },
    open: (cursor, scope) => {
      const bytes = Buffer.from(cursor, 'base64url');
      if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== cursor) return null;
      for (const keyId of ring().keyIds) {
        const place = openWith(keysOf(ring(), keyId)[0], bytes, scope);
        if (place !== null) return place;
      }
      return null;
    },
  };
}

function keysOf(ring: CursorRing, keyId: string): readonly [seal: KeyObject, nonce: KeyObject] {
  return [ring.derive(keyId, SEAL_PURPOSE, KEY_BYTES), ring.derive(keyId, NONCE_PURPOSE, KEY_BYTES)];
}

function openWith(key: KeyObject, bytes: Buffer, scope: string): string | null {
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(scope, 'utf8'));
  decipher.setAuthTag(bytes.subarray(end));
  const opened = decipher.update(bytes.subarray(NONCE_BYTES, end));
  try {
    return Buffer.concat([opened, decipher.final()]).toString('utf8');
  } catch (error) {
    // What does not authenticate.
    if (error instanceof Error) return null;
    throw error;
  }
}
