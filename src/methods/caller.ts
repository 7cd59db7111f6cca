import { isLive } from '../clock.ts';
import type { WhichSecret } from '../model/credential.ts';
import type { AuthenticationMethod } from '../model/endpoint.ts';
import { Secret } from '../model/secret.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { Routed } from '../route/route.ts';
import type { HeldCredential } from '../store/credential-source.ts';

/** Why a credential cannot be used: `kind` for code, `detail` for the log. */
export interface CredentialFault {
  readonly kind: 'unknown' | 'other-method' | 'revoked' | 'expired' | 'not-yet-valid' | 'consumer-disabled';
  readonly detail: string;
}

/**
 * Why a credential cannot be used now for a method; null when it can. Callers are told the same whatever
 * it is (spec §3): also when nobody holds the App Key, given as null.
 */
export function findCredentialFault(
  held: HeldCredential | null,
  method: AuthenticationMethod,
  nowSeconds: number,
): CredentialFault | null {
  if (held === null) return unknownAppKey;
  const { credential, consumer } = held;
  if (!credential.methods.includes(method)) return faultOf('other-method', credential, `is not for ${method}`);
  if (credential.state === 'revoked') return faultOf('revoked', credential, 'is revoked');
  if (!isLive(credential, nowSeconds)) {
    const hasExpired = credential.expiresAt !== null && nowSeconds >= credential.expiresAt;
    return hasExpired
      ? faultOf('expired', credential, 'has expired')
      : faultOf('not-yet-valid', credential, 'is not valid yet');
  }
  if (consumer.enabled) return null;
  return { kind: 'consumer-disabled', detail: `the consumer ${consumer.id} is disabled` };
}

function faultOf(kind: CredentialFault['kind'], { id }: HeldCredential['credential'], what: string): CredentialFault {
  return { kind, detail: `the credential ${id} ${what}` };
}

/** The fault of an App Key that nobody holds. */
export const unknownAppKey: CredentialFault = { kind: 'unknown', detail: 'the App Key is unknown' };

/**
 * Refuses a caller whose App Key is unknown or whose proof is wrong. `held` is whoever has the App Key, null for nobody: the
 * log names them, the caller learns nothing.
 *
 * While the store cannot know of every App Key, those that it does not know of get 503, and then so does everybody who is refused:
 * whose App Key is known must not show (spec §3). Not in `mode: observe`, which lets callers through whatever is wrong with them.
 */
export function refuseCaller({ endpoint, catalog }: Routed, refusal: Refusal, held: HeldCredential | null): Refusal {
  if (catalog.credentials.canKnow() || endpoint.options.mode === 'observe') return nameCaller(refusal, held);
  const detail = `not every App Key can be looked up at the moment; otherwise: ${refusal.detail}`;
  return nameCaller(refuse('STORE_UNAVAILABLE', detail), held);
}

/** Notes in a refusal who it is about, for the log. Those about nobody are made in the same way, so that they take as long. */
export function nameCaller(
  { refused, detail, stringToSign, exceeded }: Refusal,
  about: HeldCredential | null,
): Refusal {
  if (stringToSign !== undefined) return { refused, detail, about, stringToSign };
  if (exceeded !== undefined) return { refused, detail, about, exceeded };
  return { refused, detail, about };
}

/** The secrets that a signature may have been made with, and whether one that fits counts. */
export interface Signer {
  /** The current App Secret, then a retiring one that still works; never empty. */
  readonly secrets: readonly Secret[];
  /** Why no signature of this App Key counts, for the log; null when a fitting one does. */
  readonly fault: string | null;
  /** Whose secrets they are; empty when nobody holds the App Key, and then there is a fault. */
  readonly credentialId: string;
}

/** Verified against when nobody holds the App Key, so that it takes as long as for one that somebody holds. */
const nobodysSecret = Secret.fromText('no credential has this App Secret, and no match with it counts');

/** Finds the secrets behind an App Key. Callers verify in any case and refuse in the same way, whatever the fault (spec §3). */
export function findSigner(held: HeldCredential | null, method: AuthenticationMethod, nowSeconds: number): Signer {
  const fault = findCredentialFault(held, method, nowSeconds)?.detail ?? null;
  const current = held?.credential.appSecret ?? null;
  if (held === null || current === null) {
    const credentialId = held?.credential.id ?? '';
    return { secrets: [nobodysSecret], fault: fault ?? 'the credential has no App Secret', credentialId };
  }
  const { retiringSecret: former } = held.credential;
  const isFormerLive = former !== null && nowSeconds < former.expiresAt;
  const secrets = isFormerLive ? [current, former.appSecret] : [current];
  return { secrets, fault, credentialId: held.credential.id };
}

/** Which of a {@link Signer}'s secrets a signature was made with. */
export interface VerifiedSignature {
  readonly secretIndex: number;
}

/** The same, as the store calls the secrets. */
export function secretOf({ secretIndex }: VerifiedSignature): WhichSecret {
  return secretIndex === 0 ? 'current' : 'retiring';
}
