import type { Import } from './judge-rooms.mjs';

/** The files of a folder of sources, from there. What is generated is left out. */
export function listSources(folder: string): string[];

/** What the files import of each other, `import()` included. */
export function readImports(folder: string, files?: readonly string[]): Import[];
