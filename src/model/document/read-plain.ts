import { isPlainName } from './problem.ts';
import { ProblemLog, type Place } from './problem-log.ts';
import type { YamlTree } from './yaml-tree.ts';

/** One fault of a plain value: where, such as `match.paths[0].prefix`, and in words for people, without secrets. */
export interface PlainProblem {
  /** Empty for the value as a whole. */
  readonly path: string;
  readonly message: string;
}

/** A reader of declarative documents, such as `readEndpoint`: null when it reported a problem. */
export type Reader<T> = (raw: unknown, place: Place, problems: ProblemLog) => T | null;

/**
 * Reads a plain value, of a command line or a database, with a reader of declarative documents, so that there is one
 * set of rules. Reports every problem at once; never throws for what the value holds.
 *
 * @param stored what a store has in its place, where it has something: what of it is beyond a bound may stay, or shrink
 */
export function readPlain<T>(
  raw: unknown,
  read: Reader<T>,
  stored?: unknown,
): { readonly value: T } | { readonly problems: readonly PlainProblem[] } {
  const tree: YamlTree = stored === undefined ? plainTree : { ...plainTree, stored };
  const log = new ProblemLog([tree], isPlainName);
  const value = read(raw, { tree, path: [] }, log);
  if (log.count > 0) return { problems: log.sorted().map(({ path, message }) => ({ path, message })) };
  if (value === null) throw new Error('a reader gave nothing and reported no problem');
  return { value };
}

const position = { line: 1, column: 1 };

/** A value without a text: it has paths, but no lines. */
const plainTree: YamlTree = {
  file: '',
  isPlain: true,
  value: null,
  syntaxFaults: [],
  treeFaults: [],
  positionOf: () => position,
  locate: () => position,
};
