import { createHash } from 'node:crypto';
import type { SignatureMethod } from '../../model/endpoint.ts';
import type { Pending } from '../../base/pending.ts';

/**
 * `first`: the signature was not used before, and counts as used from now on. `outdated`: it was signed at a time of
 * which used signatures are no longer remembered, as only a clock that was set back or a skew that was raised makes it.
 */
export type Reservation = 'first' | 'repeated' | 'outdated' | ShareUsedUp;

/** The credential or its consumer has as many signatures remembered as one may have: nothing was remembered. */
export interface ShareUsedUp {
  /** When there is room again, about. */
  readonly retryAfterSeconds: number;
}

/** Remembers which signatures were used (spec §4.4). */
export interface ReplayGuard {
  /**
   * Asks whether a signature is used for the first time, and remembers it in the same step: of several who ask at once
   * one is the first. It is `repeated` for {@link rememberedSeconds} at least, of `windowSeconds`, in which signatures
   * work on the protected endpoint of the method that takes the oldest; a guard may remember it longer, but not for
   * ever. Where that window is widened later, no signature of before is `first` again.
   *
   * Throws, or rejects with, `StoreUnavailable` when it cannot know, also when it is uncertain whether the signature
   * was remembered: then it may count as used.
   */
  reserve(used: UsedSignature, windowSeconds: number): Pending<Reservation>;
}

/**
 * What proves right once only: signatures by their method, assertions of OAuth2 clients (RFC 7523), and tokens of
 * issuers by their `jti`.
 */
export type UsedKind = SignatureMethod | 'assertion' | 'jwt';

/** A signature that proved right, an assertion, or a token. */
export interface UsedSignature {
  readonly method: UsedKind;
  /** Of a token the id of its issuer. */
  readonly appKey: string;
  /**
   * What no other of the App Key may have: the bytes of the MAC, however they were written in the request, the nonce
   * that was signed, or the `jti` of an assertion or a token.
   */
  readonly mark: Uint8Array;
  /** Who signed, and for which consumer. */
  readonly credentialId: string;
  readonly consumerId: string;
  /** The signed time, in seconds since the epoch; of an assertion and a token its `exp`. */
  readonly signedAtSeconds: number;
  /** Of an assertion and a token, in seconds since the epoch: it is `repeated` until then at least, without a skew. */
  readonly expiresAtSeconds?: number;
}

/** Added to the time in which a signature works: clocks of replicas differ, and a large body is checked late. */
const SLACK_SECONDS = 60;

/** How long a used signature is remembered, where it works for so long. */
export function rememberedSeconds(windowSeconds: number): number {
  return windowSeconds + SLACK_SECONDS;
}

/** Until when, in seconds since the epoch, an assertion is remembered that works until `expiresAtSeconds`. */
export function rememberedUntil(expiresAtSeconds: number): number {
  return expiresAtSeconds + SLACK_SECONDS;
}

/** The name of a signature, always 43 characters: a hash, from which the signature cannot be found. */
export function replayKeyOf({ method, appKey, mark }: Pick<UsedSignature, 'method' | 'appKey' | 'mark'>): string {
  // No method and no App Key of a credential holds a NUL (spec §1).
  return createHash('sha256').update(`${method}\0${appKey}\0`).update(mark).digest('base64url');
}
