import type { Consumer } from '../../model/consumer.ts';
import type { Grant } from '../../model/grant.ts';
import type { Change } from '../change.ts';
import { planGrantRemoval } from '../grants/plan-grant-removal.ts';
import type { ManagedCredential, Stored } from '../../resources/resource.ts';

/** Plans the deletion of a consumer with its credentials, which are refused from then on, and its grants. */
export function planConsumerDeletion(
  current: Stored<Consumer>,
  credentials: readonly Stored<ManagedCredential>[],
  grants: readonly Stored<Grant>[],
): readonly Change[] {
  return [
    ...credentials.map((before): Change => ({ kind: 'credential', id: before.resource.id, before, after: null })),
    ...grants.map(planGrantRemoval),
    { kind: 'consumer', id: current.resource.id, before: current, after: null },
  ];
}
