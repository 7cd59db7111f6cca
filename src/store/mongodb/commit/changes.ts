import type { Change, ChangeOf } from '../../../manage/change.ts';
import { grantId } from '../../../resources/grant.ts';
import type { ResourceKind } from '../../../resources/resource.ts';

/** The changes of one kind; those of other kinds are passed over. */
export function changesOfKind<K extends ResourceKind>(changes: readonly Change[], kind: K): readonly ChangeOf<K>[] {
  return changes.filter((change) => change.kind === kind) as unknown as readonly ChangeOf<K>[];
}

/** The ids of what is deleted of a kind. */
export function deletedIds(changes: readonly Change[], kind: ResourceKind): readonly string[] {
  return changes.filter((change) => change.kind === kind && change.after === null).map(({ id }) => id);
}

/** A list of changes that contradicts itself is a defect of whoever planned it. */
export function checkPlan(changes: readonly Change[]): void {
  const seen = new Set<string>();
  for (const change of changes) {
    const name = `${change.kind} ${change.id}`;
    if (seen.has(name)) throw new Error(`${name} is changed twice in one commit`);
    seen.add(name);
    for (const side of [change.before?.resource ?? null, change.after]) {
      if (side !== null && idOf(side) !== change.id) throw new Error(`${name} is changed as ${idOf(side)}`);
    }
    if (change.before === null && change.after === null) throw new Error(`${name} is changed to nothing from nothing`);
  }
}

function idOf(resource: NonNullable<Change['after']>): string {
  return 'endpointId' in resource ? grantId(resource) : resource.id;
}

/** A list in pieces of at most `size`: no message to the server grows with the number of changes. */
export function* inPieces<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
