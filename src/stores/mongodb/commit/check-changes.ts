import { isDeepStrictEqual } from 'node:util';
import type { Change, ChangeOf } from '../../../resources/changes/change.ts';
import { listedIn } from '../../../resources/changes/plan-endpoint.ts';
import { chunksOf, Conflict, Outdated } from '../../../resources/changes/resource-store.ts';
import { MAX_CLAIM_NAMES_OF_ISSUER } from '../../../model/bounds.ts';
import type { Endpoint } from '../../../model/endpoint.ts';
import { isGroupGrant } from '../../../model/grant.ts';
import { describeLabels } from '../../../model/labels.ts';
import { tooManyClaimNames } from '../../../resources/issuer-references.ts';
import { type ResourceKind, resourceKinds } from '../../../resources/resource.ts';
import { findMatchCollisions } from '../../../check/route/collisions.ts';
import { describeKnownBy, stoppedText } from '../../../resources/known-by.ts';
import { type CollectionName, collectionOf } from '../documents.ts';
import { readEndpointDocument } from '../mapping/records.ts';
import { recordKinds } from '../record-kinds.ts';
import { checkSegments } from './check-bounds.ts';
import {
  changesOfKind,
  type CommitContext,
  deletedIds,
  type Identified,
  isNewReference,
  newEndpointsOf,
} from './changes.ts';

/** So many ids, of 127 characters at most, fit well into one request. */
const IDS_AT_ONCE = 10_000;

/** Finds documents by their ids, with nothing but their revision. */
async function* findRevisions(
  collection: CollectionName,
  ids: readonly string[],
  { db, session }: CommitContext,
): AsyncGenerator<Identified> {
  for (const some of chunksOf(ids, IDS_AT_ONCE)) {
    const options = { session, projection: { revision: 1 } };
    yield* db.collection<Identified>(collection).find({ _id: { $in: [...some] } }, options);
  }
}

/** Rejects with {@link Outdated} when a change was planned on something else than what is there. */
export async function checkRevisions(changes: readonly Change[], context: CommitContext): Promise<void> {
  for (const kind of resourceKinds) {
    const own = changes.filter((change) => change.kind === kind);
    const ids = own.map(({ id }) => id);
    const revisions = new Map<string, unknown>();
    for await (const { _id, revision } of findRevisions(recordKinds[kind].collection, ids, context)) {
      revisions.set(_id, revision);
    }
    for (const { id, before } of own) {
      const isThere = revisions.has(id);
      if (before === null && isThere) {
        const message = `the ${kind} "${id}" already exists; nothing was changed`;
        throw new Outdated(message, { unnamed: message });
      }
      if (before === null || revisions.get(id) === before.revision) continue;
      const how = `${isThere ? 'changed' : 'deleted'} meanwhile${await describeLastChange(kind, id, context)}`;
      throw new Outdated(`the ${kind} "${id}" was ${how}; look at it and try again. Nothing was changed`);
    }
  }
}

/** Who was faster, where the audit trail says so. */
async function describeLastChange(kind: ResourceKind, id: string, { db, session }: CommitContext): Promise<string> {
  const event = await collectionOf(db, 'audit').findOne({ kind, id }, { session, sort: { at: -1, _id: -1 } });
  return event === null ? '' : ` by ${event.actor} (${event.action})`;
}

/**
 * Rejects with {@link Conflict} when a credential would get an App Key that another one has or had (spec §1), also when
 * the other one is deleted or gets another in the same commit; or what another one is known by. To be called before the
 * changes are written.
 */
export async function checkAppKeys(changes: readonly Change[], context: CommitContext): Promise<void> {
  const given = new Map<string, ChangeOf<'credential'>>();
  for (const change of changesOfKind(changes, 'credential')) {
    const { id, before, after } = change;
    if (after === null || after.appKeyHash === before?.resource.appKeyHash) continue;
    const other = given.get(after.appKeyHash);
    if (other !== undefined) {
      const knownBy = describeKnownBy(after.material);
      const what = knownBy === null ? 'have the same App Key' : `are known by the same, ${knownBy}`;
      throw givenTwice(`the credentials "${other.id}" and "${id}" ${what}`, knownBy);
    }
    given.set(after.appKeyHash, change);
  }
  const deleted = new Set(deletedIds(changes, 'credential'));
  for (const hashes of chunksOf([...given.keys()], IDS_AT_ONCE)) await checkHashes(hashes, given, deleted, context);
}

/**
 * @param knownBy of a credential without an App Key
 * @param stopped whether such a holder works no longer, as {@link stoppedText} says it
 */
function givenTwice(who: string, knownBy: string | null, stopped = ''): Conflict {
  if (knownBy !== null) {
    const rule = 'no two credentials are known by the same';
    const nothing = '. Nothing was changed';
    return new Conflict(`${who}; ${rule}${stopped}${nothing}`, {
      unnamed: `another credential is known by the same; ${rule}${nothing}`,
    });
  }
  const rule = 'an App Key is never given twice: take another. Nothing was changed';
  return new Conflict(`${who}; ${rule}`, { unnamed: `this App Key is, or was, that of a credential; ${rule}` });
}

async function checkHashes(
  hashes: readonly string[],
  given: ReadonlyMap<string, ChangeOf<'credential'>>,
  deleted: ReadonlySet<string>,
  { db, session, nowMs }: CommitContext,
): Promise<void> {
  const knownBy = (hash: string): string | null => {
    const material = given.get(hash)?.after?.material;
    return material === undefined ? null : describeKnownBy(material);
  };
  const subject = (hash: string): string =>
    `${knownBy(hash) ?? 'the App Key'} of the credential "${given.get(hash)?.id ?? ''}"`;
  const options = { session, projection: { appKeyHash: 1, state: 1, expiresAt: 1 } };
  const holders = collectionOf(db, 'credentials').find({ appKeyHash: { $in: [...hashes] } }, options);
  for await (const { appKeyHash, _id: id, state, expiresAt } of holders) {
    // An App Key is for ever; what is known by something else leaves it when it is deleted.
    if (knownBy(appKeyHash) !== null && deleted.has(id)) continue;
    const are = knownBy(appKeyHash)?.startsWith('the claims') === true ? 'are those' : 'is that';
    const stopped = stoppedText(
      { state, expiresAt: expiresAt === undefined ? null : expiresAt.getTime() / 1000 },
      Math.floor(nowMs / 1000),
    );
    throw givenTwice(`${subject(appKeyHash)} ${are} of the credential "${id}"`, knownBy(appKeyHash), stopped);
  }
  const former = collectionOf(db, 'formerAppKeys').find({ _id: { $in: [...hashes] } }, { session });
  for await (const { _id: hash, credentialId } of former) {
    const change = given.get(hash);
    // A credential may go back to an App Key of its own.
    if (change !== undefined && change.before !== null && change.id === credentialId) continue;
    const who = credentialId === undefined ? 'a credential that was deleted' : `the credential "${credentialId}"`;
    throw givenTwice(`${subject(hash)} was given before, to ${who}`, null);
  }
}

interface Reference {
  /** With its kind, for messages. */
  readonly child: string;
  readonly parent: string;
}

/**
 * Rejects with {@link Conflict} when, after the changes were written, a credential, grant or plan leads nowhere:
 * because the consumer, issuer or endpoint of a new one is not there, or because one was deleted that still has some.
 */
export async function checkReferences(changes: readonly Change[], context: CommitContext): Promise<void> {
  const consumers: Reference[] = [];
  const endpoints: Reference[] = [];
  const issuers: Reference[] = [];
  for (const { id, after } of changesOfKind(changes, 'credential').filter(isNewReference)) {
    if (after === null) continue;
    consumers.push({ child: `credential "${id}"`, parent: after.consumerId });
    const { material } = after;
    if (material.kind === 'token-claims') issuers.push({ child: `credential "${id}"`, parent: material.issuerId });
  }
  for (const { after } of changesOfKind(changes, 'grant').filter(isNewReference)) {
    if (after === null) continue;
    const holder = isGroupGrant(after) ? `for ${describeLabels(after.consumerSelector)}` : `of "${after.consumerId}"`;
    const child = `grant ${holder} on "${after.endpointId}"`;
    if (!isGroupGrant(after)) consumers.push({ child, parent: after.consumerId });
    endpoints.push({ child, parent: after.endpointId });
  }
  for (const change of changesOfKind(changes, 'plan')) {
    endpoints.push(...newEndpointsOf(change).map((parent) => ({ child: `plan "${change.id}"`, parent })));
  }
  await requireParents('consumer', consumers, context);
  await requireParents('endpoint', endpoints, context);
  await requireParents('issuer', issuers, context);
  for (const id of new Set(issuers.map(({ parent }) => parent))) await checkClaimNames(id, context);
  await refuseOrphans('consumer', changes, context);
  await refuseOrphans('endpoint', changes, context);
  await refuseListed(changes, context);
  await refuseNamed(changes, context);
}

type ParentKind = 'consumer' | 'endpoint' | 'issuer';

async function requireParents(
  kind: ParentKind,
  references: readonly Reference[],
  context: CommitContext,
): Promise<void> {
  const wanted = [...new Set(references.map(({ parent }) => parent))];
  const there = new Set<string>();
  for await (const { _id } of findRevisions(recordKinds[kind].collection, wanted, context)) there.add(_id);
  const dangling = references.find(({ parent }) => !there.has(parent));
  if (dangling === undefined) return;
  throw new Conflict(
    `the ${dangling.child} needs the ${kind} "${dangling.parent}", which is not there (any more); nothing was changed`,
  );
}

/** What needs each kind, by the field that names what it needs. */
const childrenOf: Readonly<
  Record<Exclude<ParentKind, 'issuer'>, readonly (readonly [noun: 'credential' | 'grant', field: string])[]>
> = {
  consumer: [
    ['credential', 'consumerId'],
    ['grant', 'consumerId'],
  ],
  endpoint: [['grant', 'endpointId']],
};

async function refuseOrphans(
  kind: keyof typeof childrenOf,
  changes: readonly Change[],
  { db, session }: CommitContext,
): Promise<void> {
  for (const ids of chunksOf(deletedIds(changes, kind), IDS_AT_ONCE)) {
    for (const [noun, field] of childrenOf[kind]) {
      const children = db.collection<Identified>(recordKinds[noun].collection);
      const child = await children.findOne({ [field]: { $in: [...ids] } }, { session });
      if (child === null) continue;
      const parent = String(child[field]);
      throw new Outdated(
        `the ${kind} "${parent}" still has the ${noun} "${child._id}"; nothing was changed: try again`,
      );
    }
  }
}

/** An endpoint that a plan lists is not deleted with it: the plan is for the operator to change. */
async function refuseListed(changes: readonly Change[], { db, session }: CommitContext): Promise<void> {
  for (const ids of chunksOf(deletedIds(changes, 'endpoint'), IDS_AT_ONCE)) {
    const plan = await collectionOf(db, 'plans').findOne({ endpoints: { $in: [...ids] } }, { session });
    if (plan === null) continue;
    const listed = (plan['endpoints'] as readonly string[]).find((id) => ids.includes(id)) ?? '';
    throw listedIn(listed, [plan._id]);
  }
}

/** An issuer that credentials name is not deleted with them: their partners would be shut out unseen. */
async function refuseNamed(changes: readonly Change[], { db, session }: CommitContext): Promise<void> {
  for (const ids of chunksOf(deletedIds(changes, 'issuer'), IDS_AT_ONCE)) {
    const credential = await collectionOf(db, 'credentials').findOne({ issuer: { $in: [...ids] } }, { session });
    if (credential === null) continue;
    const issuer = String(credential.issuer);
    const rule = 'delete such credentials first. Nothing was changed';
    throw new Conflict(`the credential "${credential._id}" names the issuer "${issuer}"; ${rule}`, {
      unnamed: `a credential names the issuer "${issuer}"; ${rule}`,
    });
  }
}

/** Rejects with {@link Conflict} when the credentials of an issuer have too many different claims. */
async function checkClaimNames(issuer: string, { db, session }: CommitContext): Promise<void> {
  const names = await collectionOf(db, 'credentials').distinct('claimNames', { issuer }, { session });
  if (names.length > MAX_CLAIM_NAMES_OF_ISSUER) throw claimsConflict(issuer);
}

function claimsConflict(issuer: string): Conflict {
  const message = `${tooManyClaimNames(issuer)}. Nothing was changed`;
  return new Conflict(message, { unnamed: message });
}

/**
 * Rejects with {@link Conflict} when, after the changes were written, an endpoint that is new or got another `match`
 * claims the same requests as another one, disabled ones too (spec §2.3), or when all have too many paths. Documents
 * that cannot be read claim nothing.
 */
export async function checkCollisions(changes: readonly Change[], { db, session }: CommitContext): Promise<void> {
  const moved = new Set(
    changesOfKind(changes, 'endpoint')
      .filter(({ before, after }) => after !== null && !isDeepStrictEqual(before?.resource.match, after.match))
      .map(({ id }) => id),
  );
  if (moved.size === 0) return;
  const endpoints: Endpoint[] = [];
  for await (const document of collectionOf(db, 'endpoints').find({}, { session })) {
    const mapped = readEndpointDocument(document);
    if ('value' in mapped) endpoints.push(mapped.value);
  }
  checkSegments(changes, endpoints);
  const collision = findMatchCollisions(endpoints).find(
    ({ first, second }) => moved.has(first.id) || moved.has(second.id),
  );
  if (collision === undefined) return;
  const { first, second, rule } = collision;
  const message = `the endpoints "${first.id}" and "${second.id}" would take the same requests (${rule}); change the match of one. Nothing was changed`;
  const own = moved.has(first.id) ? first : second;
  throw new Conflict(message, {
    unnamed: `"${own.id}" would take the same requests as another endpoint. Nothing was changed`,
  });
}
