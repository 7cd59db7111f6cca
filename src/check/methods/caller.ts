import { isLive } from '../../base/clock.ts';
import type { AuthenticationMethod } from '../../model/endpoint.ts';
import type { Material } from '../../model/material.ts';
import { Secret } from '../../model/secret.ts';
import { isRefusal, type Refusal, refuse } from '../refusal.ts';
import type { Routed } from '../route/route.ts';
import type { HeldCredential } from '../store/credential-source.ts';

/** Why a credential cannot be used: the refusal of its caller, and what `explain` shows an operator. */
export interface CredentialFault extends Refusal {
  readonly name: string;
  readonly fix: string;
}

/** Every fault of a credential. Callers cannot distinguish those that share a code (spec §3). */
const faults = {
  unknown: {
    refused: 'AUTHENTICATION_FAILED',
    name: 'app-key-unknown',
    fix: 'Send the App Key exactly as it was issued, to the gateway that issued it; no credential of this store has it',
  },
  otherMethod: {
    refused: 'AUTHENTICATION_FAILED',
    name: 'credential-of-another-method',
    fix: 'Issue a credential for the method of this endpoint',
  },
  revoked: {
    refused: 'AUTHENTICATION_FAILED',
    name: 'credential-revoked',
    fix: 'Issue a new credential; a revoked one does not come back',
  },
  expired: { refused: 'AUTHENTICATION_FAILED', name: 'credential-expired', fix: 'Issue a new credential' },
  notYetValid: {
    refused: 'AUTHENTICATION_FAILED',
    name: 'credential-not-yet-valid',
    fix: 'Wait for the time from which the credential is valid',
  },
  consumerDisabled: {
    refused: 'AUTHENTICATION_FAILED',
    name: 'consumer-disabled',
    fix: 'Enable the consumer: postern consumer enable',
  },
} as const satisfies Readonly<Record<string, Omit<CredentialFault, 'detail'>>>;

/** No credential of the store has the App Key. */
export const unknownAppKey: CredentialFault = { ...faults.unknown, detail: 'the App Key is unknown' };

/**
 * Why a credential cannot be used now for a method; null when it can. `held` is null when no credential has the App
 * Key. A caller without a right proof gets no fault's own code: see {@link judgeProof}.
 */
export function findCredentialFault(
  held: HeldCredential | null,
  method: AuthenticationMethod,
  nowSeconds: number,
): CredentialFault | null {
  if (held === null) return unknownAppKey;
  const { credential, consumer } = held;
  if (!credential.methods.includes(method)) return faultOf(faults.otherMethod, credential, `is not for ${method}`);
  if (credential.state === 'revoked') return faultOf(faults.revoked, credential, 'is revoked');
  if (!isLive(credential, nowSeconds)) {
    const hasExpired = credential.expiresAt !== null && nowSeconds >= credential.expiresAt;
    return hasExpired
      ? faultOf(faults.expired, credential, 'has expired')
      : faultOf(faults.notYetValid, credential, 'is not valid yet');
  }
  return consumer.enabled ? null : { ...faults.consumerDisabled, detail: `the consumer ${consumer.id} is disabled` };
}

function faultOf(
  fault: Omit<CredentialFault, 'detail'>,
  { id }: HeldCredential['credential'],
  what: string,
): CredentialFault {
  return { ...fault, detail: `the credential ${id} ${what}` };
}

/**
 * Refuses a caller whose App Key is unknown or whose proof is wrong. `held` is the credential with the App Key, null
 * for none: it is for the log, the caller never sees it.
 *
 * While the store cannot know every App Key, unknown ones get 503, and then so does every refused caller: whose App Key
 * is known must not show (spec §3). `mode: observe` lets these callers through.
 */
export function refuseCaller({ endpoint, catalog }: Routed, refusal: Refusal, held: HeldCredential | null): Refusal {
  if (catalog.credentials.canKnow() || endpoint.options.mode === 'observe') return nameCaller(refusal, held);
  const detail = `not every App Key can be looked up at the moment; otherwise: ${refusal.detail}`;
  return nameCaller(refuse('STORE_UNAVAILABLE', detail), held);
}

/**
 * Notes in a refusal whose it is, for the log. A refusal of an unknown caller is made the same way, in the same time.
 */
export function nameCaller(
  { refused, detail, stringToSign, exceeded }: Refusal,
  about: HeldCredential | null,
): Refusal {
  if (stringToSign !== undefined) return { refused, detail, about, stringToSign };
  if (exceeded !== undefined) return { refused, detail, about, exceeded };
  return { refused, detail, about };
}

/** The keys of one kind that signatures may be made with: App Secrets, or public keys that verify them. */
export interface KeyKind<K> {
  /** The current one, then a retiring one that still works; null where the material is of another kind. */
  readonly keysOf: (material: Material, nowSeconds: number) => readonly K[] | null;
  /** Verified against where there is none, so that it takes as long; empty where that is seen to. No match counts. */
  readonly dummies: readonly K[];
  /** Why a credential without one cannot be used, where nothing else is wrong with it. */
  readonly absent: Refusal;
}

/** The keys that a signature may have been made with, and whether one that fits counts. */
export interface Signer<K> {
  /** The current one, then a retiring one that still works; without any of them, dummies. */
  readonly keys: readonly K[];
  /** Why no signature of this App Key counts; null when a fitting one does. */
  readonly fault: Refusal | null;
  /** Whose keys they are; both empty when no credential has the App Key, and then there is a fault. */
  readonly credentialId: string;
  readonly consumerId: string;
}

/** App Secrets, which the caller has too. */
export const appSecrets: KeyKind<Secret> = {
  keysOf: (material, nowSeconds) => {
    if (material.kind !== 'shared-secret') return null;
    const { appSecret: current, retiringSecret: former } = material;
    return former !== null && nowSeconds < former.expiresAt ? [current, former.appSecret] : [current];
  },
  dummies: [Secret.fromText('no credential has this App Secret, and no match with it counts')],
  absent: refuse('AUTHENTICATION_FAILED', 'the credential has no App Secret'),
};

/**
 * Finds the keys behind an App Key. The signature is verified and refused in the same way with any fault (spec §3).
 */
export function findSigner<K>(
  held: HeldCredential | null,
  method: AuthenticationMethod,
  { keysOf, dummies, absent }: KeyKind<K>,
  nowSeconds: number,
): Signer<K> {
  const fault = findCredentialFault(held, method, nowSeconds);
  if (held === null) return { keys: dummies, fault, credentialId: '', consumerId: '' };
  const { credential, consumer } = held;
  const keys = keysOf(credential.material, nowSeconds);
  if (keys !== null) return { keys, fault, credentialId: credential.id, consumerId: consumer.id };
  return { keys: dummies, fault: fault ?? absent, credentialId: credential.id, consumerId: consumer.id };
}

/** Which of a {@link Signer}'s keys a signature was made with. */
export interface VerifiedSignature {
  readonly keyIndex: number;
}

/**
 * The refusal of a signer, or the signature when it counts. Only callers whose signature is right get a fault of the
 * credential that has a code of its own: others must not learn whose App Key is known (spec §3).
 */
export function judgeProof(
  { fault }: Pick<Signer<unknown>, 'fault'>,
  verified: VerifiedSignature | Refusal,
): VerifiedSignature | Refusal {
  if (!isRefusal(verified)) return fault ?? verified;
  return fault?.refused === verified.refused ? fault : verified;
}
