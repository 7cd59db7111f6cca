import type { Socket } from 'node:net';
import type { Server } from 'node:tls';

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
    // The connection below it: Node keeps it there and has no public name for it.
    const below: unknown = Reflect.get(socket, '_parent');
    const epoch = this.#acceptedIn.get(below as Socket);
    return epoch !== undefined && epoch < this.#epoch;
  }
}
