import type { Socket } from 'node:net';
import type { Server } from 'node:tls';
import { socketBelow } from './tls-listener.ts';

/**
 * Knows which TLS connections were begun before an authority was removed: a connection is judged by the authorities of
 * the moment at which it was accepted, however long its handshake takes.
 */
export class HandshakeEpochs {
  readonly #acceptedIn = new WeakMap<Socket, number>();
  #epoch = 0;

  /** To be called before the server listens. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#acceptedIn.set(socket, this.#epoch);
    });
  }

  /** An authority was removed just now. */
  begin(): void {
    this.#epoch += 1;
  }

  /** Whether authorities judged it of which one was removed since. */
  isFormer(socket: Socket): boolean {
    const epoch = this.#acceptedIn.get(socketBelow(socket));
    return epoch !== undefined && epoch < this.#epoch;
  }
}
