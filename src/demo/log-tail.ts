/** Enough for the end of a log, and little enough to keep for as long as the demo runs. */
const MAX_CHARACTERS = 64 * 1024;

/** Keeps the end of what a program writes, for the case that something goes wrong. */
export class LogTail {
  readonly title: string;
  #text = '';

  constructor(title: string) {
    this.title = title;
  }

  write(piece: string): void {
    this.#text = (this.#text + piece).slice(-MAX_CHARACTERS);
  }

  /** The last lines. */
  lines(count: number): readonly string[] {
    return this.#text
      .split('\n')
      .filter((line) => line !== '')
      .slice(-count);
  }
}
