import type { TimedCall } from '../http2/deadlines.ts';
import type { IndexedStream } from '../http2/stream-index.ts';
import type { Place } from '../../base/linked-list.ts';
import type { CallFailure } from './call-failure.ts';

/** The connection of a call, as far as its owner needs it. */
export interface CallCarrier {
  /** Gives the call up: resets its stream, and fails it. */
  cancel(call: ClientCall, failure: CallFailure): void;
}

/** One unary call, from the wish to its end. A record: the channel, a connection and its parts change it. */
export class ClientCall implements IndexedStream<ClientCall>, TimedCall<ClientCall> {
  readonly message: Uint8Array;
  readonly deadlineAtMs: number;
  /** The stream, while it is open on a connection; 0 before. */
  id = 0;
  nextInSlot: ClientCall | null = null;
  /** Where it is under way. */
  connection: CallCarrier | null = null;
  deadline: Place<ClientCall> | null = null;
  /** It was sent once to a peer that did not work on it. */
  retried = false;
  over = false;
  /** The answer's head has come. */
  headSeen = false;
  /** What has come of the answer's message and its prefix. */
  parts: Buffer[] = [];
  receivedBytes = 0;
  /** What the peer may still send, padding included. */
  receiveWindowBytes = 0;
  /** The request's message and its prefix, as long as the windows hold a part of it back. */
  unsent: Buffer | null = null;
  sentBytes = 0;
  /** The peer's window for this stream, relative to the one that it gives every stream at first. */
  sendOffsetBytes = 0;
  readonly #resolve: (answer: Buffer) => void;
  readonly #reject: (failure: CallFailure) => void;
  readonly #ended: (call: ClientCall) => void;

  /** @param ended is called once, just before the outcome is passed on. */
  constructor(init: {
    readonly message: Uint8Array;
    readonly deadlineAtMs: number;
    readonly resolve: (answer: Buffer) => void;
    readonly reject: (failure: CallFailure) => void;
    readonly ended: (call: ClientCall) => void;
  }) {
    this.message = init.message;
    this.deadlineAtMs = init.deadlineAtMs;
    this.#resolve = init.resolve;
    this.#reject = init.reject;
    this.#ended = init.ended;
  }

  succeed(answer: Buffer): void {
    if (this.#end()) this.#resolve(answer);
  }

  fail(failure: CallFailure): void {
    if (this.#end()) this.#reject(failure);
  }

  #end(): boolean {
    if (this.over) return false;
    this.over = true;
    this.#ended(this);
    return true;
  }
}
