import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** How much is read at once. */
const READ_BYTES = 64 * 1024;

/**
 * Gets what a socket receives, and nothing of what other sockets received. The memory is the next read's when it
 * returns: what is kept must be copied. `isFollowed` says that the read filled the memory: then another probably
 * follows in the same turn of the event loop, which can find more, nothing, or the end.
 */
export type TakeInput = (input: Buffer, isFollowed: boolean) => void;

/**
 * The memory that all sockets but those with TLS are read into, one after the other. Module state: with memory of its
 * own for every read, a small call takes a tenth more CPU time (docs/performance.md).
 */
const memory = Buffer.allocUnsafeSlow(READ_BYTES);

/** A socket's handle: it reads into memory of its own for every read unless it is given some. */
interface Handle {
  useUserBuffer(bytes: Buffer): void;
}

/** Where Node.js keeps what the option `onread` of a socket says. */
interface OnReadKeys {
  readonly buffer: symbol;
  readonly callback: symbol;
}

/**
 * Reads a socket until it ends, into that memory. Node.js has this as the option `onread` for sockets that a program
 * makes, and no name for it on those that a server accepts; where it cannot be had, `data` events bring the same. So
 * they do over TLS, where records that were decrypted together must wait, and the end behind them, when the first one
 * pauses the socket.
 */
export function readSocket(socket: Socket, take: TakeInput): void {
  socket.on('data', (input: Buffer) => {
    take(input, false);
  });
  const handle: unknown = Reflect.get(socket, '_handle');
  if (onReadKeys === null || socket instanceof TLSSocket || !isHandle(handle)) return;
  Reflect.set(socket, onReadKeys.buffer, memory);
  Reflect.set(socket, onReadKeys.callback, (length: number) => {
    // A view that ends with the input: behind it is what another socket received.
    take(memory.subarray(0, length), length === memory.length);
  });
  handle.useUserBuffer(memory);
}

/** Found on a socket that was made with the option: no name of Node's own is relied on. */
const onReadKeys = findOnReadKeys();

function findOnReadKeys(): OnReadKeys | null {
  const callback = (): boolean => true;
  const made = new Socket({ onread: { buffer: memory, callback } });
  const keyOf = (value: unknown): symbol | undefined =>
    Object.getOwnPropertySymbols(made).find((key) => Reflect.get(made, key) === value);
  const keys = { buffer: keyOf(memory), callback: keyOf(callback) };
  return keys.buffer === undefined || keys.callback === undefined
    ? null
    : { buffer: keys.buffer, callback: keys.callback };
}

function isHandle(value: unknown): value is Handle {
  return typeof value === 'object' && value !== null && 'useUserBuffer' in value;
}
