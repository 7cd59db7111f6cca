import type { Change } from '../../../manage/change.ts';
import { type ResourceKind, resourceKinds } from '../../../resources/resource.ts';
import { Outdated } from '../../../manage/resource-store.ts';
import { type AuditDocument, collectionNames } from '../documents.ts';
import { recordKinds } from '../record-kinds.ts';
import { inPieces } from './changes.ts';
import type { CommitContext, Identified } from './commit-context.ts';

/** So many ids, of 127 characters at most, fit well into one question. */
const IDS_AT_ONCE = 10_000;

/** Rejects with {@link Outdated} when a change was planned on something else than what is there. */
export async function checkRevisions(changes: readonly Change[], context: CommitContext): Promise<void> {
  for (const kind of resourceKinds) {
    const own = changes.filter((change) => change.kind === kind);
    for (const piece of inPieces(own, IDS_AT_ONCE)) await checkPiece(kind, piece, context);
  }
}

async function checkPiece(kind: ResourceKind, changes: readonly Change[], context: CommitContext): Promise<void> {
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
