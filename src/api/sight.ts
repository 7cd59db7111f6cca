import type { AuditEvent, ResourceStore } from '../manage/resource-store.ts';
import { allows, type Operator } from '../model/operator.ts';
import type { RefusalRecord } from '../refusals/refusal-record.ts';
import { reaches } from './reach.ts';
import type { LabelledKind } from './reach.ts';

/** Whether an operator reaches every consumer and endpoint, also those that are no longer there. */
export function reachesAll({ selector }: Operator): boolean {
  return Object.keys(selector).length === 0;
}

/** Whether an operator manages operators, and so sees what was changed of them. */
export function managesOperators(operator: Operator): boolean {
  return allows(operator.role, 'change-operators') && reachesAll(operator);
}

/**
 * Of some refusals those that an operator may see: consumer and endpoint have to be within reach. What was deleted is
 * within the reach of those only who reach everything: its labels are not known any more.
 */
export async function seenRefusals(
  operator: Operator,
  records: readonly RefusalRecord[],
  resources: Pick<ResourceStore, 'list'>,
): Promise<readonly RefusalRecord[]> {
  if (reachesAll(operator)) return records;
  const consumers = await reachOf(operator, 'consumer', idsOf(records.map(({ consumerId }) => consumerId)), resources);
  const endpoints = await reachOf(operator, 'endpoint', idsOf(records.map(({ endpointId }) => endpointId)), resources);
  return records.filter(
    ({ consumerId, endpointId }) =>
      consumers.get(consumerId) === true && (endpointId === null || endpoints.get(endpointId) === true),
  );
}

/**
 * Of some events those that an operator may see. Of a consumer or endpoint every state that the event has must carry the
 * operator's labels, and what is there now; of a credential or grant all that it belongs to, as it is now. Changes of
 * operators are for those who manage operators.
 */
export async function seenEvents(
  operator: Operator,
  events: readonly AuditEvent[],
  resources: Pick<ResourceStore, 'list'>,
): Promise<readonly AuditEvent[]> {
  const seesOperators = managesOperators(operator);
  const visible = events.filter(({ kind }) => kind !== 'operator' || seesOperators);
  if (reachesAll(operator)) return visible;
  const concerned = (what: LabelledKind): ReadonlySet<string> =>
    idsOf(visible.flatMap((event) => (event.kind === what ? [event.id] : ownersOf(event, what))));
  const consumers = await reachOf(operator, 'consumer', concerned('consumer'), resources);
  const endpoints = await reachOf(operator, 'endpoint', concerned('endpoint'), resources);
  return visible.filter((event) => {
    const { kind, id } = event;
    if (kind === 'consumer' || kind === 'endpoint') {
      const now = (kind === 'consumer' ? consumers : endpoints).get(id) ?? true;
      return now && sidesOf(event).every((side) => reaches(operator, { labels: labelsOf(side) }));
    }
    const owners = [
      ...ownersOf(event, 'consumer').map((owner) => consumers.get(owner)),
      ...ownersOf(event, 'endpoint').map((owner) => endpoints.get(owner)),
    ];
    return owners.length > 0 && owners.every((isReached) => isReached === true);
  });
}

function sidesOf({ before, after }: AuditEvent): readonly Readonly<Record<string, unknown>>[] {
  return [before, after].filter((side) => side !== null);
}

/** What a credential or grant of an event belongs to. */
function ownersOf(event: AuditEvent, what: LabelledKind): readonly string[] {
  return sidesOf(event).flatMap((side) => (typeof side[what] === 'string' ? [side[what]] : []));
}

function labelsOf({ labels }: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return typeof labels === 'object' && labels !== null ? (labels as Record<string, string>) : {};
}

function idsOf(ids: readonly (string | null)[]): ReadonlySet<string> {
  return new Set(ids.filter((id) => id !== null));
}

/** Whether each of these is within reach; what is not there is absent. */
async function reachOf(
  operator: Operator,
  kind: LabelledKind,
  ids: ReadonlySet<string>,
  resources: Pick<ResourceStore, 'list'>,
): Promise<ReadonlyMap<string, boolean>> {
  const reached = new Map<string, boolean>();
  if (ids.size === 0) return reached;
  for await (const { resource } of resources.list(kind, { ids: [...ids] })) {
    reached.set(resource.id, reaches(operator, resource));
  }
  return reached;
}
