const pollIntervalMs = 20;
const pollDeadlineMs = 15_000;

/** For what no event reports: asks until `ask` gives something, and fails with `what` when it takes too long. */
export async function poll<T>(what: string, ask: () => Promise<T | null>): Promise<T> {
  const deadline = AbortSignal.timeout(pollDeadlineMs);
  for (;;) {
    const found = await ask();
    if (found !== null) return found;
    if (deadline.aborted) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
  }
}
