import type { Clock } from '../base/clock.ts';
import type { Ending } from '../model/ending.ts';
import { registerEndingMetrics } from './observe/ending-metrics.ts';
import type { Metrics } from './observe/metrics.ts';
import { endingsIn } from '../resources/endings.ts';
import type { FileObserver } from '../check/store/check-store.ts';

/** Adds what runs out of a declarative file to the metrics, and gives the observer that learns of it. */
export function observeEndings(
  observer: FileObserver,
  { metrics, clock }: { readonly metrics: Metrics; readonly clock: Clock },
): FileObserver {
  let endings: readonly Ending[] = [];
  registerEndingMetrics(metrics.registry, {
    nowSeconds: () => clock.nowSeconds(),
    // The file is followed, and keeps no times of use.
    current: () => ({
      readAt: clock.nowSeconds(),
      endings: endings.map((ending) => ({ ...ending, isInUse: null })),
    }),
  });
  return {
    ...observer,
    loaded: (path, state, ...more) => {
      endings = endingsIn(state);
      observer.loaded(path, state, ...more);
    },
  };
}
