import type { Secret } from '../../model/secret.ts';

/** What came of one step of a job. */
export interface StepOutcome {
  readonly isDone: boolean;
  /** What was done, or why not. */
  readonly text: string;
  /** What was made and is shown once. */
  readonly secret?: Secret;
}

/** Several changes that an operator asked for, made one after the other. Times are seconds since the epoch. */
export interface JobRecord {
  readonly id: string;
  readonly operatorId: string;
  /** The same key is the same job, as when a button is clicked twice. */
  readonly key: string;
  readonly title: string;
  readonly startedAt: number;
  /** When the store forgets it. */
  readonly expiresAt: number;
  /** What is changed, and the page of each. */
  readonly steps: readonly { readonly name: string; readonly href: string }[];
}

/** A job as it stands. */
export interface KeptJob extends JobRecord {
  /** Of the first steps; the others were not tried yet, or never where the job has ended. */
  readonly outcomes: readonly (Omit<StepOutcome, 'secret'> & { readonly hasSecret: boolean })[];
  /** When the process that makes it was last heard of. */
  readonly seenAt: number;
  readonly isEnded: boolean;
}

/** A secret of a job, and the step that made it. */
export interface JobSecret {
  readonly name: string;
  /** Null where the key ring does not open it. */
  readonly secret: Secret | null;
}

/** The jobs of all processes that serve one store. Rejects with `StoreUnavailable`. */
export interface JobStore {
  /** False where the job of this key is there already. */
  start(job: JobRecord): Promise<boolean>;
  /** The newest of an operator, the newest first. */
  list(operatorId: string, most: number): Promise<readonly KeptJob[]>;
  /** Keeps what came of a step, the first being 0, with its secret sealed; a second time it changes nothing. */
  note(id: string, step: number, outcome: StepOutcome, seenAt: number): Promise<void>;
  /** Notes that it goes on; gives whether it is to stop. */
  touch(id: string, seenAt: number): Promise<boolean>;
  end(id: string): Promise<void>;
  /** Asks for a stop before the next step. */
  stop(operatorId: string, id: string): Promise<void>;
  /** The secrets that a job has made, once; the steps of one that has not ended may make more. */
  takeSecrets(operatorId: string, id: string): Promise<readonly JobSecret[]>;
}
