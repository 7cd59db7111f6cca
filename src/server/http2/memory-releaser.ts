import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** Below this, giving memory back costs more than leaving it to the garbage collector. */
const MIN_BYTES = 16 * 1024;

/**
 * Gives the memory of buffers back at once. Left to the garbage collector, every read of a large message makes it
 * believe that memory runs short, and looking for more over and over costs it more than all other work on the message.
 *
 * There is no function for this in Node.js 20; a buffer that is transferred to a closed port leaves its owner (HTML
 * §2.7.4, "transfer") and ends with the message that nobody gets.
 */
export class MemoryReleaser {
  readonly #nowhere: MessagePort;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    port1.close();
    port2.close();
    this.#nowhere = port1;
  }

  /** Call with bytes that nothing looks at any more: they are gone, with all views of them. Leaves shared memory alone. */
  release(bytes: Buffer): void {
    const memory = bytes.buffer;
    if (memory.byteLength < MIN_BYTES || memory.byteLength !== bytes.length) return;
    if (memory instanceof ArrayBuffer) this.#nowhere.postMessage(null, [memory]);
  }
}
