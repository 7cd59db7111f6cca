import { startSystemTimer } from '../base/clock.ts';
import { createWriteObserver } from './observe/write-observer.ts';
import { ReplicaHeartbeat } from '../stores/replica-heartbeat.ts';
import type { OwnedParts, PartPorts } from './parts.ts';
import type { Readiness } from './readiness.ts';
import type { ReplicaParts } from './store.ts';

/** Lets a process that shares its store with others say that it is there, until `parts` end. */
export function openHeartbeat(
  replica: ReplicaParts | null,
  readiness: Pick<Readiness, 'findUnreadiness'>,
  { logger }: Pick<PartPorts, 'logger'>,
  parts: OwnedParts,
): void {
  if (replica === null) return;
  const heartbeat = parts.own(
    new ReplicaHeartbeat({
      register: replica.register,
      describe: () => ({ ...replica.describe(), unreadiness: readiness.findUnreadiness() }),
      startTimer: startSystemTimer,
      observer: createWriteObserver(logger, 'replica'),
    }),
  );
  replica.onRevision(() => {
    heartbeat.soon();
  });
}
