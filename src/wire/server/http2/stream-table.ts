import { StreamIndex } from '../../http2/stream-index.ts';
import type { Stream } from './stream.ts';

/**
 * Of how many streams, at most, the end is remembered, so that what a peer sent before it knew is not taken for a
 * breach.
 */
export const REMEMBERED = 2048;

/** How a stream that is not open ended: it never began, we reset it so that more of it may come, or it is over. */
export type StreamFate = 'unused' | 'reset' | 'closed';

/** The streams of a connection: the open ones, and for a while how the others ended. */
export class StreamTable {
  /** All open streams but {@link #latest}. */
  readonly #open = new StreamIndex<Stream>();
  /**
   * The stream opened last, while it is open: most calls are over before the next one comes, and never enter the index.
   */
  #latest: Stream | null = null;
  /**
   * How streams ended, each where its identifier says, until a later one ends there; `id + 1` when we reset it
   * (identifiers are odd).
   */
  readonly #closed = new Uint32Array(REMEMBERED);
  /** Calls whose stream is closed while a method still works on them. */
  #abandoned = 0;
  #running = 0;
  #lastId = 0;

  /** Calls that a method works on, closed ones included. */
  get running(): number {
    return this.#running;
  }

  /** The highest identifier that the peer has used. */
  get lastId(): number {
    return this.#lastId;
  }

  get size(): number {
    return this.#open.size + (this.#latest === null ? 0 : 1);
  }

  /** Open calls, those included that only a method still knows of: a reset does not buy room for another call. */
  get load(): number {
    return this.size + this.#abandoned;
  }

  get(id: number): Stream | undefined {
    return this.#latest?.id === id ? this.#latest : this.#open.get(id);
  }

  /** In any order; none may be opened or closed meanwhile. */
  all(): Iterable<Stream> {
    this.#enterLatest();
    return this.#open;
  }

  /** As they are now, the one opened first first. */
  inOrder(): readonly Stream[] {
    this.#enterLatest();
    return this.#open.inOrder();
  }

  /** Notes an identifier as used, whether or not a stream is opened for it. */
  use(id: number): void {
    this.#lastId = id;
  }

  open(stream: Stream): void {
    this.#enterLatest();
    this.#latest = stream;
  }

  /** @param reset whether we cut it, so that frames of it may still be on their way. */
  close(stream: Stream, reset: boolean): void {
    if (this.#latest === stream) this.#latest = null;
    else this.#open.delete(stream);
    stream.closed = true;
    if (stream.running) this.#abandoned++;
    this.remember(stream.id, reset);
  }

  remember(id: number, reset: boolean): void {
    this.#closed[placeOf(id)] = id + (reset ? 1 : 0);
  }

  /** A method works on it. */
  started(stream: Stream): void {
    stream.running = true;
    this.#running++;
  }

  /** A method has given its answer. */
  finished(stream: Stream): void {
    stream.running = false;
    this.#running--;
    if (stream.closed) this.#abandoned--;
  }

  #enterLatest(): void {
    if (this.#latest !== null) this.#open.add(this.#latest);
    this.#latest = null;
  }

  /** Of an identifier that is not open. `unused`: never opened, or closed too long ago to be remembered. */
  fate(id: number): StreamFate {
    const closed = this.#closed[placeOf(id)];
    if (closed === id + 1) return 'reset';
    return closed === id ? 'closed' : 'unused';
  }
}

function placeOf(id: number): number {
  return ((id - 1) / 2) % REMEMBERED;
}
