import { Secret } from '../secret.ts';

/**
 * A secret encrypted with AES-256-GCM, in the form in which it is kept. It is worth nothing without the key ring, and
 * nothing in another record: what it belongs to is authenticated with it.
 */
export interface Sealed {
  readonly keyId: string;
  /** 96 random bits, base64. */
  readonly nonce: string;
  /** Ciphertext followed by the 128-bit tag, base64. */
  readonly ciphertext: string;
}

/** What a sealed secret belongs to, so that a ciphertext moved elsewhere does not open. */
export interface SealedFor {
  readonly credentialId: string;
  /**
   * `app-secret` for the current and the retiring App Secret alike: a rotation moves it as it is. `answer` for what a
   * request of the management API was answered with; the id is then its own.
   */
  readonly what: 'app-secret' | 'app-key' | 'answer';
}

/** Seals and opens secrets with the keys of a ring. Opening throws `CannotOpen`, whose message holds no secret. */
export interface Sealer {
  seal(secret: Secret, belongsTo: SealedFor): Sealed;
  open(sealed: Sealed, belongsTo: SealedFor): Secret;
  /** The key that {@link seal} uses; what was sealed with another one is due for `keyring rewrap`. */
  readonly currentKeyId: string;
  readonly keyIds: readonly string[];
}

/** A sealed secret that does not open: its key is not in the ring, or it was altered or moved. */
export class CannotOpen extends Error {
  override readonly name = 'CannotOpen';
  readonly reason: 'unknown-key' | 'damaged';
  readonly keyId: string;

  constructor(reason: 'unknown-key' | 'damaged', keyId: string) {
    super(
      reason === 'unknown-key'
        ? `the key ring has no key ${JSON.stringify(keyId)}`
        : `a secret sealed with the key ${JSON.stringify(keyId)} does not open: it was altered, belongs to another credential, or the key is another one of that name`,
    );
    this.reason = reason;
    this.keyId = keyId;
  }
}

/** @param why called when the secret is to be seen: errors for all of a list would cost more than the rest */
export class UnopenedSecret extends Secret {
  readonly sealed: Sealed;
  readonly #why: () => Error;

  /** @param why called when it is seen: thousands of errors, with their stacks, would cost more than all else */
  constructor(sealed: Sealed, why: () => Error) {
    super(Buffer.alloc(0));
    this.sealed = sealed;
    this.#why = why;
  }

  override reveal(): Buffer {
    throw this.#why();
  }
}

/** Whether a secret was read without being opened. */
export function isUnopened(secret: Secret | null): boolean {
  return secret instanceof UnopenedSecret;
}
