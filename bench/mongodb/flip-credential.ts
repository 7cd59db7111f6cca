import type { MongoResourceStore } from '../../src/stores/mongodb/resource-store.ts';
import type { ManagedCredential } from '../../src/resources/resource.ts';

type State = ManagedCredential['state'];

/** When a change was made, by `performance.now()`. */
export interface Flip {
  /** Before its first write. */
  readonly startMs: number;
  readonly committedMs: number;
  /** When all replicas decided by it. */
  readonly seenMs: number;
}

/**
 * Revokes a credential of `seed`, or gives it back, by the transaction that commands make. `untilAll` waits until every
 * replica decides by a state, and gives when the last one did.
 */
export async function flipCredential(
  resources: MongoResourceStore,
  number: number,
  untilAll: (number: number, state: State) => Promise<number>,
): Promise<Flip> {
  const id = `credential-${String(number)}`;
  const before = await resources.find('credential', id);
  if (before === null) throw new Error('the credential is gone');
  const state = before.resource.state === 'active' ? 'revoked' : 'active';
  await untilAll(number, before.resource.state);
  const startMs = performance.now();
  const seen = untilAll(number, state);
  const change = { kind: 'credential', id, before, after: { ...before.resource, state } } as const;
  await resources.commit([change], { actor: 'bench', action: 'credential edit' });
  const committedMs = performance.now();
  return { startMs, committedMs, seenMs: await seen };
}
