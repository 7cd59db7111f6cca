import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Endpoint } from '../model/endpoint.ts';
import type { OAuth2ErrorCode } from '../oauth2/oauth2-refusal.ts';
import type { OAuth2Operation } from '../oauth2/oauth2-service.ts';

/** From a key check in memory to a call of another service that runs into its deadline, in seconds. */
const DURATION_BUCKETS = [
  0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
];

/** The metrics of interfaces §6. No label ever holds what a caller chose. */
export class Metrics {
  readonly registry = new Registry();
  readonly #counts = new Map<string, CheckCount>();
  readonly #duration: Histogram;
  readonly #limiterFailures: Counter;
  readonly #reloads: Counter<'outcome'>;
  readonly #oauth2Requests: Counter<'operation' | 'outcome'>;

  /** @param snapshotAgeSeconds how long ago the current state of the store was known to be right. */
  constructor(snapshotAgeSeconds: () => number) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    const counts = this.#counts;
    new Counter({
      name: 'postern_checks_total',
      help: 'Decided checks by endpoint, authentication method and code (ALLOWED or the refusal code).',
      labelNames: ['endpoint', 'authentication', 'code'],
      registers,
      collect() {
        this.reset();
        for (const { endpoint, authentication, code, count } of counts.values()) {
          this.inc({ endpoint, authentication, code }, count);
        }
      },
    });
    this.#duration = new Histogram({
      name: 'postern_check_duration_seconds',
      help: 'Time from the message of a check to its answer.',
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#limiterFailures = new Counter({
      name: 'postern_limiter_failures_total',
      help: 'Checks whose limits could not be counted.',
      registers,
    });
    this.#reloads = new Counter({
      name: 'postern_store_reloads_total',
      help: 'Reads of the declarative file, or of all endpoints of a database, by outcome.',
      labelNames: ['outcome'],
      registers,
    });
    this.#oauth2Requests = new Counter({
      name: 'postern_oauth2_requests_total',
      help: 'Requests to the OAuth2 endpoints by operation and outcome (ok or the error).',
      labelNames: ['operation', 'outcome'],
      registers,
    });
    new Gauge({
      name: 'postern_snapshot_age_seconds',
      help: 'Seconds since the state that decides checks was known to be that of the store.',
      registers,
      collect() {
        this.set(snapshotAgeSeconds());
      },
    });
  }

  /** Counts one decided check. `endpoint` is null when none was found. */
  countCheck(endpoint: Endpoint | null, code: string, seconds: number): void {
    this.#count(endpoint, code);
    this.#duration.observe(seconds);
  }

  /** Counts a check that was refused without a decision: a message that cannot be read, or a defect of ours. */
  countRefusal(code: string): void {
    this.#count(null, code);
  }

  /** Counts a check that the limiter could not judge, allowed or not. */
  countLimiterFailure(): void {
    this.#limiterFailures.inc();
  }

  /** Counts a read of the declarative file, or of all endpoints of a database. */
  countReload(outcome: 'loaded' | 'refused'): void {
    this.#reloads.inc({ outcome });
  }

  /** Counts a request to an OAuth2 endpoint. */
  countOAuth2Request(operation: OAuth2Operation, outcome: OAuth2ErrorCode | 'ok'): void {
    this.#oauth2Requests.inc({ operation, outcome });
  }

  #count(endpoint: Endpoint | null, code: string): void {
    const id = endpoint?.id ?? '';
    const key = `${id} ${code}`;
    let count = this.#counts.get(key);
    if (count === undefined) {
      count = { endpoint: id, authentication: endpoint?.authentication ?? '', code, count: 0 };
      this.#counts.set(key, count);
    }
    count.count += 1;
  }
}

interface CheckCount {
  readonly endpoint: string;
  readonly authentication: string;
  readonly code: string;
  count: number;
}
