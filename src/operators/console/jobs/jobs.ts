import { randomUUID } from 'node:crypto';
import { ApiProblem } from '../../api/problem.ts';
import type { Secret } from '../../../model/secret.ts';

/** Jobs of one operator that are kept; the oldest that has ended goes first. */
export const MAX_JOBS = 5;

/** What came of one step. */
export interface StepOutcome {
  readonly isDone: boolean;
  /** What was done, or why not. */
  readonly text: string;
  /** What was made and is shown once. */
  readonly secret?: Secret;
  /** Whether the steps behind it cannot be done either, as while the store is down. */
  readonly endsJob?: boolean;
}

/** One change of several, such as of one consumer. */
export interface JobStep {
  readonly name: string;
  /** Its page. */
  readonly href: string;
  /** Makes the change; what is refused is an outcome. */
  readonly run: () => Promise<StepOutcome>;
}

/** Several changes, made one after the other. */
export interface Job {
  readonly id: string;
  readonly title: string;
  /** Seconds since the epoch. */
  readonly startedAtSeconds: number;
  readonly steps: readonly Pick<JobStep, 'name' | 'href'>[];
  /** Of the first steps; the others were not tried yet, or never where the job has ended. */
  readonly outcomes: readonly StepOutcome[];
  readonly isEnded: boolean;
}

interface OwnJob extends Job {
  readonly key: string;
  readonly outcomes: StepOutcome[];
  isEnded: boolean;
  isStopped: boolean;
}

/** The jobs that operators started in this process, which go with it: what was done is in the audit trail. */
export class Jobs {
  readonly #byOperator = new Map<string, OwnJob[]>();
  readonly #onDefect: (error: unknown) => void;

  constructor(onDefect: (error: unknown) => void) {
    this.#onDefect = onDefect;
  }

  /** The jobs of an operator, the newest first. */
  of(operatorId: string): readonly Job[] {
    return this.#byOperator.get(operatorId) ?? [];
  }

  /**
   * Starts a job; the same `key` starts it once, as when a button is clicked twice. Throws `CONFLICT` while as many
   * run as are kept.
   */
  start(
    operatorId: string,
    { key, title, steps, nowSeconds }: { key: string; title: string; steps: readonly JobStep[]; nowSeconds: number },
  ): void {
    const jobs = this.#byOperator.get(operatorId) ?? [];
    if (jobs.some((job) => job.key === key)) return;
    if (jobs.filter(({ isEnded }) => !isEnded).length >= MAX_JOBS) {
      throw new ApiProblem('CONFLICT', `${String(MAX_JOBS)} of your jobs are running: wait for one, or stop it.`);
    }
    const job: OwnJob = {
      id: randomUUID(),
      key,
      title,
      steps,
      startedAtSeconds: nowSeconds,
      outcomes: [],
      isEnded: false,
      isStopped: false,
    };
    const ended = jobs.filter(({ isEnded }) => isEnded);
    const dropped = jobs.length < MAX_JOBS ? undefined : ended.at(-1);
    this.#byOperator.set(operatorId, [job, ...jobs.filter((each) => each !== dropped)]);
    void this.#run(job, steps);
  }

  /** Tries no further step of a job. The one that is under way is still made. */
  stop(operatorId: string, id: string): void {
    const job = this.#byOperator.get(operatorId)?.find((each) => each.id === id);
    if (job !== undefined) job.isStopped = true;
  }

  /** The secrets of a job that has ended, by the names of its steps: once. */
  takeSecrets(operatorId: string, id: string): readonly { readonly name: string; readonly secret: Secret }[] {
    const job = this.#byOperator.get(operatorId)?.find((each) => each.id === id);
    if (job?.isEnded !== true) return [];
    const taken = job.outcomes.flatMap(({ secret }, index) =>
      secret === undefined ? [] : [{ name: job.steps[index]?.name ?? '', secret }],
    );
    job.outcomes.forEach(({ isDone, text }, index) => (job.outcomes[index] = { isDone, text }));
    return taken;
  }

  async #run(job: OwnJob, steps: readonly JobStep[]): Promise<void> {
    for (const { run } of steps) {
      if (job.isStopped) break;
      const outcome = await this.#outcomeOf(run);
      job.outcomes.push(outcome);
      if (outcome.endsJob === true) break;
    }
    job.isEnded = true;
  }

  async #outcomeOf(run: JobStep['run']): Promise<StepOutcome> {
    try {
      return await run();
    } catch (error) {
      this.#onDefect(error);
      return { isDone: false, text: 'It failed, and may have been made: look first. The log has why.', endsJob: true };
    }
  }
}
