/** The files and git of a working tree, as the checks read them. */
export interface WorkingTree {
  readonly read: (path: string) => string;
  /** Files below a folder, from the top of the tree. */
  readonly list: (path: string) => readonly string[];
  /** What a git command prints; null when it fails. */
  readonly git: (...args: readonly string[]) => string | null;
  readonly directory: string;
  readonly nowMs: number;
}

/** The working tree in a folder; that of this project without one. */
export declare function workingTree(directory?: string): WorkingTree;

/** What one check found; no problems is good. */
export interface CheckResult {
  readonly name: string;
  readonly problems: readonly string[];
}

/** Every check with its name. */
export declare const checks: readonly {
  readonly name: string;
  readonly find: (tree: WorkingTree) => readonly string[] | Promise<readonly string[]>;
}[];

/** Runs every check. */
export declare function runChecks(tree?: WorkingTree): Promise<readonly CheckResult[]>;

/** Results as text for people. */
export declare function formatResults(results: readonly CheckResult[]): string;
