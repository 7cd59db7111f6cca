import { declareTime } from '../../resources/declared.ts';
import { isUnopened } from '../../keyring/sealed.ts';
import { isAppKeySecret } from '../../model/app-key.ts';
import type { Change } from '../change.ts';
import type { GeneratedPair } from '../generate-pair.ts';
import type { ManagedCredential, Stored } from '../../resources/resource.ts';

/** How a credential is rotated. */
export interface Rotation {
  /** What is generated for it: of a credential with an App Secret, only that is used. */
  readonly pair: GeneratedPair;
  /** The id of the second credential of method `key`. */
  readonly successorId: string;
  /** How long the former secret goes on; 0 ends it at once. */
  readonly graceSeconds: number;
  /** Whether a former App Secret that still works may be ended before its time. */
  readonly endsFormerSecret: boolean;
}

/** The changes of a rotation and the credential that carries the new secret, or why there can be none. */
export type PlannedRotation =
  | { readonly changes: readonly Change[]; readonly carrier: ManagedCredential; readonly formerEndsAt: number }
  | { readonly conflict: string };

/**
 * Plans a rotation (spec §1). Signature methods and OAuth2 keep the App Key and get a new App Secret; the former one
 * becomes the retiring secret. For `key`, where the App Key is the secret, a second credential is made and the former one
 * retires. A former App Secret that was not opened ends at once. No secret works longer than it would have without the rotation.
 */
export function planRotation(
  current: Stored<ManagedCredential>,
  rotation: Rotation,
  nowSeconds: number,
): PlannedRotation {
  const conflict = findObstacle(current.resource, nowSeconds);
  if (conflict !== null) return { conflict };
  return isAppKeySecret(current.resource.methods)
    ? planSuccessor(current, rotation, nowSeconds)
    : planNewSecret(current, rotation, nowSeconds);
}

function findObstacle({ id, state, expiresAt }: ManagedCredential, nowSeconds: number): string | null {
  if (state === 'revoked') return `the credential "${id}" is revoked; issue a new one`;
  if (expiresAt !== null && expiresAt <= nowSeconds) {
    return `the credential "${id}" ended at ${declareTime(expiresAt)}; issue a new one`;
  }
  if (state === 'retiring') {
    const end = expiresAt === null ? '' : ` and ends at ${declareTime(expiresAt)}`;
    return `the credential "${id}" is retiring${end}; rotate the one that follows it, or issue a new one`;
  }
  return null;
}

function planNewSecret(
  current: Stored<ManagedCredential>,
  { pair, graceSeconds, endsFormerSecret }: Rotation,
  nowSeconds: number,
): PlannedRotation {
  const { resource } = current;
  const { id, appSecret, retiringSecret } = resource;
  const isRunning = retiringSecret !== null && !isUnopened(retiringSecret.appSecret);
  if (isRunning && nowSeconds < retiringSecret.expiresAt && !endsFormerSecret) {
    const end = declareTime(retiringSecret.expiresAt);
    return {
      conflict: `the former App Secret of "${id}" still works until ${end}, and this would end it now; --force does that`,
    };
  }
  if (appSecret === null || pair.appSecret === null) throw new Error(`the credential ${id} lacks its App Secret`);
  // One that no replica can open would make the credential unreadable for them, its new secret too.
  const formerEndsAt = nowSeconds + (isUnopened(appSecret) ? 0 : graceSeconds);
  const after: ManagedCredential = {
    ...resource,
    appSecret: pair.appSecret,
    retiringSecret: formerEndsAt <= nowSeconds ? null : { appSecret, expiresAt: formerEndsAt },
  };
  return { changes: [{ kind: 'credential', id, before: current, after }], carrier: after, formerEndsAt };
}

function planSuccessor(
  current: Stored<ManagedCredential>,
  { pair, successorId, graceSeconds }: Rotation,
  nowSeconds: number,
): PlannedRotation {
  const { resource } = current;
  const formerEndsAt = Math.min(nowSeconds + graceSeconds, resource.expiresAt ?? Infinity);
  const carrier: ManagedCredential = {
    ...resource,
    id: successorId,
    appKeyHash: pair.appKeyHash,
    appKey: resource.appKey === null ? null : pair.appKey,
    notBefore: null,
  };
  // One that would begin after the grace period never works: a lifetime ends later than it begins.
  const isOver = graceSeconds === 0 || (resource.notBefore !== null && formerEndsAt <= resource.notBefore);
  const former: ManagedCredential = isOver
    ? { ...resource, state: 'revoked' }
    : { ...resource, state: 'retiring', expiresAt: formerEndsAt };
  return {
    changes: [
      { kind: 'credential', id: successorId, before: null, after: carrier },
      { kind: 'credential', id: resource.id, before: current, after: former },
    ],
    carrier,
    formerEndsAt,
  };
}
