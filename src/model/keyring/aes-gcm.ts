import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
/** Bytes of a key. */
export const CIPHER_KEY_BYTES = 32;
/** Bytes of a nonce. With one key, a nonce must never come again for another text. */
export const NONCE_BYTES = 12;
/** Bytes of the tag behind a ciphertext. */
export const TAG_BYTES = 16;

/**
 * Encrypts and authenticates a text by AES-256-GCM (NIST SP 800-38D); `associated` is authenticated with it. Gives the
 * ciphertext with the 128-bit tag behind it.
 */
export function encrypt(key: KeyObject, nonce: Uint8Array, text: Uint8Array, associated: Uint8Array): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associated);
  return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

/** Opens what {@link encrypt} gave. Null for anything that does not authenticate, also for what is too short. */
export function decrypt(key: KeyObject, nonce: Uint8Array, sealed: Uint8Array, associated: Uint8Array): Buffer | null {
  const end = sealed.length - TAG_BYTES;
  if (nonce.length !== NONCE_BYTES || end < 0) return null;
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(associated);
  decipher.setAuthTag(sealed.subarray(end));
  const opened = decipher.update(sealed.subarray(0, end));
  try {
    return Buffer.concat([opened, decipher.final()]);
  } catch (error) {
    // What does not authenticate.
    if (error instanceof Error) return null;
    throw error;
  }
}
