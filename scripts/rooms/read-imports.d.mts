/** How a file imports another. */
interface Manner {
  /** Only types: nothing of it is left when the file runs. */
  readonly isType: boolean;
  /** By `import()`, which loads when it is called. */
  readonly isLazy: boolean;
}

/** The files of a folder of sources, from there. What is generated is left out. */
export function listSources(folder: string): string[];

/** What the files of a folder import of each other, each statement and `import()`. */
export function readImports(
  folder: string,
  files?: readonly string[],
): ({ readonly from: string; readonly to: string } & Manner)[];

/** What a file imports, packages too. */
export function importsOf(name: string, text: string): ({ readonly specifier: string } & Manner)[];
