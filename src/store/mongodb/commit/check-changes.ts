import { isDeepStrictEqual } from 'node:util';
import type { Change, ChangeOf } from '../../../manage/change.ts';
import { chunksOf, Conflict, Outdated } from '../../../manage/resource-store.ts';
import type { Endpoint } from '../../../model/endpoint.ts';
import { type ResourceKind, resourceKinds } from '../../../resources/resource.ts';
import { findMatchCollisions } from '../../../route/collisions.ts';
import {
  type AuditDocument,
  collectionNames,
  type CredentialDocument,
  type FormerAppKeyDocument,
} from '../documents.ts';
import { readEndpointDocument } from '../mapping/records.ts';
import { recordKinds } from '../record-kinds.ts';
import { changesOfKind, type CommitContext, deletedIds, type Identified, isNewReference } from './changes.ts';

/** So many ids, of 127 characters at most, fit well into one question. */
const IDS_AT_ONCE = 10_000;

/** Rejects with {@link Outdated} when a change was planned on something else than what is there. */
export async function checkRevisions(changes: readonly Change[], context: CommitContext): Promise<void> {
  for (const kind of resourceKinds) {
    const own = changes.filter((change) => change.kind === kind);
    for (const piece of chunksOf(own, IDS_AT_ONCE)) await checkRevisionsOf(kind, piece, context);
  }
}

async function checkRevisionsOf(kind: ResourceKind, changes: readonly Change[], context: CommitContext): Promise<void> {
  const { db, session } = context;
  const found = db
    .collection<Identified>(recordKinds[kind].collection)
    .find({ _id: { $in: changes.map(({ id }) => id) } }, { session, projection: { revision: 1 } });
  const revisions = new Map<string, unknown>();
  for await (const { _id, revision } of found) revisions.set(_id, revision);
  for (const { id, before } of changes) {
    const isThere = revisions.has(id);
    if (before === null && isThere)
      throw new Outdated(`there is ${withArticle(kind)} "${id}" already; nothing was changed`);
    if (before !== null && revisions.get(id) !== before.revision) {
      const how = isThere ? 'changed' : 'deleted';
      const by = await describeLastChange(kind, id, context);
      throw new Outdated(
        `the ${kind} "${id}" was ${how} meanwhile${by}; look at it and try again. Nothing was changed`,
      );
    }
  }
}

/** Who was faster, where the audit trail tells. */
async function describeLastChange(kind: ResourceKind, id: string, { db, session }: CommitContext): Promise<string> {
  const event = await db
    .collection<AuditDocument>(collectionNames.audit)
    .findOne({ kind, id }, { session, sort: { at: -1, _id: -1 } });
  return event === null ? '' : ` by ${event.actor} (${event.action})`;
}

function withArticle(kind: ResourceKind): string {
  return kind === 'endpoint' ? 'an endpoint' : `a ${kind}`;
}

const NEVER_TWICE = 'an App Key is never given twice: take another. Nothing was changed';

/**
 * Rejects with {@link Conflict} when a credential would get an App Key that another one has or had (spec §1), also when
 * the other one is deleted or gets another in the same commit. To be asked before the changes are written.
 */
export async function checkAppKeys(changes: readonly Change[], context: CommitContext): Promise<void> {
  const given = new Map<string, ChangeOf<'credential'>>();
  for (const change of changesOfKind(changes, 'credential')) {
    const { id, before, after } = change;
    if (after === null || after.appKeyHash === before?.resource.appKeyHash) continue;
    const other = given.get(after.appKeyHash);
    if (other !== undefined)
      throw new Conflict(`the credentials "${other.id}" and "${id}" have the same App Key; ${NEVER_TWICE}`);
    given.set(after.appKeyHash, change);
  }
  for (const hashes of chunksOf([...given.keys()], IDS_AT_ONCE)) await checkHashes(hashes, given, context);
}

async function checkHashes(
  hashes: readonly string[],
  given: ReadonlyMap<string, ChangeOf<'credential'>>,
  { db, session }: CommitContext,
): Promise<void> {
  const nameOf = (hash: string): string => given.get(hash)?.id ?? '';
  const holder = await db
    .collection<CredentialDocument>(collectionNames.credentials)
    .findOne({ appKeyHash: { $in: [...hashes] } }, { session, projection: { appKeyHash: 1 } });
  if (holder !== null) {
    const taken = `the App Key of the credential "${nameOf(holder.appKeyHash)}" is that of the credential "${holder._id}"`;
    throw new Conflict(`${taken}; ${NEVER_TWICE}`);
  }
  const former = db
    .collection<FormerAppKeyDocument>(collectionNames.formerAppKeys)
    .find({ _id: { $in: [...hashes] } }, { session });
  for await (const { _id: hash, credentialId } of former) {
    const change = given.get(hash);
    // A credential may go back to an App Key of its own.
    if (change !== undefined && change.before !== null && change.id === credentialId) continue;
    const who = credentialId === undefined ? 'a credential that was deleted' : `the credential "${credentialId}"`;
    throw new Conflict(`the App Key of the credential "${nameOf(hash)}" was given before, to ${who}; ${NEVER_TWICE}`);
  }
}

/**
 * Rejects with {@link Conflict} when, after the changes were written, a credential or grant leads nowhere: because the
 * consumer or endpoint of a new one is not there, or because one was deleted that still has some.
 */
export async function checkReferences(changes: readonly Change[], context: CommitContext): Promise<void> {
  const consumers: Reference[] = [];
  const endpoints: Reference[] = [];
  for (const { id, after } of changesOfKind(changes, 'credential').filter(isNewReference)) {
    if (after !== null) consumers.push({ child: `credential "${id}"`, parent: after.consumerId });
  }
  for (const { after } of changesOfKind(changes, 'grant').filter(isNewReference)) {
    if (after === null) continue;
    const child = `grant of "${after.consumerId}" on "${after.endpointId}"`;
    consumers.push({ child, parent: after.consumerId });
    endpoints.push({ child, parent: after.endpointId });
  }
  await requireParents('consumer', consumers, context);
  await requireParents('endpoint', endpoints, context);
  await refuseOrphans('consumer', changes, context);
  await refuseOrphans('endpoint', changes, context);
}

interface Reference {
  /** With its kind, for messages. */
  readonly child: string;
  readonly parent: string;
}

type ParentKind = 'consumer' | 'endpoint';

const collectionOf = { consumer: collectionNames.consumers, endpoint: collectionNames.endpoints } as const;

async function requireParents(
  kind: ParentKind,
  references: readonly Reference[],
  { db, session }: CommitContext,
): Promise<void> {
  const wanted = [...new Set(references.map(({ parent }) => parent))];
  const there = new Set<string>();
  for (const ids of chunksOf(wanted, IDS_AT_ONCE)) {
    const found = db
      .collection<Identified>(collectionOf[kind])
      .find({ _id: { $in: [...ids] } }, { session, projection: { _id: 1 } });
    for await (const { _id } of found) there.add(_id);
  }
  const dangling = references.find(({ parent }) => !there.has(parent));
  if (dangling === undefined) return;
  throw new Conflict(
    `the ${dangling.child} needs the ${kind} "${dangling.parent}", which is not there (any more); nothing was changed`,
  );
}

/** What can be left behind, by what it needs. */
const childrenOf = {
  consumer: [
    { collection: collectionNames.credentials, field: 'consumerId', noun: 'credential' },
    { collection: collectionNames.grants, field: 'consumerId', noun: 'grant' },
  ],
  endpoint: [{ collection: collectionNames.grants, field: 'endpointId', noun: 'grant' }],
} as const;

async function refuseOrphans(
  kind: ParentKind,
  changes: readonly Change[],
  { db, session }: CommitContext,
): Promise<void> {
  for (const ids of chunksOf(deletedIds(changes, kind), IDS_AT_ONCE)) {
    for (const { collection, field, noun } of childrenOf[kind]) {
      const child = await db.collection<Identified>(collection).findOne({ [field]: { $in: [...ids] } }, { session });
      if (child === null) continue;
      const parent = String(child[field]);
      throw new Outdated(
        `the ${kind} "${parent}" still has the ${noun} "${child._id}"; nothing was changed: try again`,
      );
    }
  }
}

/**
 * Rejects with {@link Conflict} when, after the changes were written, an endpoint that was made or got another `match`
 * claims the same requests as another one, disabled ones too (spec §2.3). Documents that say nothing claim nothing.
 */
export async function checkCollisions(changes: readonly Change[], { db, session }: CommitContext): Promise<void> {
  const moved = new Set(
    changesOfKind(changes, 'endpoint')
      .filter(({ before, after }) => after !== null && !isDeepStrictEqual(before?.resource.match, after.match))
      .map(({ id }) => id),
  );
  if (moved.size === 0) return;
  const endpoints: Endpoint[] = [];
  for await (const document of db.collection(collectionNames.endpoints).find({}, { session })) {
    const mapped = readEndpointDocument(document);
    if ('value' in mapped) endpoints.push(mapped.value);
  }
  const collision = findMatchCollisions(endpoints).find(
    ({ first, second }) => moved.has(first.id) || moved.has(second.id),
  );
  if (collision === undefined) return;
  const { first, second, rule } = collision;
  throw new Conflict(
    `the endpoints "${first.id}" and "${second.id}" would take the same requests (${rule}); change the match of one. Nothing was changed`,
  );
}
