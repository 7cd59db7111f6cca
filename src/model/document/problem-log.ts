import { formatPath, sortProblems, type DocumentPath, type Problem } from './problem.ts';
import { type Position, replaceInvisible } from './source-text.ts';
import type { YamlTree } from './yaml-tree.ts';

/** A value of a document: its file and its path there. */
export interface Place {
  readonly tree: YamlTree;
  readonly path: DocumentPath;
}

/** Something of a document with its place. */
export interface Placed<T> {
  readonly value: T;
  readonly place: Place;
}

/** The place of something inside another. */
export function placeIn(place: Place, ...steps: readonly (string | number)[]): Place {
  return { tree: place.tree, path: [...place.path, ...steps] };
}

/** Whether the mapping at this place has a key of its own: a default that was filled in is not part of the file. */
export function isDeclared({ tree, path }: Place, key: string): boolean {
  let value: unknown = tree.value;
  for (const step of path) value = (value as Readonly<Record<string | number, unknown>>)[step];
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}

/** `line 12`, or `line 12 of other.yaml` when seen from another file; the path in a value that was never a text. */
export function describePlace(place: Place, from: Place): string {
  if (place.tree.isPlain === true) return formatPath(place.path);
  const line = `line ${String(place.tree.locate(place.path, 'value').line)}`;
  return place.tree.file === from.tree.file ? line : `${line} of ${place.tree.file}`;
}

/** The words of a problem; a function where they are costly, which then is called for reported problems only. */
type Message = string | (() => string);

/** At most so many problems of one document set are reported. */
export const MAX_PROBLEMS = 1000;

/** Collects the problems of a set of files. */
export class ProblemLog {
  readonly #trees: readonly YamlTree[];
  readonly #isName: (key: string) => boolean;
  readonly #problems: Problem[] = [];
  /** The line of the first fault of syntax in each file that has one: what follows it is uncertain. */
  readonly #firstSyntaxFault = new Map<YamlTree, number>();
  #count = 0;

  /**
   * Begins with the faults of the files' text. Paths repeat only the keys that `isName` takes: a slip of one character
   * can put a secret where a key belongs (`{appSecret:…}` is one key).
   */
  constructor(trees: readonly YamlTree[], isName: (key: string) => boolean) {
    this.#trees = trees;
    this.#isName = isName;
    for (const tree of trees) {
      const lines = tree.syntaxFaults.map(({ offset }) => tree.positionOf(offset).line);
      if (lines.length > 0)
        this.#firstSyntaxFault.set(
          tree,
          lines.reduce((first, line) => Math.min(first, line)),
        );
      for (const { offset, message } of tree.syntaxFaults) this.#add(tree, tree.positionOf(offset), [], message);
      for (const { offset, path, message } of tree.treeFaults) {
        const position = tree.positionOf(offset);
        if (!this.#isUncertain(tree, position.line)) this.#add(tree, position, path, message);
      }
    }
  }

  /** How many problems were found so far: unchanged over a part of the document that is faultless. */
  get count(): number {
    return this.#count;
  }

  /** Adds a problem with a value, unless a fault of syntax before it makes it doubtful. */
  report(place: Place, message: Message): void {
    this.#report(place, message, 'value');
  }

  /** Adds a problem with a key of a mapping, and points at the key. */
  reportKey(mapping: Place, key: string, message: Message): void {
    this.#report(placeIn(mapping, key), message, 'key');
  }

  /**
   * Adds a problem about something that is missing in the file, or in the whole document. A fault of syntax there may
   * have hidden it, so that the problem is not reported beside one.
   */
  reportMissing(place: Place, message: Message, from: 'file' | 'document' = 'file'): void {
    const mayBeHidden = from === 'file' ? this.#firstSyntaxFault.has(place.tree) : this.#firstSyntaxFault.size > 0;
    if (mayBeHidden) this.#count += 1;
    else this.#report(place, message, 'value');
  }

  /** Adds a problem with the document as a whole, at the top of its first file. */
  reportWhole(message: Message): void {
    const [tree] = this.#trees;
    if (tree === undefined) this.#count += 1;
    else this.reportMissing({ tree, path: [] }, message, 'document');
  }

  /** All problems by file and position, the first {@link MAX_PROBLEMS} that were found. */
  sorted(): readonly Problem[] {
    const files = this.#trees.map((tree) => tree.file);
    return sortProblems(this.#problems, files);
  }

  #report({ tree, path }: Place, message: Message, part: 'key' | 'value'): void {
    const isFull = this.#problems.length >= MAX_PROBLEMS;
    const position = isFull ? null : tree.locate(path, part);
    if (position === null || this.#isUncertain(tree, position.line)) this.#count += 1;
    else this.#add(tree, position, path, typeof message === 'string' ? message : message());
  }

  #isUncertain(tree: YamlTree, line: number): boolean {
    const firstFault = this.#firstSyntaxFault.get(tree);
    return firstFault !== undefined && line >= firstFault;
  }

  #add({ file }: YamlTree, position: Position, path: DocumentPath, message: string): void {
    this.#count += 1;
    if (this.#problems.length >= MAX_PROBLEMS) return;
    const shownPath = formatPath(path, this.#isName);
    this.#problems.push({ file, ...position, path: shownPath, message: replaceInvisible(message) });
  }
}

/**
 * Reports each item but the first of those with the same key: at its place, or at its field `at`. Items whose key is
 * null are passed over. Gives the place of the first item of each key.
 *
 * @param describe the problem of an item, with the place of the first one in words
 */
export function reportRepeated<T extends { readonly place: Place }>(
  items: readonly T[],
  keyOf: (item: T) => string | null,
  at: string | null,
  describe: (item: T, first: string) => string,
  problems: ProblemLog,
): Map<string, Place> {
  const firsts = new Map<string, Place>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const { place } = item;
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, place);
    else problems.report(at === null ? place : placeIn(place, at), () => describe(item, describePlace(first, place)));
  }
  return firsts;
}
