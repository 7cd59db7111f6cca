import { isUnopened } from '../../../model/keyring/sealed.ts';
import type { Consumer } from '../../../model/consumer.ts';
import { appSecretOf } from '../../../model/material.ts';
import type { ManagedCredential, Stored } from '../../resource.ts';
import { findNearEnd, findObstacle } from './plan-rotation.ts';
import type { RunTerms } from './carry-out-run.ts';
import type { RotationRecord } from './rotation-record.ts';

/** A credential that a run could rotate, with its consumer. */
export interface Candidate {
  readonly stored: Stored<ManagedCredential>;
  readonly consumer: Consumer;
}

/** A credential that a run does not rotate, and why: `revoked`. */
export interface LeftOut {
  readonly credentialId: string;
  readonly consumerId: string;
  readonly reason: string;
}

/** Whom a run rotates. */
export interface RunPlan {
  readonly records: readonly RotationRecord[];
  readonly leftOut: readonly LeftOut[];
  /** Ids of those whose former App Secret the key ring does not open: it ends at once, whatever the grace period. */
  readonly unopened: readonly string[];
  /** Those that soon end all the same: a rotation keeps the end. */
  readonly endingSoon: readonly { readonly credentialId: string; readonly endsAt: number }[];
}

/**
 * Plans the rotation of many. With `endsFormerSecret` also those whose last rotation is under way, which then ends;
 * without a grace period also those of disabled consumers, whose former secrets would work again with them.
 */
export function planRun(
  candidates: readonly Candidate[],
  { endsFormerSecret, graceSeconds }: RunTerms,
  nowSeconds: number,
): RunPlan {
  const records: RotationRecord[] = [];
  const leftOut: LeftOut[] = [];
  const unopened: string[] = [];
  const endingSoon: { credentialId: string; endsAt: number }[] = [];
  for (const { stored, consumer } of candidates) {
    const { id: credentialId, consumerId, methods, material } = stored.resource;
    const obstacle = findObstacle(stored.resource, { endsFormerSecret, publicKey: null, knownBy: null }, nowSeconds);
    // Its partner cannot call and change over: a grace period would pass unused.
    const isTooEarly = !consumer.enabled && graceSeconds > 0;
    const reason = obstacle?.brief ?? (isTooEarly ? 'its consumer is disabled' : null);
    if (reason !== null) {
      leftOut.push({ credentialId, consumerId, reason });
      continue;
    }
    const { createdAt } = stored;
    records.push({ credentialId, consumerId, methods, createdAt, outcome: 'planned', reason: null, made: null });
    if (isUnopened(appSecretOf(material))) unopened.push(credentialId);
    const endsAt = findNearEnd(stored.resource, nowSeconds);
    if (endsAt !== null) endingSoon.push({ credentialId, endsAt });
  }
  return { records, leftOut, unopened, endingSoon };
}
