/** What a command sees of the process it runs in. Tests give their own. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: Output;
  readonly err: Output;
  /**
   * Asks the person at the terminal and gives the line they type, `''` when they give up. Null, or left out, without a
   * terminal to ask at. `isHidden`: what they type is not shown.
   */
  readonly ask?: ((question: string, isHidden?: boolean) => Promise<string>) | null;
  /** Calls back on SIGTERM and SIGHUP, and on SIGINT (`isHurried`: a person waits), each time it comes. */
  onStopSignal(stop: (signal: { readonly isHurried: boolean }) => void): void;
  /** Calls back with an error that was not caught, instead of ending the process. */
  onCrash(report: (error: Error) => void): void;
  /** Ends the process now. */
  exit(code: ExitCode): never;
}

/** A stream of text. */
export interface Output {
  write(text: string): void;
  /** Whether people look at it, so that colours and progress make sense. */
  readonly isTerminal: boolean;
  /** Characters in a line of the terminal, where that is known. */
  readonly columns?: number;
  /**
   * Waits until what was written needs no more memory of this process; false when it has no reader any more (`| head`),
   * so that long work can end. Left out where neither can be.
   */
  readonly settled?: () => Promise<boolean>;
}

/** Exit codes of every command (interfaces §5). */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  conflict: 4,
  unreachable: 5,
  unknown: 6,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
