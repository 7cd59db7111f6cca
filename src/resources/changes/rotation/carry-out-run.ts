import type { Clock } from '../../../base/clock.ts';
import { isKept } from '../../../model/kept-secret.ts';
import { isUnopened } from '../../../model/keyring/sealed.ts';
import { appSecretOf, formerEndOf, formerSecretOf, materialFacts, materialKindOf } from '../../../model/material.ts';
import type { Secret } from '../../../model/secret.ts';
import type { ManagedCredential, Stored } from '../../resource.ts';
import { equal } from '../../../base/text/equal.ts';
import type { Operation } from '../change.ts';
import { type GeneratedPair, generateCredentialId, generatePair, hashOfAppKey } from '../generate-credential.ts';
import { findObstacle, planRotation } from './plan-rotation.ts';
import { collectAll, Outdated, type ResourceStore } from '../resource-store.ts';
import { isSettled, type NewSecret, type RotationRecord } from './rotation-record.ts';

/** How every credential of a run is rotated. */
export interface RunTerms {
  readonly graceSeconds: number;
  /** Whether a former App Secret that still works may be ended before its time. */
  readonly endsFormerSecret: boolean;
}

/** What a run works with. */
export interface RunPorts {
  readonly store: ResourceStore;
  readonly operation: Operation;
  readonly clock: Pick<Clock, 'nowSeconds'>;
  /** Keeps what has become of a credential. It is kept for good when this resolves. */
  readonly keep: (record: RotationRecord) => Promise<void>;
  /** Asked before each credential: true ends the run. */
  readonly isStopped: () => boolean;
  /** Whether a change that failed with this may be in force. */
  readonly isOutcomeUnknown: (error: unknown) => boolean;
}

/** How a run ended. `error` is whatever the store, or keeping a record, rejected with. */
export type RunEnd = 'done' | 'stopped' | { readonly error: unknown };

/** Others change the same credential seldom, and hardly so often. */
const MAX_ATTEMPTS = 5;

/**
 * Rotates the credentials of a run one after the other, each in a transaction of its own. A new secret is kept before
 * the change is sent, and sent again after an interruption: no secret is in force without being kept, and what was
 * rotated is known from the store, so that a run that is carried on rotates nothing twice.
 */
export async function carryOutRun(
  records: readonly RotationRecord[],
  terms: RunTerms,
  ports: RunPorts,
): Promise<RunEnd> {
  for (const record of records) {
    if (isSettled(record)) continue;
    if (ports.isStopped()) return 'stopped';
    try {
      await rotate(record, terms, ports);
    } catch (error) {
      return { error };
    }
  }
  return 'done';
}

/** Rejects with what ends the run; what is known of the record was kept then. */
async function rotate(planned: RotationRecord, terms: RunTerms, ports: RunPorts): Promise<void> {
  let record = planned;
  const keep = async (changed: Partial<RotationRecord>): Promise<void> => {
    record = { ...record, ...changed };
    await ports.keep(record);
  };
  const leaveOut = async (reason: string): Promise<void> => {
    await keep({ outcome: 'left-out', reason, made: null });
  };
  /** Whether an earlier, unconfirmed change of this run can still come into force. */
  const wasSent = planned.outcome === 'unknown';
  const pair = pairOf(planned);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const current = await ports.store.find('credential', record.credentialId);
    const inForce = record.made === null ? null : await findInForce(record.made, current, ports.store);
    if (inForce !== null) {
      await keep({ outcome: 'rotated', made: inForce });
      return;
    }
    const obstacle = findChange(record, current, wasSent) ?? obstacleOf(current, terms, ports);
    if (obstacle !== null || current === null) {
      await leaveOut(obstacle ?? GONE);
      return;
    }
    const { changes, made } = planChanges(current, record.made, pair, terms, ports);
    await keep({ outcome: 'unknown', made });
    try {
      await ports.store.commit(changes, ports.operation);
    } catch (error) {
      if (error instanceof Outdated) continue;
      if (!wasSent && !ports.isOutcomeUnknown(error)) await keep({ outcome: 'planned', made: null });
      throw error;
    }
    await keep({ outcome: 'rotated' });
    return;
  }
  await leaveOut('others keep changing it');
}

const GONE = 'it was deleted';

/** Why the credential is no longer the one of the plan; null when it is. */
function findChange(
  { createdAt, made }: RotationRecord,
  current: Stored<ManagedCredential> | null,
  wasSent: boolean,
): string | null {
  if (current === null) return GONE;
  if (current.createdAt !== createdAt) return 'it was deleted, and another one has its id';
  // The new secret may have been in force for a time: it does not come back.
  if (wasSent && made !== null && current.revision !== made.revision) {
    return 'others changed it while the run was interrupted, and its new secret is not in force';
  }
  return null;
}

function obstacleOf(
  current: Stored<ManagedCredential> | null,
  { endsFormerSecret }: RunTerms,
  { clock }: RunPorts,
): string | null {
  return current === null
    ? null
    : (findObstacle(current.resource, { endsFormerSecret, publicKey: null, knownBy: null }, clock.nowSeconds())
        ?.brief ?? null);
}

/**
 * What is generated for a credential; again what was, when its run is carried on. No run has a credential with a public
 * key: so its methods say enough.
 */
function pairOf({ methods, made }: RotationRecord): GeneratedPair {
  const kind = materialKindOf(methods);
  const pair = generatePair(kind);
  if (made === null) return pair;
  const isAppKeyNew = materialFacts[kind].appKey === 'secret';
  if (!isAppKeyNew || made.appKey === null) return { ...pair, appSecret: made.appSecret };
  return { appKey: made.appKey, appKeyHash: hashOfAppKey(made.appKey), appSecret: null };
}

function planChanges(
  current: Stored<ManagedCredential>,
  former: NewSecret | null,
  pair: GeneratedPair,
  { graceSeconds, endsFormerSecret }: RunTerms,
  { clock }: RunPorts,
): { readonly changes: Parameters<ResourceStore['commit']>[0]; readonly made: NewSecret } {
  const { material, consumerId, appKey } = current.resource;
  const isKey = materialFacts[material.kind].appKey === 'secret';
  const successorId = isKey ? (former?.successorId ?? generateCredentialId(consumerId, 'key')) : null;
  const rotation = {
    pair,
    successorId: successorId ?? '',
    graceSeconds,
    endsFormerSecret,
    publicKey: null,
    knownBy: null,
  };
  const planned = planRotation(current, rotation, clock.nowSeconds());
  if ('problems' in planned) throw new Error('a rotation without input has problems');
  if ('conflict' in planned) throw new Error(`not an obstacle a moment ago: ${planned.conflict}`);
  return {
    changes: planned.changes,
    made: {
      appKey: isKey ? pair.appKey : appKey,
      appSecret: isKey ? null : pair.appSecret,
      successorId,
      revision: current.revision,
      formerEndsAt: planned.formerEndsAt,
    },
  };
}

/** The new secret as it came into force, with the end that the former one has; null when it did not. */
async function findInForce(
  made: NewSecret,
  current: Stored<ManagedCredential> | null,
  store: ResourceStore,
): Promise<NewSecret | null> {
  if (made.successorId !== null && made.appKey !== null) {
    const wanted = { ids: [made.successorId], appKeyHashes: [hashOfAppKey(made.appKey)] };
    if ((await collectAll(store.list('credential', wanted))).length === 0) return null;
    return { ...made, formerEndsAt: current?.resource.expiresAt ?? made.formerEndsAt };
  }
  if (current === null) return null;
  const { id, material } = (await recognised(current, made, store)).resource;
  const appSecret = appSecretOf(material);
  if (isUnopened(appSecret) && current.revision !== made.revision) {
    throw new Error(
      `the key ring does not open the App Secret of "${id}", which may be the one of this run: carry on with the key ring that it began with`,
    );
  }
  if (isSame(made.appSecret, appSecret)) {
    return { ...made, formerEndsAt: formerEndOf(material) ?? made.formerEndsAt };
  }
  // Rotated again since, by others.
  return isSame(made.appSecret, formerSecretOf(material)) ? made : null;
}

/** The credential, in which the secret of this run can be seen where the store keeps its own to itself. */
async function recognised(
  current: Stored<ManagedCredential>,
  { appSecret }: NewSecret,
  { recognise }: Pick<ResourceStore, 'recognise'>,
): Promise<Stored<ManagedCredential>> {
  if (recognise === undefined || appSecret === null) return current;
  const [same] = await recognise([current], new Map([[current.resource.id, [appSecret]]]));
  return same ?? current;
}

function isSame(made: Secret | null, stored: Secret | null): boolean {
  return (
    made !== null && stored !== null && !isUnopened(stored) && !isKept(stored) && equal(made.reveal(), stored.reveal())
  );
}
