import type { Clock } from '../../base/clock.ts';
import type { TlsMaterial } from '../../wire/tls/tls-files.ts';
import { Breaker, type BreakerObserver } from '../../base/resilience/breaker.ts';
import type { Limiter, LimitQuestion } from '../../check/limit/limiter.ts';
import type { LimitReading } from '../../model/limit.ts';
import { type QuestionObserver, RateLimitClient, type RateLimitClientSettings } from './rate-limit-client.ts';
import { ServiceFailure } from './service-failure.ts';

/** Short, so that good calls before an outage do not hide it. */
const WINDOW_MS = 1000;

/** Where the service is, and how it is asked. */
export interface RateLimitServiceSettings extends RateLimitClientSettings {
  /** How long all calls for one request may take together, in milliseconds. */
  readonly deadlineMs: number;
}

/** Notified of questions and of the state of the service. */
export interface RateLimitServiceObserver extends QuestionObserver, BreakerObserver<ServiceFailure> {}

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
  readonly #clock: Clock;
  readonly #client: RateLimitClient;
  readonly #breaker: Breaker<ServiceFailure>;

  constructor(settings: RateLimitServiceSettings, ports: RateLimitServicePorts) {
    this.#settings = settings;
    this.#clock = ports.clock;
    const client = new RateLimitClient(settings, ports.clock, ports.observer);
    this.#client = client;
    this.#breaker = new Breaker({
      windowMs: WINDOW_MS,
      timeoutMs: null,
      isFailure: (error) => error instanceof ServiceFailure,
      faultOf: () => {
        ports.observer.asked('given-up', 0);
        return new ServiceFailure('given-up', 'the rate limit service does not answer; it is tried again in a moment');
      },
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
    return this.#clock.nowMs() + this.#settings.deadlineMs;
  }

  take(question: LimitQuestion, deadlineAtMs = this.startDeadline()): Promise<readonly LimitReading[]> {
    if (question.limits.length === 0) return Promise.resolve([]);
    return this.#breaker.run(() => this.#client.count(question, deadlineAtMs));
  }

  /** Closes the channel; questions under way fail. */
  [Symbol.dispose](): void {
    this.#breaker[Symbol.dispose]();
    this.#client[Symbol.dispose]();
  }
}
