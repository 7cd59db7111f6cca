import type { Stream } from './stream.ts';

/** How many closed streams are remembered, so that what a peer sent before it knew is not taken for a breach. */
const REMEMBERED = 1024;

export type StreamFate = 'unused' | 'reset' | 'closed';

/** The streams of a connection: the open ones, and for a while how the others ended. */
export class StreamTable {
  readonly #open = new Map<number, Stream>();
  /** `id * 2 + 1` when we reset it, `id * 2` else; a ring. */
  readonly #closed = new Float64Array(REMEMBERED);
  #next = 0;
  /** Calls whose stream is closed while a method still works on them. */
  #abandoned = 0;
  #lastId = 0;

  /** The highest identifier that the peer has used. */
  get lastId(): number {
    return this.#lastId;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Open calls, those included that only a method still knows of: a reset does not buy room for another call. */
  get load(): number {
    return this.#open.size + this.#abandoned;
  }

  get(id: number): Stream | undefined {
    return this.#open.get(id);
  }

  all(): Iterable<Stream> {
    return this.#open.values();
  }

  /** Notes an identifier as used, whether or not a stream is opened for it. */
  use(id: number): void {
    this.#lastId = id;
  }

  open(stream: Stream): void {
    this.#open.set(stream.id, stream);
  }

  /** @param reset whether we cut it, so that frames of it may still be on their way. */
  close(stream: Stream, reset: boolean): void {
    this.#open.delete(stream.id);
    stream.closed = true;
    if (stream.running) this.#abandoned++;
    this.remember(stream.id, reset);
  }

  remember(id: number, reset: boolean): void {
    this.#closed[this.#next] = id * 2 + (reset ? 1 : 0);
    this.#next = (this.#next + 1) % REMEMBERED;
  }

  /** A method has given its answer. */
  finished(stream: Stream): void {
    stream.running = false;
    if (stream.closed) this.#abandoned--;
  }

  /** Of an identifier that is not open. `unused`: never opened, or closed too long ago to be remembered. */
  fate(id: number): StreamFate {
    if (this.#closed.includes(id * 2 + 1)) return 'reset';
    return this.#closed.includes(id * 2) ? 'closed' : 'unused';
  }
}
