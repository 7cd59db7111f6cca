import { credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import type { ServiceAddress } from '../../config-values.ts';
import {
  type RateLimitRequest,
  type RateLimitResponse,
  RateLimitServiceClient,
} from '../../gen/envoy/service/ratelimit/v3/rls.ts';
import { ServiceFailure } from './service-failure.ts';

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

/** Asks Envoy's rate limit service over one channel, which connects at once and again whenever it must. */
export class RateLimitClient implements Disposable {
  readonly #address: ServiceAddress;
  #client: RateLimitServiceClient;
  #isClosed = false;

  constructor(address: ServiceAddress) {
    this.#address = address;
    this.#client = connect(address);
  }

  /** Goes on over a new connection: the peer of the present one may have vanished without a word. */
  reconnect(): void {
    if (this.#isClosed) return;
    this.#client.close();
    this.#client = connect(this.#address);
  }

  /** Makes one call. Rejects with {@link ServiceFailure} for every gRPC status but OK, at the latest at `deadlineAtMs` since the epoch. */
  async ask(request: RateLimitRequest, deadlineAtMs: number): Promise<RateLimitResponse> {
    return await new Promise((resolve, reject) => {
      this.#client.shouldRateLimit(request, new Metadata(), { deadline: deadlineAtMs }, (error, answer) => {
        if (error === null) resolve(answer);
        else reject(failureOf(error));
      });
    });
  }

  /** Closes the channel; calls under way fail. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#client.close();
  }
}

function connect({ host, port }: ServiceAddress): RateLimitServiceClient {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
  const client = new RateLimitServiceClient(`dns:${authority}`, credentials.createInsecure(), CHANNEL_OPTIONS);
  // The first request should not pay for the connection.
  client.getChannel().getConnectivityState(true);
  return client;
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
