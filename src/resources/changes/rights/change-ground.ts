import type { Consumer } from '../../../model/consumer.ts';
import type { Endpoint } from '../../../model/endpoint.ts';
import type { Change } from '../change.ts';

/** What has labels of its own. A credential is where its consumer is, a grant where its endpoint is. */
export type LabelledKind = 'endpoint' | 'consumer';

interface Labelled {
  readonly endpoint: Endpoint;
  readonly consumer: Consumer;
}

/** Reads endpoints and consumers by their ids; all without ids. What cannot be read is absent. */
export type ReadLabelled = <K extends LabelledKind>(
  kind: K,
  ids?: readonly string[],
) => AsyncIterable<Labelled[K]> | Iterable<Labelled[K]>;

/** What the store has now of all that changes belong to. */
export interface ChangeGround {
  readonly endpoint: ReadonlyMap<string, Endpoint>;
  readonly consumer: ReadonlyMap<string, Consumer>;
  /** All endpoints where a change can take requests from one; else none. */
  readonly endpoints: readonly Endpoint[];
}

/**
 * Reads what changes are judged on, and whose they are. What is itself changed counts as it was when the change was
 * planned: a store takes the change only while it is so. Rejects as the store does.
 *
 * @param needsEndpoints whether changes may take requests from the endpoints of others
 */
export async function readGround(
  changes: readonly Change[],
  read: ReadLabelled,
  { needsEndpoints }: { readonly needsEndpoints: boolean },
): Promise<ChangeGround> {
  const endpoint = new Map<string, Endpoint>();
  const consumer = new Map<string, Consumer>();
  const ids = ownersOf(changes);
  const needsAll = needsEndpoints && changes.some(({ kind, after }) => kind === 'endpoint' && after !== null);
  const endpointIds = needsAll ? undefined : [...ids.endpoint];
  if (endpointIds?.length !== 0) for await (const each of read('endpoint', endpointIds)) endpoint.set(each.id, each);
  if (ids.consumer.size > 0) {
    for await (const each of read('consumer', [...ids.consumer])) consumer.set(each.id, each);
  }
  const endpoints = needsAll ? [...endpoint.values()] : [];
  for (const change of changes) {
    if (change.before === null) continue;
    if (change.kind === 'endpoint') endpoint.set(change.id, change.before.resource);
    if (change.kind === 'consumer') consumer.set(change.id, change.before.resource);
  }
  return { endpoint, consumer, endpoints };
}

/** The endpoints and consumers that changes belong to, but for those that are changed themselves. */
function ownersOf(changes: readonly Change[]): { readonly [K in LabelledKind]: ReadonlySet<string> } {
  const owners = { endpoint: new Set<string>(), consumer: new Set<string>() };
  for (const change of changes) {
    for (const side of [change.before?.resource ?? null, change.after]) {
      if (side === null) continue;
      if ('endpointId' in side) owners.endpoint.add(side.endpointId);
      if ('consumerId' in side) owners.consumer.add(side.consumerId);
    }
  }
  for (const { kind, id } of changes) if (kind === 'endpoint' || kind === 'consumer') owners[kind].delete(id);
  return owners;
}
