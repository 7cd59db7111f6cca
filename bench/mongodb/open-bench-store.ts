import { systemClock, startSystemTimer } from '../../src/base/clock.ts';
import { MongoCheckStore } from '../../src/stores/mongodb/mongo-check-store.ts';
import { benchRing } from './bench-ring.ts';

/** Opens a store as a gateway does; what it reports is dropped. */
export function openBenchStore(uri: string, maxCachedCredentials = 100_000): MongoCheckStore {
  const ring = benchRing();
  return new MongoCheckStore(uri, {
    clock: systemClock,
    startTimer: startSystemTimer,
    keyRing: {
      currentKeyId: ring.currentKeyId,
      keyIds: ring.keyIds,
      seal: (secret, belongsTo) => ring.seal(secret, belongsTo),
      open: (sealed, belongsTo) => ring.open(sealed, belongsTo),
      reload: () => Promise.resolve(false),
    },
    maxCachedCredentials,
    maxStaleSeconds: 3600,
    observer: {
      loaded: () => undefined,
      changed: () => undefined,
      running: () => undefined,
      down: () => undefined,
      up: () => undefined,
      missedChanges: () => undefined,
      appKeysRead: () => undefined,
      signatures: { down: () => undefined, up: () => undefined },
      rights: { missing: () => undefined, complete: () => undefined },
      faulty: (description) => {
        throw new Error(description);
      },
      defect: (error) => {
        throw error;
      },
    },
  });
}
