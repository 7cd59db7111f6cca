import type { Clock } from '../../base/clock.ts';
import type { TlsMaterial } from '../../wire/tls/tls-files.ts';
import type { Pending } from '../../base/pending.ts';
import { Breaker, type BreakerObserver } from '../../base/resilience/breaker.ts';
import type { Limiter, LimitQuestion } from '../../check/limit/limiter.ts';
import type { LimitReading } from '../../model/limit.ts';
import { RateLimitClient, type RateLimitClientSettings } from './rate-limit-client.ts';
import { type FailureReason, ServiceFailure } from './service-failure.ts';

/** Short, so that good calls before an outage do not hide it. */
const WINDOW_MS = 1000;

/** Where the service is, and how it is asked. */
export interface RateLimitServiceSettings extends RateLimitClientSettings {
  /** How long all calls for one request may take together, in milliseconds. */
  readonly deadlineMs: number;
}

/** Notified of questions and of the state of the service. */
export interface RateLimitServiceObserver extends BreakerObserver<ServiceFailure> {
  /** One question ended; `given-up` ones after no time. */
  asked(outcome: 'ok' | 'over-limit' | FailureReason, seconds: number): void;
}

/** What the limiter needs. */
export interface RateLimitServicePorts {
  readonly clock: Clock;
  readonly observer: RateLimitServiceObserver;
}

/**
 * Keeps limits in Envoy's rate limit service, which all replicas share (spec §4.2). Whatever is not a proper answer in
 * time, including an answer about another limit than the one sent, is a {@link ServiceFailure}. A service that fails is
 * left alone for about a second at a time, so that it costs requests no time.
 */
export class RateLimitServiceLimiter implements Limiter, Disposable {
  readonly #settings: RateLimitServiceSettings;
  readonly #ports: RateLimitServicePorts;
  readonly #client: RateLimitClient;
  readonly #breaker: Breaker<ServiceFailure>;

  constructor(settings: RateLimitServiceSettings, ports: RateLimitServicePorts) {
    this.#settings = settings;
    this.#ports = ports;
    const client = new RateLimitClient(settings, ports.clock);
    this.#client = client;
    this.#breaker = new Breaker({
      windowMs: WINDOW_MS,
      timeoutMs: null,
      isFailure: (error) => error instanceof ServiceFailure,
      faultOf: () =>
        new ServiceFailure('given-up', 'the rate limit service does not answer; it is tried again in a moment'),
      observer: ports.observer,
      onRest: (failure) => {
        if (failure?.reason === 'deadline') client.reconnect();
      },
    });
  }

  /** Goes on with these TLS files; no question fails by it. */
  replaceTls(tls: TlsMaterial): void {
    this.#client.replaceTls(tls);
  }

  startDeadline(): number {
    return this.#ports.clock.nowMs() + this.#settings.deadlineMs;
  }

  take(question: LimitQuestion, deadlineAtMs?: number): Pending<readonly LimitReading[]> {
    if (question.limits.length === 0) return [];
    const { clock, observer } = this.#ports;
    const startedMs = clock.elapsedMs();
    const report = (outcome: 'ok' | 'over-limit' | FailureReason): void => {
      observer.asked(outcome, (clock.elapsedMs() - startedMs) / 1000);
    };
    return this.#breaker
      .run(() => this.#client.count(question, deadlineAtMs ?? this.startDeadline()))
      .then(
        (readings) => {
          report(readings.some(({ isExceeded }) => isExceeded) ? 'over-limit' : 'ok');
          return readings;
        },
        (error: unknown) => {
          if (error instanceof ServiceFailure) report(error.reason);
          throw error;
        },
      );
  }

  /** Closes the channel; questions under way fail. */
  [Symbol.dispose](): void {
    this.#breaker[Symbol.dispose]();
    this.#client[Symbol.dispose]();
  }
}
