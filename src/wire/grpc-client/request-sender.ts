import { CRUMB_BYTES } from '../http2/flood-guard.ts';
import { INITIAL_WINDOW_BYTES, MAX_FRAME_BYTES, MAX_WINDOW_BYTES } from '../http2/frame.ts';
import { type FrameWriter, MESSAGE_PREFIX_BYTES } from '../http2/frame-writer.ts';
import type { ClientCall } from './client-call.ts';

/**
 * Sends the requests of a connection within the peer's flow-control windows (RFC 9113 §5.2, §6.9). One that fits, as
 * nearly every one does, is written at once; what is held back waits. Looks at calls that cannot go on, and crumbs, are
 * window steps, which the peer pays for.
 */
export class RequestSender {
  readonly #writer: FrameWriter;
  readonly #spendWindowSteps: (steps: number) => boolean;
  readonly #held = new Set<ClientCall>();
  #windowBytes = INITIAL_WINDOW_BYTES;
  /** SETTINGS_INITIAL_WINDOW_SIZE of the peer. */
  #initialWindowBytes = INITIAL_WINDOW_BYTES;

  /** @param spendWindowSteps charges the peer; false: the connection is over. */
  constructor(writer: FrameWriter, spendWindowSteps: (steps: number) => boolean) {
    this.#writer = writer;
    this.#spendWindowSteps = spendWindowSteps;
  }

  /** Begins a request on the stream of the call. */
  begin(call: ClientCall, head: Uint8Array): void {
    const bytes = MESSAGE_PREFIX_BYTES + call.message.length;
    if (bytes <= MAX_FRAME_BYTES && bytes <= this.#windowBytes && bytes <= this.#initialWindowBytes) {
      this.#windowBytes -= bytes;
      call.sendOffsetBytes = -bytes;
      this.#writer.unary(call.id, head, call.message, null);
      return;
    }
    this.#writer.headers(call.id, head, false);
    const prefixed = Buffer.alloc(bytes);
    prefixed.writeUInt32BE(call.message.length, 1);
    prefixed.set(call.message, MESSAGE_PREFIX_BYTES);
    call.unsent = prefixed;
    call.sentBytes = 0;
    call.sendOffsetBytes = 0;
    this.#held.add(call);
    this.#send(call);
  }

  /** The call is over; nothing more is sent for it. */
  drop(call: ClientCall): void {
    if (call.unsent === null) return;
    call.unsent = null;
    this.#held.delete(call);
  }

  /** WINDOW_UPDATE of the connection. @returns false when the window would be too large. */
  widen(incrementBytes: number): boolean {
    this.#windowBytes += incrementBytes;
    if (this.#windowBytes > MAX_WINDOW_BYTES) return false;
    this.#sendHeld();
    return true;
  }

  /** WINDOW_UPDATE of a stream. @returns false when the window would be too large. */
  widenStream(call: ClientCall, incrementBytes: number): boolean {
    call.sendOffsetBytes += incrementBytes;
    if (this.#initialWindowBytes + call.sendOffsetBytes > MAX_WINDOW_BYTES) return false;
    if (call.unsent !== null && this.#send(call) < CRUMB_BYTES && this.#held.has(call)) this.#spendWindowSteps(1);
    return true;
  }

  /**
   * SETTINGS_INITIAL_WINDOW_SIZE moves the windows of all streams (RFC 9113 §6.9.2).
   * @returns false when one would be too large.
   */
  changeInitialWindow(bytes: number): boolean {
    for (const { sendOffsetBytes } of this.#held) if (bytes + sendOffsetBytes > MAX_WINDOW_BYTES) return false;
    this.#initialWindowBytes = bytes;
    return this.#spendWindowSteps(this.#held.size);
  }

  /** Call when all settings of a frame are in force, and acknowledged. */
  settingsChanged(): void {
    this.#sendHeld();
  }

  #sendHeld(): void {
    let steps = 0;
    for (const call of this.#held) {
      if (this.#windowBytes <= 0) break;
      if (this.#send(call) < CRUMB_BYTES && this.#held.has(call)) steps += 1;
    }
    if (steps > 0) this.#spendWindowSteps(steps);
  }

  /** Sends what the windows let through. @returns how many bytes. */
  #send(call: ClientCall): number {
    const { unsent } = call;
    if (unsent === null) return 0;
    let sent = 0;
    for (;;) {
      const windowBytes = Math.min(this.#initialWindowBytes + call.sendOffsetBytes, this.#windowBytes);
      const length = Math.min(unsent.length - call.sentBytes, MAX_FRAME_BYTES, windowBytes);
      if (length <= 0) return sent;
      const end = call.sentBytes + length;
      const isLast = end === unsent.length;
      this.#writer.data(call.id, unsent.subarray(call.sentBytes, end), NOTHING, isLast);
      call.sentBytes = end;
      call.sendOffsetBytes -= length;
      this.#windowBytes -= length;
      sent += length;
      if (isLast) {
        this.drop(call);
        return sent;
      }
    }
  }
}

const NOTHING = new Uint8Array(0);
