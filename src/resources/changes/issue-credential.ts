import { THUMBPRINT_APP_KEY } from '../../model/app-key.ts';
import type { LabelSelector } from '../../model/labels.ts';
import { mapSecrets, materialFacts, type MaterialKind } from '../../model/material.ts';
import { findNearestName } from '../../model/document/nearest-name.ts';
import type { PlainProblem } from '../../model/document/read-plain.ts';
import type { PublicKey } from '../../model/public-key/public-key.ts';
import { Secret } from '../../model/secret.ts';
import { declareWholeCredential } from '../credential.ts';
import { declareMaterial } from '../credential-material.ts';
import type { Declared } from '../declared.ts';
import type { ManagedCredential, Stored } from '../resource.ts';
import type { Change, Planned } from './change.ts';
import { generateCredentialId, generatePair } from './generate-credential.ts';
import { foundBy, type NewCredential, planNewCredential } from './plan-credential.ts';
import { type PlannedRotation, planRotation } from './rotation/plan-rotation.ts';
import { collectAll, type ResourceStore } from './resource-store.ts';

/**
 * Plans a credential on what the store has; without an id it gets one.
 *
 * @param suggested the labels of the issuers that are suggested in place of one that is not there; all without it
 */
export async function planCredential(
  { id: wished, ...wish }: Omit<NewCredential, 'id'> & { readonly id: string | null },
  store: ResourceStore,
  nowSeconds: number,
  suggested?: LabelSelector,
): Promise<{ readonly id: string; readonly planned: Planned }> {
  const id = wished ?? generateCredentialId(wish.consumerId, wish.methods[0] ?? 'key');
  const appKeyHash = foundBy({ ...wish, id });
  const holders = appKeyHash === null ? [] : await collectAll(store.list('credential', { appKeyHashes: [appKeyHash] }));
  const [holder = null] = holders;
  const taken = { id: await store.find('credential', id), appKey: holder };
  const planned = planNewCredential({ ...wish, id }, taken, nowSeconds);
  const problems = 'changes' in planned ? await findDanglingIssuers(planned.changes, store, suggested) : [];
  return { id, planned: problems.length === 0 ? planned : { problems } };
}

/** Issuers that new credentials name and that are not there. The commit looks again. */
async function findDanglingIssuers(
  changes: readonly Change[],
  store: ResourceStore,
  suggested: LabelSelector | undefined,
): Promise<readonly PlainProblem[]> {
  const problems: PlainProblem[] = [];
  for (const change of changes) {
    if (change.kind !== 'credential' || change.after?.material.kind !== 'token-claims') continue;
    const { issuerId } = change.after.material;
    if ((await store.find('issuer', issuerId)) !== null) continue;
    const issuers = await collectAll(store.list('issuer', { labels: suggested }));
    const nearest = findNearestName(
      issuerId,
      issuers.map(({ resource }) => resource.id),
    );
    const advice = nearest === null ? '' : `; did you mean "${nearest}"?`;
    problems.push({ path: 'issuer', message: `there is no issuer "${issuerId}"${advice}` });
  }
  return problems;
}

/** How long the former secret of a rotation works, unless said otherwise. */
export const DEFAULT_GRACE = '7d';

/** How one credential is rotated. */
export interface RotationWish {
  readonly graceSeconds: number;
  /** Whether a former App Secret that still works may be ended before its time. */
  readonly endsFormerSecret: boolean;
  /** The id of the second credential of method `key`; null for one that is generated. */
  readonly successorId: string | null;
  /** The new key of a credential with a public key; null where none is given. */
  readonly publicKey: PublicKey | null;
  /** What the second credential is known by, as a declarative file has it; null where none is given. */
  readonly knownBy: Declared | null;
}

/**
 * What a new credential is found and proved by: a generated pair, or beside a public key an App Key alone, generated
 * unless one is given. {@link THUMBPRINT_APP_KEY} stands for the thumbprint of the key. Nothing, where the App Key
 * follows from what the credential is known by.
 */
export function newPair(kind: MaterialKind, publicKey: PublicKey | null, appKey: string | null): HandedOver {
  if (materialFacts[kind].appKey === 'derived') return { appKey: null, appSecret: null };
  if (publicKey === null || appKey === null) return generatePair(kind);
  const text = appKey === THUMBPRINT_APP_KEY ? publicKey.thumbprint : appKey;
  return { appKey: Secret.fromText(text), appSecret: null };
}

/** What a partner gets. */
export interface HandedOver {
  /** Null where the credential is known by claims or a certificate. */
  readonly appKey: Secret | null;
  /** Null where there is none. */
  readonly appSecret: Secret | null;
}

const LEFT_OUT = Secret.fromText('');

/** Plans the rotation of one credential, with a new secret, or why there can be none. */
export function planOwnRotation(
  current: Stored<ManagedCredential>,
  { graceSeconds, endsFormerSecret, successorId, publicKey, knownBy }: RotationWish,
  nowSeconds: number,
):
  | (Extract<PlannedRotation, { carrier: unknown }> & { readonly handedOver: HandedOver })
  | Exclude<PlannedRotation, { carrier: unknown }> {
  const { consumerId, methods, appKey, material } = current.resource;
  const pair = generatePair(material.kind);
  const rotation = {
    pair,
    graceSeconds,
    endsFormerSecret,
    publicKey,
    knownBy,
    successorId: successorId ?? generateCredentialId(consumerId, methods[0] ?? 'key'),
  };
  const planned = planRotation(current, rotation, nowSeconds);
  if (!('carrier' in planned)) return planned;
  const { appKey: kind } = materialFacts[material.kind];
  const known = kind === 'secret' ? pair.appKey : (appKey ?? pair.appKey);
  return { ...planned, handedOver: { ...pair, appKey: kind === 'derived' ? null : known } };
}

/**
 * A new credential with its App Key and App Secret: the only form with secrets. `appKey` is as it was generated: a
 * credential that keeps only a hash does not have it any more. A former secret is left out: the partner has it.
 */
export function declareHandedOver(credential: ManagedCredential, { appKey }: HandedOver): Declared {
  // Not even read: a store may keep it to itself.
  const material = mapSecrets(credential.material, (secret, path) => (path === 'appSecret' ? secret : LEFT_OUT));
  const declared = declareWholeCredential({ ...credential, appKey, material }, 'reveal');
  const { retiringSecret } = declareMaterial(credential.material, 'leave-out');
  return retiringSecret === undefined ? declared : { ...declared, retiringSecret };
}
