import { createHash } from 'node:crypto';
import type { AuthenticationMethod } from '../model/endpoint.ts';
import type { Pending } from '../pending.ts';

/** `first`: nobody used the signature before, and from now on it counts as used. */
export type Reservation = 'first' | 'repeated';

/** Remembers which signatures were used (spec §4.4). */
export interface ReplayGuard {
  /**
   * Asks whether a signature is used for the first time, and remembers it in the same step: of several who ask at once
   * one is the first. `key` is of {@link replayKeyOf}. It is `repeated` at least until `untilSeconds` (since the epoch), as
   * the first reservation gave it; a guard may remember it longer, but not for ever.
   *
   * Throws, or rejects with, `StoreUnavailable` when it cannot know, also when it is uncertain whether the signature was
   * remembered: then it may count as used.
   */
  reserve(key: string, untilSeconds: number): Pending<Reservation>;
}

/** What tells a signature from all others. */
export interface UsedSignature {
  readonly method: AuthenticationMethod;
  readonly appKey: string;
  /** The bytes, however they were written in the request. */
  readonly mac: Uint8Array;
}

/** The name of a signature, always 43 characters: a hash, which neither shows nor lets anybody make the signature. */
export function replayKeyOf({ method, appKey, mac }: UsedSignature): string {
  // No method and no App Key of a credential holds a NUL (spec §1).
  return createHash('sha256').update(`${method}\0${appKey}\0`).update(mac).digest('base64url');
}
