import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { Secret } from '../secret.ts';
import { decodeCanonicalBase64 } from '../../base/text/encodings.ts';
import { CIPHER_KEY_BYTES, decrypt, encrypt, NONCE_BYTES } from './aes-gcm.ts';
import type { RingContent } from './ring-content.ts';
import { CannotOpen, type Sealed, type SealedFor, type Sealer } from './sealed.ts';

/** What keys are derived with; a purpose of {@link KeyRing.derive} never equals that of sealing. */
const SEAL_INFO = 'postern-seal-v1';
const DERIVE_INFO = 'postern-derive-v1\0';

/**
 * The keys that secrets are sealed with (spec §6), by {@link encrypt} with a random nonce and {@link associatedData}.
 * Ring keys are never used themselves: one for sealing and one for each purpose of {@link derive} is derived from each
 * by HKDF-SHA256 (RFC 5869). Immutable; prints and serialises without its keys.
 */
export class KeyRing implements Sealer {
  readonly currentKeyId: string;
  /** The key that `keyring rotate --stage` added and that no replica uses yet; null for none. */
  readonly stagedKeyId: string | null;
  /** The ids of all keys, in the order of the file: what is signed may be verified with any of them. */
  readonly keyIds: readonly string[];
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #sealKeys: ReadonlyMap<string, KeyObject>;
  readonly #currentSealKey: KeyObject;

  constructor({ currentKeyId, stagedKeyId, keys }: RingContent) {
    this.currentKeyId = currentKeyId;
    this.stagedKeyId = stagedKeyId;
    this.keyIds = keys.map(({ id }) => id);
    this.#keys = new Map(keys.map(({ id, key }) => [id, key]));
    this.#sealKeys = new Map(keys.map(({ id, key }) => [id, deriveKey(key, SEAL_INFO, CIPHER_KEY_BYTES)]));
    this.#currentSealKey = keyOf(this.#sealKeys, currentKeyId);
  }

  seal(secret: Secret, belongsTo: SealedFor): Sealed {
    const nonce = randomBytes(NONCE_BYTES);
    const associated = associatedData(this.currentKeyId, belongsTo);
    const ciphertext = encrypt(this.#currentSealKey, nonce, secret.reveal(), associated);
    return { keyId: this.currentKeyId, nonce: nonce.toString('base64'), ciphertext: ciphertext.toString('base64') };
  }

  open(sealed: Sealed, belongsTo: SealedFor): Secret {
    const key = keyOf(this.#sealKeys, sealed.keyId);
    const nonce = decodeCanonicalBase64(sealed.nonce);
    const ciphertext = decodeCanonicalBase64(sealed.ciphertext);
    const opened =
      nonce === null || ciphertext === null
        ? null
        : decrypt(key, nonce, ciphertext, associatedData(sealed.keyId, belongsTo));
    if (opened === null) throw new CannotOpen('damaged', sealed.keyId);
    return Secret.fromText(opened.toString('utf8'));
  }

  has(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  /**
   * A key of `bytes` bytes for one purpose, derived from a key of the ring: always the same for the same three. It
   * reveals nothing about the ring's key or other purposes. Throws {@link CannotOpen} when the ring has no such key.
   */
  derive(keyId: string, purpose: string, bytes: number): KeyObject {
    return deriveKey(keyOf(this.#keys, keyId), `${DERIVE_INFO}${purpose}`, bytes);
  }
}

/** What secrets sealed with one ring a later one cannot open, in sentences without keys. */
export function findLosses(former: KeyRing, later: KeyRing): readonly string[] {
  return former.keyIds.flatMap((id) => {
    if (!later.has(id)) return [`the key ${id} was removed: what was sealed with it can no longer be opened`];
    const isSame = former.derive(id, COMPARE, CIPHER_KEY_BYTES).equals(later.derive(id, COMPARE, CIPHER_KEY_BYTES));
    return isSame ? [] : [`the key ${id} is another one now: what was sealed with the former can no longer be opened`];
  });
}

const COMPARE = 'compare';

/**
 * What is authenticated with a sealed secret: `postern-secret-v1 NUL keyId NUL what NUL credentialId` in UTF-8. Only
 * the last part could hold a NUL, so that no two records share it.
 */
function associatedData(keyId: string, { what, credentialId }: SealedFor): Buffer {
  return Buffer.from(`postern-secret-v1\0${keyId}\0${what}\0${credentialId}`, 'utf8');
}

/** RFC 5869 with SHA-256 and no salt: the keys of the ring are uniformly random already. */
function deriveKey(key: KeyObject, info: string, bytes: number): KeyObject {
  return createSecretKey(new Uint8Array(hkdfSync('sha256', key, new Uint8Array(0), info, bytes)));
}

function keyOf(keys: ReadonlyMap<string, KeyObject>, keyId: string): KeyObject {
  const key = keys.get(keyId);
  if (key === undefined) throw new CannotOpen('unknown-key', keyId);
  return key;
}
