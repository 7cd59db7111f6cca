import { Registry } from 'prom-client';
import { systemClock } from '../../../src/base/clock.ts';
import { ConsumerFigures } from '../../../src/gateway/observe/consumer-figures.ts';
import { registerConsumerMetrics } from '../../../src/gateway/observe/consumer-metrics.ts';
import { registerEndingMetrics } from '../../../src/gateway/observe/ending-metrics.ts';
import { FastHistogram } from '../../../src/gateway/observe/check-metrics.ts';
import { createIssuerKeysObserver } from '../../../src/gateway/observe/issuer-keys-observer.ts';
import { createLimiterObserver } from '../../../src/gateway/observe/limiter-observer.ts';
import {
  registerDatabaseMetrics,
  registerReplayMetrics,
  registerStoreAge,
  registerTrafficMetrics,
} from '../../../src/gateway/observe/store-metrics.ts';
import { registerRefusalMetrics } from '../../../src/gateway/observe/refusal-metrics.ts';
import { PlanWarnings } from '../../../src/gateway/observe/plan-metrics.ts';
import { createLogger } from '../../../src/gateway/observe/logger.ts';
import { ManageMetrics } from '../../../src/operators/process/manage-metrics.ts';
import { Metrics } from '../../../src/gateway/observe/metrics.ts';
import { AppKeyFilter } from '../../../src/stores/cache/app-key-filter.ts';
import { CredentialCache } from '../../../src/stores/credential-cache.ts';
import { openRequestLog } from '../../../src/gateway/observe/line-budget.ts';
import { BoundedSpans } from '../../../src/gateway/observe/traces/bounded-spans.ts';

const cache = new CredentialCache(
  { maxEntries: 1, maxStaleSeconds: 0 },
  {
    ...{ reader: { outlook: 'reachable', read: () => Promise.resolve(null) }, appKeys: new AppKeyFilter() },
    ...{
      confirmedMs: () => 0,
      provenMs: () => 0,
      appKeysConfirmedMs: () => 0,
      clock: systemClock,
      startTimer: () => () => undefined,
    },
    observer: { defect: () => undefined },
  },
);

/** A registry with everything that a gateway can show: database, rate limit service, TLS, traces. */
export function fullRegistry(): Registry {
  const { registry } = new Metrics('1.2.3');
  const logger = createLogger('error', { write: () => undefined });
  createLimiterObserver(logger, registry);
  createIssuerKeysObserver(logger, registry, () => ({}));
  new PlanWarnings(systemClock, registry);
  registerStoreAge(registry, () => 0);
  registerDatabaseMetrics(
    registry,
    { isUp: true, revision: 1, changeCount: () => 0, faultCount: () => 0, cache },
    { pending: 0, dropped: 0 },
  );
  registerTrafficMetrics(registry, { size: 0, dropped: 0 });
  registerConsumerMetrics(registry, new ConsumerFigures(1));
  registerEndingMetrics(registry, { nowSeconds: () => 0, current: () => null });
  registerReplayMetrics(registry, { size: 0, refused: { share: 0, memory: 0 } });
  const noRefusals = { consumer: 0, replica: 0, unmatched: 0, room: 0 };
  registerRefusalMetrics(registry, { written: () => 0, waiting: () => 0, leftOut: () => noRefusals });
  const startTimer = () => () => undefined;
  openRequestLog({ logger, registry, clock: systemClock, startTimer });
  new BoundedSpans({
    ...{ maxPending: 1, registry, observer: { failed: () => undefined, delivered: () => undefined } },
    exporter: { export: () => undefined, shutdown: () => Promise.resolve() },
    createProcessor: () => ({
      ...{ onStart: () => undefined, onEnd: () => undefined },
      ...{ forceFlush: () => Promise.resolve(), shutdown: () => Promise.resolve() },
    }),
  });
  return registry;
}

/** A registry with what is only of `postern manage`. */
export function manageRegistry(): Registry {
  const registry = new Registry();
  new ManageMetrics(registry, () => ({ isStoreUp: true, connections: 0 }));
  return registry;
}

/** The series of a registry and the labels that each may have, `job` and `instance` of the scrape included. */
export function seriesOf(registry: Registry): ReadonlyMap<string, ReadonlySet<string>> {
  const series = new Map<string, ReadonlySet<string>>();
  for (const metric of registry.getMetricsAsArray()) {
    // prom-client does not show these two in its types.
    const { name, labelNames, type } = metric as unknown as { name: string; labelNames: string[]; type: string };
    const labels = ['job', 'instance', ...labelNames];
    // That of the check path is a histogram by what it gives only.
    if (type === 'histogram' || (metric as unknown) instanceof FastHistogram) {
      series.set(`${name}_bucket`, new Set([...labels, 'le']));
      for (const part of ['sum', 'count']) series.set(`${name}_${part}`, new Set(labels));
    } else if (type === 'summary') {
      series.set(name, new Set([...labels, 'quantile']));
      for (const part of ['sum', 'count']) series.set(`${name}_${part}`, new Set(labels));
    } else series.set(name, new Set(labels));
  }
  return series;
}
