import { createSecureContext } from 'node:tls';
import { type ChannelCredentials, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { wallMs } from '../../clock.ts';
import type { ServiceAddress } from '../../config-values.ts';
import { type RateLimitResponse, RateLimitServiceClient } from '../../gen/envoy/service/ratelimit/v3/rls.ts';
import { secureContextOptions } from '../../tls/secure-context.ts';
import type { TlsMaterial } from '../../tls/tls-files.ts';
import type { LimitQuestion } from '../limiter.ts';
import type { LimitReading } from '../../model/limit.ts';
import { createRateLimitRequest, readAnswer, ServiceFailure } from './messages.ts';

const CHANNEL_OPTIONS = {
  // A service that was restarted is found within a second.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.dns_min_time_between_resolutions_ms': 1000,
  'grpc.service_config_disable_resolution': 1,
  // The service closes connections that ping more often than this.
  'grpc.keepalive_time_ms': 300_000,
  'grpc.keepalive_timeout_ms': 2000,
  // A new channel is a new connection.
  'grpc.use_local_subchannel_pool': 1,
};

/** How long the connection with changed TLS files may take before it is used anyhow. */
const CHANGE_OVER_MS = 5000;

/** Asks Envoy's rate limit service over one channel, which connects at once and again whenever it must. */
export class RateLimitClient implements Disposable {
  readonly #address: ServiceAddress;
  readonly #domain: string;
  #tls: TlsMaterial | null;
  #client: RateLimitServiceClient;
  /** With changed TLS files, until it is connected. */
  #next: { readonly client: RateLimitServiceClient; readonly timer: NodeJS.Timeout } | null = null;
  #isClosed = false;

  /** @param domain must be in the service's configuration. @param tls null: plain text. */
  constructor(address: ServiceAddress, domain: string, tls: TlsMaterial | null) {
    this.#address = address;
    this.#domain = domain;
    this.#tls = tls;
    this.#client = connect(address, tls);
  }

  /** Goes on over a new connection: the peer of the present one may have vanished without a word. */
  reconnect(): void {
    if (this.#isClosed) return;
    this.#dropNext();
    this.#client.close();
    this.#client = connect(this.#address, this.#tls);
  }

  /**
   * Goes on over a connection with these TLS files as soon as there is one; until then, but for a few seconds at most,
   * over the present one, whose calls under way come to their end.
   */
  replaceTls(tls: TlsMaterial): void {
    if (this.#isClosed) return;
    this.#dropNext();
    this.#tls = tls;
    const client = connect(this.#address, tls);
    const changeOver = (): void => {
      if (this.#next?.client !== client) return;
      clearTimeout(this.#next.timer);
      this.#next = null;
      this.#client.close();
      this.#client = client;
    };
    const timer = setTimeout(changeOver, CHANGE_OVER_MS);
    timer.unref();
    this.#next = { client, timer };
    client.waitForReady(Infinity, (error) => {
      if (error === undefined) changeOver();
    });
  }

  /**
   * Counts one request in one call, and gives where each limit of the question stands. Rejects with
   * {@link ServiceFailure} for whatever is not a proper answer within `timeoutMs`.
   */
  async count(question: LimitQuestion, timeoutMs: number): Promise<readonly LimitReading[]> {
    const request = createRateLimitRequest(this.#domain, question);
    const answer = await new Promise<RateLimitResponse>((resolve, reject) => {
      this.#client.shouldRateLimit(request, new Metadata(), { deadline: wallMs() + timeoutMs }, (error, message) => {
        if (error === null) resolve(message);
        else reject(failureOf(error));
      });
    });
    return readAnswer(answer, question.limits);
  }

  /** Closes the channel; calls under way fail. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#dropNext();
    this.#client.close();
  }

  #dropNext(): void {
    if (this.#next === null) return;
    clearTimeout(this.#next.timer);
    this.#next.client.close();
    this.#next = null;
  }
}

function connect({ host, port }: ServiceAddress, tls: TlsMaterial | null): RateLimitServiceClient {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
  const client = new RateLimitServiceClient(`dns:${authority}`, credentialsOf(tls), CHANNEL_OPTIONS);
  // The first request should not pay for the connection.
  client.getChannel().getConnectivityState(true);
  return client;
}

function credentialsOf(tls: TlsMaterial | null): ChannelCredentials {
  if (tls === null) return credentials.createInsecure();
  return credentials.createFromSecureContext(createSecureContext(secureContextOptions(tls)));
}

function failureOf(error: ServiceError): ServiceFailure {
  const options = { cause: error };
  if (error.code === status.DEADLINE_EXCEEDED) {
    return new ServiceFailure('deadline', 'the rate limit service did not answer in time', options);
  }
  if (error.code === status.UNAVAILABLE) {
    return new ServiceFailure('unreachable', 'the rate limit service cannot be reached', options);
  }
  return new ServiceFailure('error', `the rate limit service failed (gRPC status ${String(error.code)})`, options);
}
