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
  // A peer that vanished without a word is found out while requests are made.
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 2000,
};

/** Asks Envoy's rate limit service over one channel, which connects at once and again whenever it must. */
export class RateLimitClient implements Disposable {
  readonly #client: RateLimitServiceClient;

  constructor({ host, port }: ServiceAddress) {
    const authority = `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
    this.#client = new RateLimitServiceClient(`dns:${authority}`, credentials.createInsecure(), CHANNEL_OPTIONS);
    // The first request should not pay for the connection.
    this.#client.getChannel().getConnectivityState(true);
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
    this.#client.close();
  }
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
