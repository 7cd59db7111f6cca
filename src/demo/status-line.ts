import type { DemoOutput } from './demo-output.ts';

const CLEAR_LINE = '\r\u001b[K';

/** Tells what is being done: a line that changes on a terminal, else a line for each step that is news. */
export class StatusLine {
  readonly #output: DemoOutput;
  #step = '';
  #isShown = false;

  constructor(output: DemoOutput) {
    this.#output = output;
  }

  /** `progress` is what changes within a step. */
  show(step: string, progress = ''): void {
    if (this.#output.isTerminal) {
      this.#output.write(`${CLEAR_LINE}${step}${progress === '' ? ' …' : `  ${progress}`}`);
      this.#isShown = true;
    } else if (step !== this.#step) {
      this.#output.write(`${step} …\n`);
    }
    this.#step = step;
  }

  /** Leaves no trace on a terminal. */
  clear(): void {
    if (this.#isShown) this.#output.write(CLEAR_LINE);
    this.#isShown = false;
  }
}
