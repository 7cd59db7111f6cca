import type { Change } from '../../../manage/change.ts';
import { Conflict, Outdated } from '../../../manage/resource-store.ts';
import { collectionNames } from '../documents.ts';
import { changesOfKind, deletedIds, inPieces } from './changes.ts';
import type { CommitContext, Identified } from './commit-context.ts';
import { isNewReference } from './turn.ts';

const IDS_AT_ONCE = 10_000;

/**
 * Rejects with {@link Conflict} when, after the changes were written, a credential or grant leads nowhere: because the
 * consumer or endpoint of a new one is not there, or because one was deleted that still has some.
 */
export async function checkReferences(changes: readonly Change[], context: CommitContext): Promise<void> {
  const credentials = changesOfKind(changes, 'credential').flatMap((change) =>
    isNewReference(change) ? (change.after ?? []) : [],
  );
  const grants = changesOfKind(changes, 'grant').flatMap((change) =>
    isNewReference(change) ? (change.after ?? []) : [],
  );
  await requireParents(
    'consumer',
    [
      ...credentials.map(({ id, consumerId }) => ({ child: `credential "${id}"`, parent: consumerId })),
      ...grants.map(({ endpointId, consumerId }) => ({
        child: `grant of "${consumerId}" on "${endpointId}"`,
        parent: consumerId,
      })),
    ],
    context,
  );
  await requireParents(
    'endpoint',
    grants.map(({ endpointId, consumerId }) => ({
      child: `grant of "${consumerId}" on "${endpointId}"`,
      parent: endpointId,
    })),
    context,
  );
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
  for (const ids of inPieces(wanted, IDS_AT_ONCE)) {
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
  for (const ids of inPieces(deletedIds(changes, kind), IDS_AT_ONCE)) {
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
