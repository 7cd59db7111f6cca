import { isPlainName } from './problem.ts';
import { ProblemLog, type Place } from './problem-log.ts';
import type { YamlTree } from './yaml-tree.ts';

/** One fault of a plain value: where, such as `match.paths[0].prefix`, and in words for people, without secrets. */
export interface PlainProblem {
  /** Empty for the value as a whole. */
  readonly path: string;
  readonly message: string;
}

/** What a plain value says, or everything that is wrong with it. */
export type ReadPlain<T> = { readonly value: T } | { readonly problems: readonly PlainProblem[] };

/** A reader of declarative documents, such as `readEndpoint`: null when it reported a problem. */
export type Reader<T> = (raw: unknown, place: Place, problems: ProblemLog) => T | null;

/**
 * Reads a plain value, of a command line or a database, with a reader of declarative documents, so that there is one set
 * of rules. Every problem is told at once; never throws for what the value holds.
 */
export function readPlain<T>(raw: unknown, read: Reader<T>): ReadPlain<T> {
  const tree = plainTree(raw);
  const log = new ProblemLog([tree], isPlainName);
  const value = read(raw, { tree, path: [] }, log);
  if (log.count > 0) return { problems: log.sorted().map(({ path, message }) => ({ path, message })) };
  if (value === null) throw new Error('a reader gave nothing and reported no problem');
  return { value };
}

/** A value without a text: it has paths, but no lines. */
function plainTree(value: unknown): YamlTree {
  const position = { line: 1, column: 1 };
  return {
    file: '',
    isPlain: true,
    value,
    syntaxFaults: [],
    treeFaults: [],
    positionOf: () => position,
    locate: () => position,
  };
}
