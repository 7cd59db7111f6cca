// Jobs shared by so many lanes: whoever is free takes the dearest job that can run.

/**
 * Runs jobs `{ seconds, isReady, run }`, so many at a time, the one that takes longest first. `isReady()` says whether
 * what a job needs is there; while nothing is ready a lane waits for `changed()`, a promise of the next change.
 * `run(lane)` gets the number of its lane. Stops taking jobs when `isStopped()`.
 */
export async function runQueue(jobs, { lanes, changed, isStopped }) {
  const left = [...jobs].sort((a, b) => b.seconds - a.seconds);
  const work = async (lane) => {
    while (left.length > 0 && !isStopped()) {
      const index = left.findIndex((job) => job.isReady());
      if (index >= 0) await left.splice(index, 1)[0].run(lane);
      else await changed();
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => work(lane)));
}
