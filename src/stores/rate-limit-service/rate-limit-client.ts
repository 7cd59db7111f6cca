import { type Clock, startSystemTimer } from '../../base/clock.ts';
import type { GrpcTransport } from '../../wire/grpc-transport.ts';
import type { ServiceAddress } from '../../base/config-values.ts';
import type { LimitReading } from '../../model/limit.ts';
import type { TlsMaterial } from '../../wire/tls/tls-files.ts';
import type { LimitQuestion } from '../../check/limit/limiter.ts';
import { openGrpcJsChannel } from './grpc-js-channel.ts';
import { encodeQuestion, readAnswer } from './messages.ts';
import { openNativeChannel } from './native-channel.ts';
import type { ServiceChannel, ServiceChannelOptions } from './service-channel.ts';
import { type QuestionOutcome, ServiceFailure } from './service-failure.ts';

/** How long the connection with changed TLS files may take before it is used anyhow. */
const CHANGE_OVER_MS = 5000;

const openChannel: Readonly<Record<GrpcTransport, (options: ServiceChannelOptions) => ServiceChannel>> = {
  native: openNativeChannel,
  'grpc-js': openGrpcJsChannel,
};

/** Where the service is, and how it is spoken to. */
export interface RateLimitClientSettings {
  readonly address: ServiceAddress;
  /** Must be in the service's configuration. */
  readonly domain: string;
  /** Whom to trust and what to show; null or none: plain text. */
  readonly tls?: TlsMaterial | null;
  readonly transport: GrpcTransport;
}

/** Notified of questions. */
export interface QuestionObserver {
  /** One question ended; `given-up` ones after no time. */
  asked(outcome: QuestionOutcome, seconds: number): void;
}

/** Asks Envoy's rate limit service over one channel. */
export class RateLimitClient implements Disposable {
  readonly #settings: RateLimitClientSettings;
  readonly #clock: Clock;
  readonly #observer: QuestionObserver | null;
  #tls: TlsMaterial | null;
  #channel: ServiceChannel;
  /** With changed TLS files, until it is connected. */
  #next: { readonly channel: ServiceChannel; readonly stopTimer: () => void } | null = null;
  #isClosed = false;

  constructor(settings: RateLimitClientSettings, clock: Clock, observer: QuestionObserver | null = null) {
    this.#settings = settings;
    this.#clock = clock;
    this.#observer = observer;
    this.#tls = settings.tls ?? null;
    this.#channel = this.#open();
  }

  /** Goes on over a new connection: the peer of the present one may have vanished without a word. */
  reconnect(): void {
    if (this.#isClosed) return;
    this.#dropNext();
    this.#channel.close();
    this.#channel = this.#open();
  }

  /**
   * Goes on over a connection with these TLS files as soon as there is one; until then, but for a few seconds at most,
   * over the present one, whose calls under way come to their end.
   */
  replaceTls(tls: TlsMaterial): void {
    if (this.#isClosed) return;
    this.#dropNext();
    this.#tls = tls;
    const channel = this.#open();
    const changeOver = (): void => {
      if (this.#next?.channel !== channel) return;
      this.#next.stopTimer();
      this.#next = null;
      this.#channel.close();
      this.#channel = channel;
    };
    this.#next = { channel, stopTimer: startSystemTimer(CHANGE_OVER_MS, changeOver) };
    channel.onceReady(changeOver);
  }

  /**
   * Counts one request in one call, and gives where each limit of the question stands. Rejects with
   * {@link ServiceFailure} for whatever is not a proper answer by `deadlineAtMs`, on the scale of the clock.
   */
  count(question: LimitQuestion, deadlineAtMs: number): Promise<readonly LimitReading[]> {
    const startedMs = this.#clock.elapsedMs();
    const fail = (failure: ServiceFailure): never => {
      this.#report(failure.reason, startedMs);
      throw failure;
    };
    if (deadlineAtMs <= this.#clock.nowMs()) return Promise.reject(late()).catch(fail);
    const nowSeconds = this.#clock.nowSeconds();
    const message = encodeQuestion(this.#settings.domain, question, nowSeconds);
    return this.#channel.call(message, deadlineAtMs).then(
      (answer) => {
        let readings: readonly LimitReading[];
        try {
          readings = readAnswer(answer, question.limits, nowSeconds);
        } catch (error) {
          if (error instanceof ServiceFailure) fail(error);
          throw error;
        }
        this.#report(readings.some(isExceeded) ? 'over-limit' : 'ok', startedMs);
        return readings;
      },
      (error: unknown) => fail(failureOf(error)),
    );
  }

  /** Closes the channel; calls under way fail. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#dropNext();
    this.#channel[Symbol.dispose]();
  }

  #report(outcome: QuestionOutcome, startedMs: number): void {
    this.#observer?.asked(outcome, (this.#clock.elapsedMs() - startedMs) / 1000);
  }

  #open(): ServiceChannel {
    const { address, transport } = this.#settings;
    return openChannel[transport]({ address, tls: this.#tls, clock: this.#clock });
  }

  #dropNext(): void {
    if (this.#next === null) return;
    this.#next.stopTimer();
    this.#next.channel[Symbol.dispose]();
    this.#next = null;
  }
}

const DEADLINE_EXCEEDED = 4;
const UNAVAILABLE = 14;

function isExceeded(reading: LimitReading): boolean {
  return reading.isExceeded;
}

function failureOf(error: unknown): ServiceFailure {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const options = { cause: error };
  if (code === DEADLINE_EXCEEDED) return late(options);
  if (code === UNAVAILABLE) {
    return new ServiceFailure('unreachable', 'the rate limit service cannot be reached', options);
  }
  return new ServiceFailure('error', `the rate limit service failed (gRPC status ${String(code)})`, options);
}

function late(options?: ErrorOptions): ServiceFailure {
  return new ServiceFailure('deadline', 'the rate limit service did not answer in time', options);
}
