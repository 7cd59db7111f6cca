/** A parser under attack. */
export interface FuzzTarget {
  /** Also the folder of its seeds. */
  readonly name: string;
  /** Words of its language, which mutations put in. */
  readonly words: readonly string[];
  /** Throws when the parser breaks a promise; otherwise says in a word what became of the input. */
  run(input: Buffer): string | Promise<string>;
  /** Ends what runs have left open. */
  stop?(): Promise<void>;
}
