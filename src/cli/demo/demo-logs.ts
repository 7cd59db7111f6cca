/** Enough for the end of a log, and little enough to keep for as long as the demo runs. */
const MAX_CHARACTERS = 64 * 1024;

/** The ends of the logs of all programs, to be shown when something goes wrong. */
export class DemoLogs {
  readonly #texts = new Map<string, string>();

  write(title: string, piece: string): void {
    this.#texts.set(title, ((this.#texts.get(title) ?? '') + piece).slice(-MAX_CHARACTERS));
  }

  /** The last lines of each log, by the title of the program. */
  ends(count: number): ReadonlyMap<string, readonly string[]> {
    const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
    return new Map([...this.#texts].map(([title, text]) => [title, lines(text).slice(-count)]));
  }
}
