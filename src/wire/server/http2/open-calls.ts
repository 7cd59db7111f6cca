import { LinkedList } from '../../../base/linked-list.ts';
import type { CallOwner, OpenCall, Stream } from './stream.ts';

/** How many calls and watches a server and a connection may have open. */
export interface OpenCallLimits {
  /** Calls of all connections that outlived the input which opened them. */
  readonly maxOpenCalls: number;
  /** Calls of streaming methods (Health/Watch): of all connections, and of one. */
  readonly maxWatches: number;
  readonly maxConnectionWatches: number;
}

/** How many running calls are looked at for one that can make room. */
const MAX_SKIPPED = 64;

/**
 * The open calls of all connections of a server. When there are too many, the one that has waited for its peer for
 * longest makes room: its message has not come whole, or its answer is not taken. Calls that a method works on stay. So
 * peers that begin calls and do not go on crowd out each other, and not those whose calls come whole.
 */
export class OpenCalls {
  readonly #limits: OpenCallLimits;
  /** In the order in which they were opened, but that those go behind which were found running. */
  readonly #calls = new LinkedList<OpenCall>();
  #watches = 0;
  #refusedCalls = 0;
  #refusedWatches = 0;

  constructor(limits: OpenCallLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#calls.size;
  }

  get watches(): number {
    return this.#watches;
  }

  /** Calls that found no room, or had to make it, since the start. */
  get refusedCalls(): number {
    return this.#refusedCalls;
  }

  get refusedWatches(): number {
    return this.#refusedWatches;
  }

  /** Whether one more call may be opened; makes room for it when there is none. */
  admits(): boolean {
    if (this.#calls.size < this.#limits.maxOpenCalls || this.#makeRoom()) return true;
    this.#refusedCalls += 1;
    return false;
  }

  /** Counts a call that outlived the input which opened it. */
  add(stream: Stream, owner: CallOwner): void {
    stream.held = this.#calls.append({ stream, owner });
    if (this.#calls.size > this.#limits.maxOpenCalls) this.#makeRoom();
  }

  /** Counts the call as a watch from now on, if it may be one. @param ofConnection how many its connection has. */
  tryWatch(stream: Stream, ofConnection: number): boolean {
    if (ofConnection >= this.#limits.maxConnectionWatches || this.#watches >= this.#limits.maxWatches) {
      this.#refusedWatches += 1;
      return false;
    }
    this.remove(stream);
    stream.held = 'watch';
    this.#watches += 1;
    return true;
  }

  /** The call is over, for the peer and for the method. */
  remove(stream: Stream): void {
    if (stream.held === 'watch') this.#watches -= 1;
    else if (stream.held !== 'no') this.#calls.remove(stream.held);
    stream.held = 'no';
  }

  #makeRoom(): boolean {
    for (let skipped = 0; skipped < Math.min(MAX_SKIPPED, this.#calls.size); skipped += 1) {
      const { first } = this.#calls;
      if (first === null) return false;
      const { stream, owner } = first.value;
      if (!stream.running) {
        this.#refusedCalls += 1;
        owner.giveUp(stream);
        return true;
      }
      this.#calls.moveToEnd(first);
    }
    return false;
  }
}
