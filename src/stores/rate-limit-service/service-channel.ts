import type { Clock } from '../../base/clock.ts';
import type { ServiceAddress } from '../../base/config-values.ts';
import type { TlsMaterial } from '../../wire/tls/tls-files.ts';

/** `ShouldRateLimit` of `envoy/service/ratelimit/v3/rls.proto`, the one method that is called. */
export const METHOD_PATH = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit';

/** The largest answer. It has some fifty bytes for each limit. */
export const MAX_ANSWER_BYTES = 16 * 1024;

/**
 * Calls the rate limit service: over one connection, which is there from the start and made again whenever it must be.
 */
export interface ServiceChannel extends Disposable {
  /**
   * Makes one call, with encoded messages. Rejects with an error whose `code` is a gRPC status, for whatever is not a
   * complete answer by `deadlineAtMs`, on the scale of the clock. `message` must not change until then.
   */
  call(message: Uint8Array, deadlineAtMs: number): Promise<Uint8Array>;
  /** Calls back when there is a connection. */
  onceReady(then: () => void): void;
  /** Takes no more calls; those under way come to their end. */
  close(): void;
}

/** Where a channel leads, and with what. */
export interface ServiceChannelOptions {
  readonly address: ServiceAddress;
  /** Null: plain text. */
  readonly tls: TlsMaterial | null;
  readonly clock: Clock;
}
