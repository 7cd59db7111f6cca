import { isLive, type Lifetime } from '../base/clock.ts';
import type { Credential } from './credential.ts';

/**
 * What runs out: credentials with an end, those that a rotation retired, former App Secrets in their grace period,
 * certificates that credentials are known by, with those of their authorities, and grants.
 */
export const endingKinds = ['credential', 'retiring-credential', 'former-secret', 'certificate', 'grant'] as const;
export type EndingKind = (typeof endingKinds)[number];

/** When a credential was used. Seconds since the epoch; null for never. */
export interface LastUse {
  readonly lastUsedAt: number | null;
  /** With the former App Secret. */
  readonly retiringSecretLastUsedAt: number | null;
}

/** Something that works for a time and then no longer. */
export interface Ending extends Lifetime {
  readonly kind: EndingKind;
  /** Of the credential, or of the grant. */
  readonly id: string;
  readonly expiresAt: number;
}

const DAY = 86_400;

/** A partner who calls once a month uses a credential. */
const CREDENTIAL_SECONDS = 31 * DAY;
/** Those who have changed to the second credential stop using the first. */
const RETIRING_SECONDS = 2 * DAY;
const FORMER_SECONDS = 7 * DAY;
/** A former App Secret that was last used so long before the latest use has been left by its partner. */
const CHANGE_SECONDS = DAY;

/**
 * Whether partners still use what ends: a credential within 31 days, one that retires within 2 days, and a former App
 * Secret when it was used within 7 days and the new one has not been in use for a day longer. Null for a grant, whose
 * use is not kept.
 */
export function isInUse(kind: EndingKind, use: LastUse | null, nowSeconds: number): boolean | null {
  const { lastUsedAt, retiringSecretLastUsedAt: former } = use ?? { lastUsedAt: null, retiringSecretLastUsedAt: null };
  const isWithin = (at: number | null, seconds: number): boolean => at !== null && at > nowSeconds - seconds;
  switch (kind) {
    case 'credential':
    case 'certificate':
      return isWithin(lastUsedAt, CREDENTIAL_SECONDS);
    case 'retiring-credential':
      return isWithin(lastUsedAt, RETIRING_SECONDS);
    case 'former-secret':
      return isWithin(former, FORMER_SECONDS) && (former ?? 0) >= (lastUsedAt ?? 0) - CHANGE_SECONDS;
    case 'grant':
      return null;
  }
}

/** What of a credential says when it ends. */
export interface EndingCredential extends Lifetime, Pick<Credential, 'id' | 'state'> {
  /** Null without one. */
  readonly formerSecretEndsAt: number | null;
  /** When the first certificate ends that it stands on; null where none is known. */
  readonly certificateEndsAt: number | null;
}

/**
 * What ends of a credential: itself, its former App Secret, and a certificate that ends before it does. None for a
 * revoked one.
 */
export function endingsOf({
  id,
  state,
  notBefore,
  expiresAt,
  formerSecretEndsAt,
  certificateEndsAt,
}: EndingCredential): readonly Ending[] {
  if (state === 'revoked') return [];
  const endings: Ending[] = [];
  if (expiresAt !== null) {
    endings.push({ kind: state === 'retiring' ? 'retiring-credential' : 'credential', id, notBefore, expiresAt });
  }
  if (formerSecretEndsAt !== null) {
    const end = Math.min(formerSecretEndsAt, expiresAt ?? Infinity);
    endings.push({ kind: 'former-secret', id, notBefore, expiresAt: end });
  }
  if (certificateEndsAt !== null && certificateEndsAt < (expiresAt ?? Infinity)) {
    endings.push({ kind: 'certificate', id, notBefore, expiresAt: certificateEndsAt });
  }
  return endings;
}

/** Whether something works now, and ends within so many seconds. */
export function endsSoon(ending: Ending, seconds: number, nowSeconds: number): boolean {
  return isLive(ending, nowSeconds) && ending.expiresAt <= nowSeconds + seconds;
}
