/** Work of which only so many run at once, because each holds much; the others wait in the order in which they came. */
export class FewAtOnce {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs the work when it is its turn, and gives what it gives; its failure too. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#most) this.#running += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The place goes to the next one, so that nobody who comes now takes it.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
