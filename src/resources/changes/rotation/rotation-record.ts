import type { AuthenticationMethod } from '../../../model/endpoint.ts';
import type { Secret } from '../../../model/secret.ts';

/**
 * What has become of a credential of a run: `planned`, nothing was done yet; `unknown`, its new secret is kept and the
 * change was sent, or is about to be; `rotated`, the new secret is in force; `left-out`, it was not rotated, for a
 * reason that appeared only after the plan.
 */
export const rotationOutcomes = ['planned', 'unknown', 'rotated', 'left-out'] as const;
export type RotationOutcome = (typeof rotationOutcomes)[number];

/** A new secret as its partner gets it, and what finds out later whether it came into force. */
export interface NewSecret {
  /** The new one for method `key`; otherwise that of the credential, null where it is not known. */
  readonly appKey: Secret | null;
  /** Null where there is none. */
  readonly appSecret: Secret | null;
  /** Of method `key`: the credential that follows. */
  readonly successorId: string | null;
  /** The revision of the credential that the change was planned on. */
  readonly revision: number;
  /** When the former secret ends, in seconds since the epoch. */
  readonly formerEndsAt: number;
}

/** One credential of a run that rotates many. */
export interface RotationRecord {
  readonly credentialId: string;
  readonly consumerId: string;
  readonly methods: readonly AuthenticationMethod[];
  /** When the credential was made, in seconds since the epoch: another one of the same id is not meant. */
  readonly createdAt: number;
  readonly outcome: RotationOutcome;
  /** Why it was left out; null for every other outcome. */
  readonly reason: string | null;
  /** Null while none was made, and for what was left out. */
  readonly made: NewSecret | null;
}

/** Whether nothing is left to do for a credential. */
export function isSettled({ outcome }: RotationRecord): boolean {
  return outcome === 'rotated' || outcome === 'left-out';
}
