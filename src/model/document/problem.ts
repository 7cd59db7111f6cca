import { replaceInvisible } from './source-text.ts';

/** One fault of a declarative document, at the place where it has to be fixed (spec §6). */
export interface Problem {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** Such as `endpoints[0].options.hideCredentials`; empty for the file as a whole and for faults of its syntax. */
  readonly path: string;
  /** What is wrong and what to do, for people; never a secret and never an App Key. */
  readonly message: string;
}

/** A problem with a file as a whole, or with a line of it. */
export function problemOf(file: string, line: number, message: string): Problem {
  return { file, line, column: 1, path: '', message };
}

/** Stands for a text that is not repeated. */
export const HIDDEN = '…';

/** The steps from the root of a document to a value: keys of mappings and positions in lists, from 0. */
export type DocumentPath = readonly (string | number)[];

/** Whether a key has the form of a name, so that it can follow a dot. */
export function isPlainName(key: string): boolean {
  return /^[A-Za-z_][\w-]*$/.test(key);
}

/** Writes a path as people read it: `endpoints[0].options.hideCredentials`. Keys that `isName` refuses become `…`. */
export function formatPath(path: DocumentPath, isName: (key: string) => boolean = isPlainName): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${String(step)}]`;
    else if (!isName(step)) text += text === '' ? HIDDEN : `.${HIDDEN}`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/** Orders the problems of one file by position; files keep the order in which they were given. */
export function sortProblems(problems: readonly Problem[], files: readonly string[]): readonly Problem[] {
  const rank = new Map(files.map((file, index) => [file, index]));
  return [...problems].sort(
    (a, b) =>
      (rank.get(a.file) ?? files.length) - (rank.get(b.file) ?? files.length) ||
      a.line - b.line ||
      a.column - b.column ||
      a.path.localeCompare(b.path, 'en'),
  );
}

/** `file:line:column:`, which editors and CI systems understand. No file name changes how a terminal shows it. */
export function formatPlace({ file, line, column }: Pick<Problem, 'file' | 'line' | 'column'>): string {
  return `${replaceInvisible(file)}:${String(line)}:${String(column)}:`;
}

/** {@link formatPlace} and the message, in a line. */
export function formatProblem(problem: Problem): string {
  return `${formatPlace(problem)} ${problem.message}`;
}

const MAX_SHOWN = 80;

/** A name from a file in quotes, cut when it is long. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name);
}
