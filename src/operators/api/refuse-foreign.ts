import type { Operator } from '../../model/operator.ts';
import type { Change } from '../../resources/changes/change.ts';
import { takenCredentialId, takenId } from '../../resources/changes/planned-conflict.ts';
import { idOfResource } from '../../resources/declare-resource.ts';
import type { ResourceKind } from '../../resources/resource.ts';
import { MetBeyond } from './beyond-reach.ts';
import { conflictOf } from './change.ts';
import type { ApiPorts } from './ports.ts';
import { selectorOf } from './reach.ts';
import { findReached } from './records.ts';

type Resources = ApiPorts['store']['resources'];

/** Whose grants are, follows from their ids; operators are for those who reach everything. */
const takenKinds = ['endpoint', 'consumer', 'credential', 'plan', 'issuer'] as const;

/**
 * What is made under an id that another team has is refused as by the route of its kind: without a name, and with a
 * trace in the audit trail.
 */
export async function refuseTaken(planned: readonly Change[], operator: Operator, resources: Resources): Promise<void> {
  if (selectorOf(operator) === undefined) return;
  for (const kind of takenKinds) {
    const ids = planned.flatMap((each) => (each.kind === kind && each.before === null ? [each.id] : []));
    if (ids.length === 0) continue;
    const reached = await findReached(operator, kind, ids, resources);
    const own = new Set(reached.map(({ resource }) => idOfResource(resource)));
    for await (const { resource } of resources.list<ResourceKind>(kind, { ids })) {
      const id = idOfResource(resource);
      if (own.has(id)) continue;
      throw await conflictOf(kind === 'credential' ? takenCredentialId(id) : takenId(kind, id), operator, resources);
    }
  }
}

/** Whether others' grants belong to a selector would tell labels of what is beyond reach: none goes with one. */
export async function refuseForeign(
  missing: readonly Change[],
  operator: Operator,
  resources: Resources,
): Promise<void> {
  const ids = missing.map(({ id }) => id);
  const reached = ids.length === 0 ? [] : await findReached(operator, 'grant', ids, resources);
  const own = new Set(reached.map(({ resource }) => idOfResource(resource)));
  const id = ids.find((each) => !own.has(each));
  if (id === undefined) return;
  const sentence = `the grant "${id}", which is beyond reach, would go with what is deleted by a selector`;
  throw new MetBeyond('grants of others would go with it; delete it without a selector', {
    kind: 'grant',
    id,
    sentence,
  });
}
