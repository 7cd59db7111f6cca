import { isUnopened } from '../../../model/keyring/sealed.ts';
import {
  formerEndOf,
  formerSecretOf,
  type Material,
  materialFacts,
  type PublicKeyMaterial,
  publicKeyMaterial,
  sharedSecret,
  type SharedSecret,
} from '../../../model/material.ts';
import type { PlainProblem } from '../../../model/document/read-plain.ts';
import type { PublicKey } from '../../../model/public-key/public-key.ts';
import { declareFields } from '../../credential-fields.ts';
import { type Declared, declareTime } from '../../declared.ts';
import { describeKnownBy } from '../../known-by.ts';
import type { ManagedCredential, Stored } from '../../resource.ts';
import type { Change } from '../change.ts';
import type { GeneratedPair } from '../generate-credential.ts';
import { foundBy, planNewCredential, takenBy } from '../plan-credential.ts';
import { type PlannedConflict, takenCredentialId } from '../planned-conflict.ts';

/** How a credential is rotated. */
export interface Rotation {
  /** What is generated for it: of a credential with an App Secret, only that is used. */
  readonly pair: GeneratedPair;
  /** The id of the second credential of method `key`. */
  readonly successorId: string;
  /** How long the former secret goes on; 0 ends it at once. */
  readonly graceSeconds: number;
  /** Whether a former secret or key that still works may be ended before its time. */
  readonly endsFormerSecret: boolean;
  /** The new key of a credential with a public key; null for one that is generated. */
  readonly publicKey: PublicKey | null;
  /**
   * What the second credential is known by, as a declarative file has it, where the former one has no App Key; null
   * where none is given.
   */
  readonly knownBy: Declared | null;
}

/** The changes of a rotation and the credential that carries the new secret, or why there can be none. */
export type PlannedRotation =
  | { readonly changes: readonly Change[]; readonly carrier: ManagedCredential; readonly formerEndsAt: number }
  | PlannedConflict
  | { readonly problems: readonly PlainProblem[] };

/**
 * Plans a rotation (spec §1). Signature methods and OAuth2 keep the App Key and get a new App Secret, or the public key
 * that the partner made; the former one retires. For `key`, where the App Key is the secret, a second credential is
 * made and the former one retires, as for one that is known by claims or a certificate. A former App Secret that was
 * not opened ends at once. No secret works longer than it would have without the rotation.
 */
export function planRotation(
  current: Stored<ManagedCredential>,
  rotation: Rotation,
  nowSeconds: number,
): PlannedRotation {
  const obstacle = findObstacle(current.resource, rotation, nowSeconds);
  if (obstacle !== null) return obstacle;
  const { material } = current.resource;
  switch (material.kind) {
    case 'app-key':
      return planSuccessor(current, rotation, nowSeconds);
    case 'shared-secret':
      return planNewSecret(current, material, rotation, nowSeconds);
    case 'public-key':
      return planNewKey(current, material, rotation, nowSeconds);
    case 'token-claims':
    case 'certificate':
      return planOtherKnownBy(current, rotation, nowSeconds);
  }
}

/** Why a credential is not rotated. */
export interface RotationObstacle extends PlannedConflict {
  /** For a list that names the credential: `revoked`. */
  readonly brief: string;
}

/** Why a credential cannot be rotated now; null when it can. */
export function findObstacle(
  { id, material, state, expiresAt }: ManagedCredential,
  { endsFormerSecret, publicKey, knownBy }: Pick<Rotation, 'endsFormerSecret' | 'publicKey' | 'knownBy'>,
  nowSeconds: number,
): RotationObstacle | null {
  if (state === 'revoked') return { brief: 'revoked', conflict: `the credential "${id}" is revoked; issue a new one` };
  if (expiresAt !== null && expiresAt <= nowSeconds) {
    const end = `ended at ${declareTime(expiresAt)}`;
    return { brief: end, conflict: `the credential "${id}" ${end}; issue a new one` };
  }
  if (state === 'retiring') {
    const end = expiresAt === null ? '' : ` and ends at ${declareTime(expiresAt)}`;
    return {
      brief: `retiring${end}`,
      conflict: `the credential "${id}" is retiring${end}; rotate the one that follows it, or issue a new one`,
    };
  }
  const misfit = findMisfit(id, material, publicKey) ?? findUnknown(id, material, knownBy);
  if (misfit !== null) return misfit;
  const formerEnd = formerEndOf(material);
  if (endsFormerSecret || formerEnd === null) return null;
  if (formerEnd <= nowSeconds || isUnopened(formerSecretOf(material))) return null;
  const end = declareTime(formerEnd);
  const former = `the former ${materialFacts[material.kind].rotated}`;
  return {
    brief: `in rotation: ${former} works until ${end}`,
    conflict: `${former} of "${id}" still works until ${end}, and this would end it now`,
    remedy: { kind: 'end-former-secret' },
  };
}

/** Only the partner can make a new key, and only for a credential that has one. */
function findMisfit(id: string, material: Material, publicKey: PublicKey | null): RotationObstacle | null {
  if (material.kind !== 'public-key') {
    if (publicKey === null) return null;
    const conflict = `the credential "${id}" has no public key; its new secret is generated`;
    return { brief: 'without a public key', conflict };
  }
  if (publicKey === null) {
    const brief = 'has a public key: rotate it by itself, with the new key of its partner';
    const conflict = `the credential "${id}" has a public key, and only its partner can make another`;
    return { brief, conflict, remedy: { kind: 'new-public-key' } };
  }
  if (!publicKey.equals(material.publicKey)) return null;
  const conflict = `the credential "${id}" has this public key already`;
  return { brief: 'has this public key already', conflict, remedy: { kind: 'new-public-key' } };
}

/** Only the partner has another certificate or other claims, and only for a credential that is known by such. */
function findUnknown(id: string, material: Material, knownBy: Declared | null): RotationObstacle | null {
  const current = describeKnownBy(material);
  if (current === null) {
    if (knownBy === null) return null;
    const conflict = `the credential "${id}" has an App Key, and is known by no claims and no certificate`;
    return { brief: 'has an App Key', conflict };
  }
  if (knownBy !== null) return null;
  const brief = `known by ${current}: rotate it by itself, with what the second credential is known by`;
  const conflict = `the credential "${id}" is known by ${current}; say what the one after it is known by`;
  return { brief, conflict, remedy: { kind: 'new-known-by' } };
}

/** An end so near that a partner who has just changed over would soon have to again. */
const NEAR_SECONDS = 30 * 86_400;

/** When a credential ends, where that is so near that a rotation, which keeps the end, helps for a short time only. */
export function findNearEnd({ expiresAt }: Pick<ManagedCredential, 'expiresAt'>, nowSeconds: number): number | null {
  return expiresAt !== null && expiresAt < nowSeconds + NEAR_SECONDS ? expiresAt : null;
}

function planNewSecret(
  current: Stored<ManagedCredential>,
  { appSecret }: SharedSecret,
  { pair, graceSeconds }: Rotation,
  nowSeconds: number,
): PlannedRotation {
  const { resource } = current;
  const { id } = resource;
  if (pair.appSecret === null) throw new Error(`no App Secret was generated for the credential ${id}`);
  // One that no replica can open would make the credential unreadable for them, its new secret too.
  const formerEndsAt = nowSeconds + (isUnopened(appSecret) ? 0 : graceSeconds);
  const after: ManagedCredential = {
    ...resource,
    material: sharedSecret(pair.appSecret, formerEndsAt <= nowSeconds ? null : { appSecret, expiresAt: formerEndsAt }),
  };
  return { changes: [{ kind: 'credential', id, before: current, after }], carrier: after, formerEndsAt };
}

function planNewKey(
  current: Stored<ManagedCredential>,
  { publicKey: former }: PublicKeyMaterial,
  { publicKey, graceSeconds }: Rotation,
  nowSeconds: number,
): PlannedRotation {
  const { resource } = current;
  const { id } = resource;
  if (publicKey === null) throw new Error(`no new public key was given for the credential ${id}`);
  const formerEndsAt = nowSeconds + graceSeconds;
  const retiring = graceSeconds === 0 ? null : { publicKey: former, expiresAt: formerEndsAt };
  const after: ManagedCredential = { ...resource, material: publicKeyMaterial(publicKey, retiring) };
  return { changes: [{ kind: 'credential', id, before: current, after }], carrier: after, formerEndsAt };
}

function planSuccessor(
  current: Stored<ManagedCredential>,
  { pair, successorId, graceSeconds }: Rotation,
  nowSeconds: number,
): PlannedRotation {
  const { resource } = current;
  if (successorId === resource.id) {
    return { conflict: `the credential "${resource.id}" already exists`, remedy: { kind: 'other-id' } };
  }
  return retireFor(
    {
      ...resource,
      id: successorId,
      appKeyHash: pair.appKeyHash,
      appKey: resource.appKey === null ? null : pair.appKey,
      notBefore: null,
    },
    current,
    graceSeconds,
    nowSeconds,
  );
}

/** A second credential that is known by other claims or by another certificate. */
function planOtherKnownBy(
  current: Stored<ManagedCredential>,
  { knownBy, successorId, graceSeconds }: Rotation,
  nowSeconds: number,
): PlannedRotation {
  const { resource } = current;
  if (successorId === resource.id) return takenCredentialId(successorId);
  const wish = {
    id: successorId,
    consumerId: resource.consumerId,
    methods: resource.methods,
    appKey: null,
    appSecret: null,
    publicKey: null,
    keepsHashOnly: false,
    fields: { ...declareFields({ ...resource, notBefore: null }), ...knownBy },
  };
  if (foundBy(wish) === resource.appKeyHash) return takenBy(resource, nowSeconds);
  const planned = planNewCredential(wish, { id: null, appKey: null }, nowSeconds);
  if (!('changes' in planned)) return planned;
  const [made] = planned.changes.flatMap((change) => (change.kind === 'credential' ? (change.after ?? []) : []));
  if (made === undefined) throw new Error(`no credential follows ${resource.id}`);
  return retireFor(made, current, graceSeconds, nowSeconds);
}

/** A second credential is made, and the former one retires. */
function retireFor(
  carrier: ManagedCredential,
  current: Stored<ManagedCredential>,
  graceSeconds: number,
  nowSeconds: number,
): PlannedRotation {
  const { resource } = current;
  const formerEndsAt = Math.min(nowSeconds + graceSeconds, resource.expiresAt ?? Infinity);
  // One that would begin after the grace period never works: a lifetime ends later than it begins.
  const isOver = graceSeconds === 0 || (resource.notBefore !== null && formerEndsAt <= resource.notBefore);
  const former: ManagedCredential = isOver
    ? { ...resource, state: 'revoked' }
    : { ...resource, state: 'retiring', expiresAt: formerEndsAt };
  return {
    changes: [
      { kind: 'credential', id: carrier.id, before: null, after: carrier },
      { kind: 'credential', id: resource.id, before: current, after: former },
    ],
    carrier,
    formerEndsAt,
  };
}
