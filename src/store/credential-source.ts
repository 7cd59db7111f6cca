import type { Consumer } from '../model/consumer.ts';
import type { Credential } from '../model/credential.ts';
import type { Grant } from '../model/grant.ts';
import type { Pending } from '../pending.ts';

/** The grants of one consumer, live or not, by the id of the endpoint. */
export type GrantsByEndpoint = ReadonlyMap<string, Grant>;

/** A credential together with the consumer who holds it and what that consumer is granted: all that a decision needs. */
export interface HeldCredential {
  readonly credential: Credential;
  readonly consumer: Consumer;
  readonly grants: GrantsByEndpoint;
}

/** Finds credentials on the check path. */
export interface CredentialSource {
  /**
   * The holder of an App Key, whatever its state; null when nobody has it. From memory at once where possible.
   * Throws, or rejects with, {@link StoreUnavailable} when it cannot know.
   */
  findByAppKey(appKey: string): Pending<HeldCredential | null>;
  /**
   * Whether it could know of every App Key just now. While it cannot, some callers get 503 because nobody knows who they
   * are: whoever is refused then has to get the same, or it would show that their App Key is known (spec §3).
   */
  canKnow(): boolean;
}

/** The store has no answer. A fault: callers get 503, never a 401 for somebody who may be known. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** The store did answer, but what it has of one credential cannot be used, such as a secret whose key is not at hand. */
export class CredentialUnreadable extends StoreUnavailable {}
