import type { Environment } from '../base/environment.ts';
import type { Sealer } from '../model/keyring/sealed.ts';
import type { SystemOfRecord } from '../resources/changes/resource-store.ts';

/** The system of record as a command has it open. */
export interface OpenedStore extends SystemOfRecord {
  /** Makes the changes, in the audit trail. */
  readonly actor: string;
}

/**
 * What a command does with secrets. False: it neither shows nor makes one, and needs no key ring. True: it shows those
 * that are stored. `new`: it seals new ones, and keeps stored ones as they are where the ring does not open them.
 * `new-ring`: the same with a ring that opens none of them. `where-possible`: it takes those that can be read here, and
 * revealing another one throws.
 */
export type SecretsNeeded = boolean | 'new' | 'new-ring' | 'where-possible';

/** Which store a command wants. */
export interface StoreWish {
  /** `--store`, instead of `POSTERN_STORE`. */
  readonly store: string | undefined;
  readonly environment: Environment;
  readonly needsSecrets: SecretsNeeded;
  /** The command, which is shown to others that wait for it. */
  readonly command: string;
  /** How long each answer of a database is waited for, in milliseconds. */
  readonly timeoutMs: number;
  /** The key ring that is open already, and followed; without it the one that `POSTERN_KEYRING` names is read. */
  readonly sealer?: Sealer;
  /** Takes what is skipped, and what is waited for, in words for people. */
  readonly warn: (message: string) => void;
}

/** Opens the store of `--store` or `POSTERN_STORE`. */
export type OpenStore = (wish: StoreWish) => Promise<OpenedStore>;
