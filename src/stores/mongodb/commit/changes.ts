import { isDeepStrictEqual } from 'node:util';
import type { ClientSession, Db, ObjectId } from 'mongodb';
import type { Change, ChangeOf } from '../../../resources/changes/change.ts';
import type { Operator } from '../../../model/operator.ts';
import { idOfResource } from '../../../resources/declare-resource.ts';
import type { ManagedCredential, ResourceKind } from '../../../resources/resource.ts';
import { claimNamesOf } from '../../../resources/token-claims.ts';
import { collectionOf } from '../documents.ts';

/** What the steps of one commit share, for one attempt. */
export interface CommitContext {
  readonly db: Db;
  readonly session: ClientSession;
  /** Identifies this commit, the same in every attempt. */
  readonly commitId: ObjectId;
  readonly storeRevision: number;
  /** The time that the commit's records get. */
  readonly nowMs: number;
}

/** A document of which only this much matters. */
export interface Identified {
  readonly _id: string;
  readonly [field: string]: unknown;
}

/** The changes of one kind; those of other kinds are passed over. */
export function changesOfKind<K extends ResourceKind>(changes: readonly Change[], kind: K): readonly ChangeOf<K>[] {
  return changes.filter((change) => change.kind === kind) as unknown as readonly ChangeOf<K>[];
}

/** The ids of what is deleted of a kind. */
export function deletedIds(changes: readonly Change[], kind: ResourceKind): readonly string[] {
  return changes.filter((change) => change.kind === kind && change.after === null).map(({ id }) => id);
}

/** Throws for a list of changes that contradicts itself, which is a defect of its plan. */
export function checkPlan(changes: readonly Change[]): void {
  const seen = new Set<string>();
  for (const change of changes) {
    const name = `${change.kind} ${change.id}`;
    if (seen.has(name)) throw new Error(`${name} is changed twice in one commit`);
    seen.add(name);
    for (const side of [change.before?.resource ?? null, change.after]) {
      if (side !== null && idOfResource(side) !== change.id)
        throw new Error(`${name} is changed as ${idOfResource(side)}`);
    }
    if (change.before === null && change.after === null) throw new Error(`${name} is changed to nothing from nothing`);
  }
}

/**
 * Whether changes have to be made one commit at a time, because what they are checked against are other records than
 * those they write: new references need what they lead to, a deletion must leave none behind, and no two endpoints may
 * claim the same requests. The records themselves protect everything else, as two transactions cannot change their
 * revisions and unique keys at once: edits, revocations, disabling, and the removal of grants and credentials
 * (docs/adr/0007).
 */
export function needsTurn(changes: readonly Change[]): boolean {
  return changes.some((change) => {
    switch (change.kind) {
      case 'endpoint':
        return change.after === null || !isDeepStrictEqual(change.before?.resource.match, change.after.match);
      case 'consumer':
        return change.after === null;
      case 'credential':
      case 'grant':
        return isNewReference(change);
      case 'plan':
        return change.before === null || newEndpointsOf(change).length > 0;
      case 'issuer':
        return change.before === null || change.after === null;
      case 'operator':
        return false;
    }
  });
}

/** Whether a credential or grant leads to something that it did not lead to before. */
export function isNewReference(change: ChangeOf<'credential'> | ChangeOf<'grant'>): boolean {
  if (change.after === null) return false;
  if (change.before === null) return true;
  // The id of a grant names what it leads to.
  if (change.kind === 'grant') return false;
  const { before, after } = change;
  return before.resource.consumerId !== after.consumerId || claimsIn(before.resource) !== claimsIn(after);
}

/** What a credential names of an issuer; null for nothing. */
function claimsIn({ material }: ManagedCredential): string | null {
  return material.kind === 'token-claims' ? JSON.stringify([material.issuerId, claimNamesOf(material.claims)]) : null;
}

/** The endpoints that a plan lists and did not list before. */
export function newEndpointsOf({ before, after }: ChangeOf<'plan'>): readonly string[] {
  const former = new Set(before?.resource.endpointIds);
  return (after?.endpointIds ?? []).filter((id) => !former.has(id));
}

/** Waits for the turn of a transaction that {@link needsTurn}, which lasts until its end. */
export async function takeTurn(db: Db, session: ClientSession): Promise<void> {
  await collectionOf(db, 'meta').updateOne({ _id: 'turn' }, { $inc: { taken: 1 } }, { session, upsert: true });
}

/** More than an operator stops at once: an `apply` of so many does not go before others. */
const MAX_URGENT = 1000;

/**
 * Whether changes only take access away, and so go before every commit that is under way: revoking, disabling,
 * removing. An endpoint is disabled, not deleted: its requests could fall to a wider one.
 */
export function isUrgent(changes: readonly Change[]): boolean {
  return changes.length <= MAX_URGENT && changes.every(takesAway);
}

function takesAway(change: Change): boolean {
  if (change.before === null) return false;
  switch (change.kind) {
    case 'endpoint':
      return change.after !== null && change.before.resource.enabled && !change.after.enabled;
    case 'issuer':
      return change.after !== null && change.before.resource.enabled && !change.after.enabled;
    case 'consumer':
      return change.after === null || (change.before.resource.enabled && !change.after.enabled);
    case 'operator':
      return change.after === null || !change.after.enabled || losesToken(change.before.resource, change.after);
    case 'credential':
      return change.after === null || (change.before.resource.state !== 'revoked' && change.after.state === 'revoked');
    case 'grant':
      return change.after === null;
    case 'plan':
      return false;
  }
}

function losesToken(before: Operator, after: Operator): boolean {
  return after.tokens.length < before.tokens.length;
}
