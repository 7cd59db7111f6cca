import type { Clock } from '../../../src/base/clock.ts';
import { Jobs } from '../../../src/operators/console/jobs/jobs.ts';
import type { JobRecord, JobSecret, JobStore, KeptJob, StepOutcome } from '../../../src/resources/changes/jobs.ts';

interface MemoryJob extends JobRecord {
  readonly outcomes: StepOutcome[];
  seenAt: number;
  isEnded: boolean;
  isStopped: boolean;
}

/** Jobs that nobody looks at. */
export function memoryJobs(clock: Clock): Jobs {
  return new Jobs({
    store: new MemoryJobStore(),
    clock,
    onDefect: (error) => {
      throw error;
    },
  });
}

/** Jobs in memory, for the processes of one test. */
export class MemoryJobStore implements JobStore {
  /** The newest first. */
  readonly #jobs: MemoryJob[] = [];

  async start(job: JobRecord): Promise<boolean> {
    await Promise.resolve();
    if (this.#jobs.some(({ operatorId, key }) => operatorId === job.operatorId && key === job.key)) return false;
    this.#jobs.unshift({ ...job, outcomes: [], seenAt: job.startedAt, isEnded: false, isStopped: false });
    return true;
  }

  async list(operatorId: string, most: number): Promise<readonly KeptJob[]> {
    await Promise.resolve();
    const own = this.#jobs.filter((job) => job.operatorId === operatorId).slice(0, most);
    return own.map((job) => ({
      ...job,
      outcomes: job.outcomes.map(({ secret, ...outcome }) => ({ ...outcome, hasSecret: secret !== undefined })),
    }));
  }

  async note(id: string, step: number, outcome: StepOutcome, seenAt: number): Promise<void> {
    await Promise.resolve();
    const job = this.#find(id);
    if (job?.outcomes.length !== step) return;
    job.outcomes.push(outcome);
    job.seenAt = seenAt;
  }

  async touch(id: string, seenAt: number): Promise<boolean> {
    await Promise.resolve();
    const job = this.#find(id);
    if (job !== undefined) job.seenAt = seenAt;
    return job?.isStopped ?? true;
  }

  async end(id: string): Promise<void> {
    await Promise.resolve();
    const job = this.#find(id);
    if (job !== undefined) job.isEnded = true;
  }

  async stop(operatorId: string, id: string): Promise<void> {
    await Promise.resolve();
    const job = this.#find(id);
    if (job?.operatorId === operatorId) job.isStopped = true;
  }

  async takeSecrets(operatorId: string, id: string): Promise<readonly JobSecret[]> {
    await Promise.resolve();
    const job = this.#find(id);
    if (job?.operatorId !== operatorId) return [];
    return job.outcomes.flatMap(({ isDone, text, secret = null }, index) => {
      job.outcomes[index] = { isDone, text };
      return secret === null ? [] : [{ name: job.steps[index]?.name ?? '', secret }];
    });
  }

  #find(id: string): MemoryJob | undefined {
    return this.#jobs.find((job) => job.id === id);
  }
}
