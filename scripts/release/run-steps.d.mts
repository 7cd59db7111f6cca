/** One step of a release check. */
export interface Step {
  readonly name: string;
  /** The program and its arguments, run at the top of the repository. */
  readonly command: readonly string[];
  /** Variables beside those of the caller. */
  readonly env?: Readonly<Record<string, string>>;
  /** What it runs on, for the table. */
  readonly where: string;
  /** After so many minutes it is ended, and has failed. */
  readonly minutes: number;
  /** Why this machine cannot run it; null when it can. */
  readonly lacks: () => string | null;
}

/** What became of a step. */
export interface StepResult {
  readonly name: string;
  readonly where: string;
  readonly result: 'passed' | 'failed' | 'not run';
  /** The last line that it printed, or why it was not run. */
  readonly detail: string;
  readonly seconds: number;
  /** Whether it passed in an earlier call, on this very tree. */
  readonly isKept: boolean;
}

/**
 * Runs steps one after the other, except those that passed on this tree before. `folder` gets the outputs and the
 * record; with `tree` null nothing is recorded. `isAgain` runs also what passed before.
 */
export declare function runSteps(
  steps: readonly Step[],
  options: {
    readonly folder: string;
    readonly tree: string | null;
    readonly isAgain?: boolean;
    readonly report: (result: StepResult) => void;
  },
): Promise<readonly StepResult[]>;

/** The table of all steps for people; `expected` is how many there should be. */
export declare function formatSteps(results: readonly StepResult[], options: { readonly expected: number }): string;
