import type { SecretPath } from './material.ts';
import { Secret } from './secret.ts';

/** Where a secret of a credential stands: its App Key, or one of its material. */
export type KeptPath = 'appKey' | SecretPath;

/** What is known of a secret that a store keeps to itself. */
export interface KnownOfSecret {
  /** The last characters of an App Key, by which people tell one from another; null where none are shown. */
  readonly end?: string | null;
  /** The secret itself, where the caller has it and the store says that it is the same. */
  readonly same?: Secret;
}

/**
 * A secret that a store keeps and does not give: a change that is made of it leaves it to the store. It is seen only
 * where the caller had it already.
 */
export class KeptSecret extends Secret {
  readonly path: KeptPath;
  readonly end: string | null;
  readonly #same: Secret | null;

  constructor(path: KeptPath, { end = null, same }: KnownOfSecret = {}) {
    super(Buffer.alloc(0));
    this.path = path;
    this.end = end;
    this.#same = same ?? null;
  }

  /** Whether nobody here can see it. */
  get isHidden(): boolean {
    return this.#same === null;
  }

  override reveal(): Buffer {
    if (this.#same === null) throw new Error('the management API shows no stored secret');
    return this.#same.reveal();
  }
}

/**
 * Stands for the hash of a secret App Key that a store keeps to itself: a weak key could be guessed from it. It is the
 * hash of no App Key.
 */
export const KEPT_APP_KEY_HASH = '';

/** Whether a store keeps a secret to itself, so that nothing can be said of its characters. */
export function isKept(secret: Secret | null): boolean {
  return secret instanceof KeptSecret && secret.isHidden;
}
