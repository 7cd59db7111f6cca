import type { ClientPackage } from './packages.mjs';

/** How a program ended. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  /** The end of both streams. */
  readonly output: string;
}

/** What a release needs of the machine that it is made on. */
export interface Machine {
  /** Where a program is; null where it is missing. */
  findTool(name: string): string | null;
  run(
    program: string,
    args: readonly string[],
    options: {
      readonly cwd: string;
      readonly isElsewhere?: boolean;
      readonly env?: Readonly<Record<string, string>>;
    },
  ): Promise<Ran>;
}

/** What came of a package. */
export interface Outcome {
  readonly client: string;
  readonly files: readonly string[];
  /** What is published of these, with the SHA-256 of the first build. */
  readonly packages?: readonly { readonly file: string; readonly sum: string }[];
  /** Sentences; none when it is ready. */
  readonly problems: readonly string[];
}

/** Builds a package in both trees, judges it, and copies what it makes to `out`. */
export declare function releasePackage(
  item: ClientPackage,
  options: {
    readonly version: string;
    readonly trees: readonly [string, string];
    readonly out: string;
    readonly machine: Machine;
  },
): Promise<Outcome>;

/** Writes SHA256SUMS over files of `out`. */
export declare function writeSums(out: string, files: readonly string[]): void;

/** Empties the folder that packages are written to. */
export declare function emptyFolder(out: string): void;

/** The outcome of a package as text for people. */
export declare function formatPackage(outcome: Outcome): string;
