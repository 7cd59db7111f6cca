import type { Socket } from 'node:net';
import {
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServerOptions,
} from '@grpc/grpc-js';
import type { Clock } from '../../../base/clock.ts';
import type { ServedConnection } from '../grpc-listener.ts';
import type { GrpcJsCalls } from './calls.ts';

/** The listener has already decrypted TLS. */
const credentials = ServerCredentials.createInsecure();

/**
 * One connection, spoken by a server of grpc-js that has no other: `createConnectionInjector` takes the socket,
 * `tryShutdown` sends GOAWAY, and an interceptor sees its calls. So nothing of the library's inside is needed to count,
 * watch and end connections one by one.
 */
export class GrpcJsConnection implements ServedConnection {
  servedAtMs: number | null = null;
  /** Open streams of watchers. */
  watches = 0;
  readonly #clock: Clock;
  readonly #server: Server;
  #openCalls = 0;
  #workedOn = 0;

  /** @param calls registers what the connection's calls are answered with. */
  constructor(socket: Socket, options: ServerOptions, calls: GrpcJsCalls, clock: Clock) {
    this.#clock = clock;
    this.#server = new Server({ ...options, interceptors: [this.#follow] });
    calls.register(this.#server, this);
    this.#server.createConnectionInjector(credentials).injectConnection(socket);
  }

  get isWorking(): boolean {
    return this.#workedOn > 0;
  }

  get openCalls(): number {
    return this.#openCalls;
  }

  /** GOAWAY refuses what is on its way; Envoy sends that again (`retry_on: refused-stream`). */
  drain(): void {
    this.#server.tryShutdown(() => undefined);
  }

  finishDrain(): void {
    // There is nothing between GOAWAY and the end.
  }

  /** Counts a call from its header fields on: as open to its end, as worked on from its whole message to its answer. */
  readonly #follow: ServerInterceptor = ({ responseStream }, call) => {
    let state: 'open' | 'whole' | 'answered' = 'open';
    const answered = (): void => {
      if (state !== 'whole') return;
      state = 'answered';
      if (!responseStream) this.#workedOn -= 1;
      this.servedAtMs = this.#clock.nowMs();
    };
    return new ServerInterceptingCall(call, {
      start: (next) => {
        next({
          // Not before: of a call that was reset before it began, grpc-js gives no end.
          onReceiveMetadata: (metadata, pass) => {
            this.#openCalls += 1;
            pass(metadata);
          },
          onReceiveHalfClose: (pass) => {
            state = 'whole';
            if (!responseStream) this.#workedOn += 1;
            pass();
          },
          onCancel: () => {
            this.#openCalls -= 1;
            answered();
          },
        });
      },
      sendStatus: (status, next) => {
        answered();
        next(status);
      },
    });
  };
}
