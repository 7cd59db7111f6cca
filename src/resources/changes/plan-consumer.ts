import { declareConsumer, readConsumerAlone } from '../consumer.ts';
import type { Declared } from '../declared.ts';
import { readPlain } from '../../model/document/read-plain.ts';
import type { Consumer } from '../../model/consumer.ts';
import type { Change, Planned } from './change.ts';
import type { ManagedCredential, Stored } from '../resource.ts';
import type { Grant } from '../../model/grant.ts';
import { planGrantRemoval } from './plan-grant.ts';
import { takenId } from './planned-conflict.ts';
import { applyWish, type Wish } from './wish.ts';

/** Plans a new consumer; `existing` is the one that has the id already. */
export function planNewConsumer(id: string, wish: Wish, existing: Stored<Consumer> | null): Planned {
  if (existing !== null) {
    return takenId('consumer', id);
  }
  return planFrom({ id }, null, wish);
}

/** Plans a change of a consumer. */
export function planConsumerEdit(current: Stored<Consumer>, wish: Wish): Planned {
  return planFrom(declareConsumer(current.resource), current, wish);
}

function planFrom(declared: Declared, before: Stored<Consumer> | null, wish: Wish): Planned {
  const read = readPlain(applyWish(declared, wish), readConsumerAlone, before === null ? undefined : declared);
  if ('problems' in read) return read;
  return { changes: [{ kind: 'consumer', id: read.value.id, before, after: read.value }] };
}

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
