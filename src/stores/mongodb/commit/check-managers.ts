import type { Change, Operation } from '../../../resources/changes/change.ts';
import { LAST_ADMIN, takesLastAdmin } from '../../../resources/changes/plan-operator.ts';
import { Conflict } from '../../../resources/changes/resource-store.ts';
import { readStored, recordKinds } from '../record-kinds.ts';
import type { CommitContext, Identified } from './changes.ts';

/**
 * Rejects with {@link Conflict} when the operation keeps a manager of operators and its changes take the last one. To
 * be called before they are written, when it is this transaction's turn: two that each leave the admin whom the other
 * takes would leave none. An operator that cannot be read manages nobody.
 */
export async function checkManagers(
  changes: readonly Change[],
  { keepsManager = false }: Operation,
  { db, session }: CommitContext,
): Promise<void> {
  if (!keepsManager) return;
  const documents = await db.collection<Identified>(recordKinds.operator.collection).find({}, { session }).toArray();
  const operators = documents.flatMap((document) => {
    const read = readStored('operator', document, { sealer: null, keepsUnopened: false });
    return 'value' in read ? [read.value.resource] : [];
  });
  if (takesLastAdmin(operators, changes)) throw new Conflict(LAST_ADMIN);
}
