import { describeChange } from '../../../manage/describe-change.ts';
import type { Change, ChangeOf, Operation } from '../../../manage/change.ts';
import type { ResourceKind } from '../../../resources/resource.ts';
import type { Declared } from '../../../resources/declared.ts';
import type { AuditDocument } from '../documents.ts';
import { recordKinds } from '../record-kinds.ts';

/**
 * The audit event of a change: the resource before and after as a declarative file has it, without secrets. Where a
 * secret is set, changed or removed, `after` says so in its place.
 */
export function auditDocumentOf(
  change: Change,
  operation: Operation,
  { storeRevision, nowMs }: { readonly storeRevision: number; readonly nowMs: number },
): AuditDocument {
  const { actor, action } = operation;
  const { kind, id } = change;
  return { at: new Date(nowMs), actor, action, storeRevision, kind, id, ...sidesOf(change) };
}

function sidesOf<K extends ResourceKind>(change: ChangeOf<K>): Pick<AuditDocument, 'before' | 'after'> {
  const { declare } = recordKinds[change.kind];
  return {
    before: change.before === null ? null : declare(change.before.resource),
    after: change.after === null ? null : withSecretChanges(declare(change.after), change as unknown as Change),
  };
}

function withSecretChanges(declared: Declared, change: Change): Declared {
  let told: Declared = declared;
  for (const { path, secret } of describeChange(change).fields) {
    if (secret === undefined) continue;
    const [outer = '', inner] = path.split('.');
    const value = inner === undefined ? secret : { ...(told[outer] as Declared | undefined), [inner]: secret };
    told = { ...told, [outer]: value };
  }
  return told;
}
