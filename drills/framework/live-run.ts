/** A run that takes long. */
export interface LiveRun {
  /** Aborted by SIGINT and SIGTERM: the run then ends early, and says what it has. */
  readonly stop: AbortSignal;
  /** Prints a line, with the seconds since the start. */
  readonly report: (text: string) => void;
}

/** Starts the clock of a run, and listens for signals. */
export function startLiveRun(): LiveRun {
  const stopped = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => {
      stopped.abort();
    });
  const startMs = performance.now();
  const report = (text: string): void => {
    print(`${((performance.now() - startMs) / 1000).toFixed(0).padStart(5)} s  ${text}`);
  };
  return { stop: stopped.signal, report };
}

/** Prints a line. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
