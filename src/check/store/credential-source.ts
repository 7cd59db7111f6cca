import type { Consumer } from '../../model/consumer.ts';
import type { Credential } from '../../model/credential.ts';
import type { OwnGrant } from '../../model/grant.ts';
import type { Pending } from '../../base/pending.ts';

/** The own grants of one consumer, live or not, by the id of the endpoint. */
export type GrantsByEndpoint = ReadonlyMap<string, OwnGrant>;

/** A credential with the consumer who holds it and its own grants: all of the caller that a decision needs. */
export interface HeldCredential {
  readonly credential: Credential;
  readonly consumer: Consumer;
  readonly grants: GrantsByEndpoint;
}

/** Finds credentials on the check path. */
export interface CredentialSource {
  /**
   * The holder of an App Key, whatever its state; null when there is none. From memory at once where possible. Throws,
   * or rejects with, {@link StoreUnavailable} when it cannot know.
   *
   * @param appKeyHash its `hashAppKey`, where the caller keeps that: making it is a good part of a look-up
   */
  findByAppKey(appKey: string, appKeyHash?: string): Pending<HeldCredential | null>;
  /**
   * Whether it could know of every App Key just now. While it cannot, some callers get 503 because it is unknown who
   * they are: every refused caller then has to get the same, or the answer would show that an App Key is known (spec
   * §3).
   */
  canKnow(): boolean;
}

/** The store has no answer. A fault: callers get 503, never a 401, as they may be known. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** The store answered, but what it has of one credential cannot be used, such as a secret whose key is not at hand. */
export class CredentialUnreadable extends StoreUnavailable {}

/** Whether the store did not answer, so that its earlier answers still count. */
export function isOutage(fault: unknown): fault is StoreUnavailable {
  return fault instanceof StoreUnavailable && !(fault instanceof CredentialUnreadable);
}
