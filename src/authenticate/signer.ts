import type { WhichSecret } from '../model/credential.ts';
import type { AuthenticationMethod } from '../model/endpoint.ts';
import { Secret } from '../model/secret.ts';
import type { VerifiedSignature } from '../signature/hmac.ts';
import type { HeldCredential } from '../store/credential-source.ts';
import { findCredentialFault } from './held-credential.ts';

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
  const fault = findCredentialFault(held, method, nowSeconds);
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

/** Which of a signer's secrets a signature was made with. */
export function secretOf({ secretIndex }: VerifiedSignature): WhichSecret {
  return secretIndex === 0 ? 'current' : 'retiring';
}
