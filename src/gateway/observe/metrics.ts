import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { Endpoint } from '../../model/endpoint.ts';
import { type ClientAuthenticationMethod, clientAuthenticationMethods } from '../oauth2/client-credentials.ts';
import { type OAuth2ErrorCode, oauth2ErrorCodes } from '../oauth2/messages.ts';
import { type OAuth2Operation, oauth2Operations } from '../oauth2/oauth2-service.ts';
import type { RefusalCode } from '../../check/refusal.ts';
import { CheckCounter, FastHistogram } from './check-metrics.ts';
import { ListenerMetrics } from './listener-metrics.ts';
import { announcedCounter, registerMetrics } from './metric-table.ts';
import { TlsMetrics } from './tls-observer.ts';

/** From a key check in memory to a call of another service that runs into its deadline and beyond, in seconds. */
const DURATION_BUCKETS = [
  0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
  1, 5,
];

/**
 * How often the lag of the event loop is sampled. Each sample wakes an idle process, which costs up to 0.1 ms of CPU
 * time, and its lag includes this interval; the alert on it begins at 100 ms. It is no part of the 100 ms by which the
 * kernel throttles a container: samples would see the same part of each period.
 */
const EVENT_LOOP_SAMPLE_MS = 70;

/**
 * The metrics of interfaces §6. No label holds what a caller chose. Series that alerts use exist from the start, as 0.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly listeners = new ListenerMetrics(this.registry);
  readonly tls = new TlsMetrics(this.registry);
  readonly #checks: CheckCounter;
  readonly #duration: FastHistogram;
  readonly #limiterFailures: Counter;
  readonly #reloads: Counter<'outcome'>;
  readonly #isReloadGood: Gauge;
  readonly #oauth2Requests: Counter<'operation' | 'outcome'>;
  readonly #oauth2Clients: Counter<'method' | 'outcome'>;

  constructor(version: string) {
    const { registry } = this;
    const registers = [registry];
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
    this.#checks = new CheckCounter(registry);
    this.#duration = new FastHistogram({
      name: 'postern_check_duration_seconds',
      help: 'Time from the message of a check to its answer.',
      buckets: DURATION_BUCKETS,
      registry,
    });
    this.#limiterFailures = new Counter({
      name: 'postern_limiter_failures_total',
      help: 'Checks whose limits could not be counted.',
      registers,
    });
    this.#reloads = announcedCounter(registry, {
      name: 'postern_store_reloads_total',
      help: 'Reads of the declarative file, or of all endpoints of a database, by outcome.',
      labels: { outcome: ['loaded', 'refused'] },
    });
    this.#isReloadGood = new Gauge({
      name: 'postern_store_last_reload_good',
      help: '0 while a declarative file that is wrong keeps the last good state in force, 1 otherwise.',
      registers,
    });
    this.#isReloadGood.set(1);
    this.#oauth2Requests = announcedCounter(registry, {
      name: 'postern_oauth2_requests_total',
      help: 'Requests to the OAuth2 endpoints by operation and outcome (ok or the error).',
      labels: { operation: oauth2Operations, outcome: ['ok', ...oauth2ErrorCodes] },
    });
    this.#oauth2Clients = announcedCounter(registry, {
      name: 'postern_oauth2_clients_total',
      help: 'Requests of OAuth2 clients by how they authenticated, or tried to, and outcome (ok or the error).',
      labels: { method: clientAuthenticationMethods, outcome: ['ok', ...oauth2ErrorCodes] },
    });
    registerMetrics(registry, {
      postern_build_info: ['Always 1; the label shows which version runs.', () => ({ [version]: 1 }), 'version'],
    });
  }

  /** Counts one decided check. `endpoint` is null when none was found. */
  countCheck(endpoint: Endpoint | null, code: RefusalCode | 'ALLOWED', seconds: number): void {
    this.#checks.count(endpoint, code);
    this.#duration.add(seconds);
  }

  /** Counts a check that was refused without a decision: a message that cannot be read, or a defect of ours. */
  countRefusal(code: RefusalCode): void {
    this.#checks.count(null, code);
  }

  /** Shows the counters of endpoints before their first check. */
  announce(endpoints: readonly Endpoint[]): void {
    this.#checks.announce(endpoints);
  }

  /** Counts a check that the limiter could not judge, allowed or not. */
  countLimiterFailure(): void {
    this.#limiterFailures.inc();
  }

  /** Counts a read of the declarative file, or of all endpoints of a database. */
  countReload(outcome: 'loaded' | 'refused'): void {
    this.#reloads.inc({ outcome });
    this.#isReloadGood.set(outcome === 'loaded' ? 1 : 0);
  }

  countOAuth2Request(operation: OAuth2Operation, outcome: OAuth2ErrorCode | 'ok'): void {
    this.#oauth2Requests.inc({ operation, outcome });
  }

  /** Counts a request of a client whose credentials were there to be judged. */
  countOAuth2Client(method: ClientAuthenticationMethod, outcome: OAuth2ErrorCode | 'ok'): void {
    this.#oauth2Clients.inc({ method, outcome });
  }
}
