import type { Filter } from 'mongodb';
import type { Change, ChangeOf } from '../../../resources/changes/change.ts';
import { collectionOf, type SessionDocument } from '../documents.ts';
import { changesOfKind, type CommitContext, deletedIds } from './changes.ts';

/**
 * Ends, in the transaction of the context, the sessions of operators who are disabled or removed, and those that began
 * with a token or a subject that is taken from its operator: enabling the operator again brings none back. The kept
 * answers and jobs of those who are removed go, too: another with the same id gets none of their secrets.
 */
export async function endSessions(changes: readonly Change[], { db, session }: CommitContext): Promise<void> {
  const ended = changesOfKind(changes, 'operator').flatMap(endedBy);
  if (ended.length > 0) await collectionOf(db, 'sessions').deleteMany({ $or: [...ended] }, { session });
  const removed = deletedIds(changes, 'operator');
  if (removed.length > 0) {
    const ofRemoved = { operatorId: { $in: [...removed] } };
    await collectionOf(db, 'idempotency').deleteMany(ofRemoved, { session });
    await collectionOf(db, 'jobs').deleteMany(ofRemoved, { session });
  }
}

function endedBy({ id, before, after }: ChangeOf<'operator'>): readonly Filter<SessionDocument>[] {
  if (before === null) return [];
  if (after?.enabled !== true) return [{ operatorId: id }];
  const keptTokens = after.tokens.map((token) => token.id);
  const { tokens, subjects } = before.resource;
  const tokenIds = tokens.map((token) => token.id).filter((tokenId) => !keptTokens.includes(tokenId));
  const taken = subjects.filter((subject) => !after.subjects.includes(subject));
  return [
    ...(tokenIds.length === 0 ? [] : [{ operatorId: id, tokenId: { $in: tokenIds } }]),
    ...(taken.length === 0 ? [] : [{ operatorId: id, subject: { $in: taken } }]),
  ];
}
