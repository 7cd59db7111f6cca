import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../../base/clock.ts';
import type { JobSecret, JobStore, KeptJob, StepOutcome } from '../../../resources/changes/jobs.ts';
import { ApiProblem } from '../../api/problem.ts';

/** Jobs of one operator that run at once. */
export const MAX_RUNNING = 5;
/** Jobs of one operator that are shown. */
const MAX_SHOWN = 10;
/** Longer than each of its steps may wait for the store. */
const SILENT_SECONDS = 90;
const KEPT_SECONDS = 86_400;

/** What a step of a job gives. */
export interface StepResult extends StepOutcome {
  /** Whether the steps behind it cannot be done either, as while the store is down. */
  readonly endsJob?: boolean;
}

/** One change of several, such as of one consumer. */
export interface JobStep {
  readonly name: string;
  /** Its page. */
  readonly href: string;
  /** Makes the change; what is refused is an outcome. */
  readonly run: () => Promise<StepResult>;
}

/** How a job stands. `silent`: the process that makes it has ended, or is held up. */
export type JobState = 'running' | 'silent' | 'ended';

/** How a job stands at a time. */
export function stateOfJob({ isEnded, seenAt }: Pick<KeptJob, 'isEnded' | 'seenAt'>, nowSeconds: number): JobState {
  if (isEnded) return 'ended';
  return nowSeconds - seenAt > SILENT_SECONDS ? 'silent' : 'running';
}

/** What jobs work with. */
export interface JobPorts {
  readonly store: JobStore;
  readonly clock: Clock;
  readonly onDefect: (error: unknown) => void;
}

/**
 * Runs the jobs that operators start at this process; the store keeps how far they are, for every process. Disposing
 * ends each before its next step.
 */
export class Jobs implements AsyncDisposable {
  readonly #ports: JobPorts;
  readonly #running = new Set<Promise<void>>();
  #isEnding = false;

  constructor(ports: JobPorts) {
    this.#ports = ports;
  }

  /** The jobs of an operator, the newest first, wherever they run. Rejects with `StoreUnavailable`. */
  async of(operatorId: string): Promise<readonly KeptJob[]> {
    return await this.#ports.store.list(operatorId, MAX_SHOWN);
  }

  /**
   * Starts a job; the same `key` starts it once, as when a button is clicked twice. Throws `CONFLICT` while as many run
   * as may.
   */
  async start(
    operatorId: string,
    { key, title, steps }: { readonly key: string; readonly title: string; readonly steps: readonly JobStep[] },
  ): Promise<void> {
    const { store, clock } = this.#ports;
    const startedAt = clock.nowSeconds();
    const jobs = await this.of(operatorId);
    if (jobs.some((job) => job.key === key)) return;
    if (jobs.filter((job) => stateOfJob(job, startedAt) === 'running').length >= MAX_RUNNING) {
      throw new ApiProblem('CONFLICT', `${String(MAX_RUNNING)} of your jobs are running: wait for one, or stop it.`);
    }
    const id = randomUUID();
    const isNew = await store.start({
      id,
      operatorId,
      key,
      title,
      startedAt,
      expiresAt: startedAt + KEPT_SECONDS,
      steps: steps.map(({ name, href }) => ({ name, href })),
    });
    if (!isNew) return;
    const run = this.#run(id, steps).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  /** Tries no further step of a job, wherever it runs. The one that is under way is still made. */
  async stop(operatorId: string, id: string): Promise<void> {
    await this.#ports.store.stop(operatorId, id);
  }

  /** The secrets of a job that does not run, by the names of its steps: once. */
  async takeSecrets(operatorId: string, id: string): Promise<readonly JobSecret[]> {
    const job = (await this.of(operatorId)).find((each) => each.id === id);
    if (job === undefined || stateOfJob(job, this.#ports.clock.nowSeconds()) === 'running') return [];
    return await this.#ports.store.takeSecrets(operatorId, id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#running);
  }

  async #run(id: string, steps: readonly JobStep[]): Promise<void> {
    const { store, clock, onDefect } = this.#ports;
    try {
      for (const [index, { run }] of steps.entries()) {
        if (this.#isEnding || (await store.touch(id, clock.nowSeconds()))) break;
        const outcome = await this.#outcomeOf(run);
        await this.#keep(async () => {
          await store.note(id, index, outcome, clock.nowSeconds());
        });
        if (outcome.endsJob === true) break;
      }
      await this.#keep(async () => {
        await store.end(id);
      });
    } catch (error) {
      // Its page says since when nothing was heard of it.
      onDefect(error);
    }
  }

  /** What was done is written down also where the store changes its primary meanwhile: a secret is nowhere else. */
  async #keep(write: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await write();
        return;
      } catch (error) {
        if (attempt === ATTEMPTS || this.#isEnding) throw error;
        await delay(RETRY_MS);
      }
    }
  }

  async #outcomeOf(run: JobStep['run']): Promise<StepResult> {
    try {
      return await run();
    } catch (error) {
      this.#ports.onDefect(error);
      return { isDone: false, text: 'It failed, and may have been made: look first. The log has why.', endsJob: true };
    }
  }
}

const ATTEMPTS = 5;
const RETRY_MS = 2000;
