import { createSecureContext } from 'node:tls';
import { type ChannelCredentials, Client, credentials, Metadata } from '@grpc/grpc-js';
import { type Clock, wallMs } from '../../base/clock.ts';
import { secureContextOptions } from '../../wire/tls/secure-context.ts';
import type { TlsMaterial } from '../../wire/tls/tls-files.ts';
import { MAX_ANSWER_BYTES, METHOD_PATH, type ServiceChannel, type ServiceChannelOptions } from './service-channel.ts';

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
  'grpc.max_receive_message_length': MAX_ANSWER_BYTES,
};

/** The channel on grpc-js. */
export function openGrpcJsChannel(options: ServiceChannelOptions): ServiceChannel {
  return new GrpcJsChannel(options);
}

class GrpcJsChannel implements ServiceChannel {
  readonly #clock: Clock;
  readonly #client: Client;

  constructor({ address: { host, port }, tls, clock }: ServiceChannelOptions) {
    this.#clock = clock;
    const authority = `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
    this.#client = new Client(`dns:${authority}`, credentialsOf(tls), CHANNEL_OPTIONS);
    // The first request should not pay for the connection.
    this.#client.getChannel().getConnectivityState(true);
  }

  async call(message: Uint8Array, deadlineAtMs: number): Promise<Uint8Array> {
    const deadline = wallMs() + deadlineAtMs - this.#clock.nowMs();
    return await new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        METHOD_PATH,
        asBuffer,
        (bytes: Buffer) => bytes,
        message,
        new Metadata(),
        { deadline },
        (error, answer) => {
          if (error !== null) reject(error);
          else if (answer === undefined) reject(new Error('grpc-js gave neither an answer nor an error'));
          else resolve(answer);
        },
      );
    });
  }

  onceReady(then: () => void): void {
    this.#client.waitForReady(Infinity, (error) => {
      if (error === undefined) then();
    });
  }

  close(): void {
    this.#client.close();
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function credentialsOf(tls: TlsMaterial | null): ChannelCredentials {
  if (tls === null) return credentials.createInsecure();
  return credentials.createFromSecureContext(createSecureContext(secureContextOptions(tls)));
}
