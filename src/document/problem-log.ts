import { formatPath, sortProblems, type DocumentPath, type Problem } from './problem.ts';
import { replaceInvisible } from './source-text.ts';
import type { YamlTree } from './yaml-tree.ts';

/** A value of a document: in which file it stands and on which path. */
export interface Place {
  readonly tree: YamlTree;
  readonly path: DocumentPath;
}

/** The place of something inside another. */
export function placeIn(place: Place, ...steps: readonly (string | number)[]): Place {
  return { tree: place.tree, path: [...place.path, ...steps] };
}

/** Whether the mapping at this place has a key of its own: a default that was filled in is not what the file says. */
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

/** How a problem is told. */
export interface ReportOptions {
  /** Points at the key instead of the value. */
  readonly part?: 'key' | 'value';
  /**
   * Where the thing is missing that the problem is about. A fault of syntax there may have hidden it, so that the problem
   * is not told beside one.
   */
  readonly absentFrom?: 'file' | 'document';
}

/** More problems of one document set than anybody reads are not told. */
export const MAX_PROBLEMS = 1000;

/** Collects the problems of a set of files. */
export class ProblemLog {
  readonly #trees: readonly YamlTree[];
  readonly #isName: (key: string) => boolean;
  readonly #problems: Problem[] = [];
  readonly #firstSyntaxFault = new Map<YamlTree, number>();
  #count = 0;

  /**
   * Begins with the faults of the files' text. Paths repeat only the keys that `isName` takes: a slip of one character can
   * put a secret where a key belongs (`{appSecret:…}` is one key).
   */
  constructor(trees: readonly YamlTree[], isName: (key: string) => boolean) {
    this.#trees = trees;
    this.#isName = isName;
    for (const tree of trees) {
      for (const fault of tree.syntaxFaults) {
        const known = this.#firstSyntaxFault.get(tree);
        const { line } = tree.positionOf(fault.offset);
        this.#firstSyntaxFault.set(tree, Math.min(line, known ?? line));
        this.#add({ file: tree.file, ...tree.positionOf(fault.offset), path: '', message: fault.message });
      }
      for (const { offset, path, message } of tree.treeFaults) {
        if (!this.#isUncertain(tree, tree.positionOf(offset).line)) {
          this.#add({ file: tree.file, ...tree.positionOf(offset), path: this.#format(path), message });
        }
      }
    }
  }

  /** How many problems were reported so far: unchanged over a part of the document that is faultless. */
  get count(): number {
    return this.#count;
  }

  /**
   * Adds a problem, unless a fault of syntax before it makes it doubtful. A message that is costly to word is a function,
   * so that a file of nothing but problems costs no more than {@link MAX_PROBLEMS} of them.
   */
  report(place: Place, message: string | (() => string), options: ReportOptions = {}): void {
    if (this.#problems.length >= MAX_PROBLEMS) {
      this.#count += 1;
      return;
    }
    const position = place.tree.locate(place.path, options.part ?? 'value');
    if (this.#mayBeHidden(place.tree, options.absentFrom) || this.#isUncertain(place.tree, position.line)) {
      this.#count += 1;
      return;
    }
    const text = typeof message === 'string' ? message : message();
    this.#add({ file: place.tree.file, ...position, path: this.#format(place.path), message: text });
  }

  /** All problems by file and position, the first {@link MAX_PROBLEMS} that were found. */
  sorted(): readonly Problem[] {
    const files = this.#trees.map((tree) => tree.file);
    return sortProblems(this.#problems, files);
  }

  #mayBeHidden(tree: YamlTree, absentFrom: ReportOptions['absentFrom']): boolean {
    if (absentFrom === undefined) return false;
    return absentFrom === 'file' ? this.#firstSyntaxFault.has(tree) : this.#firstSyntaxFault.size > 0;
  }

  #isUncertain(tree: YamlTree, line: number): boolean {
    const firstFault = this.#firstSyntaxFault.get(tree);
    return firstFault !== undefined && line >= firstFault;
  }

  #format(path: DocumentPath): string {
    return formatPath(path, this.#isName);
  }

  #add(problem: Problem): void {
    this.#count += 1;
    if (this.#problems.length >= MAX_PROBLEMS) return;
    this.#problems.push({ ...problem, message: replaceInvisible(problem.message) });
  }
}
