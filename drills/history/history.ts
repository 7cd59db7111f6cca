/** Milliseconds of the one clock that all times of a history are of: `performance.now()` of the process that records. */
export type AtMs = number;

/** The outcomes of a question beside the codes of refusals. */
export const ALLOWED = 'ALLOWED';
export const NO_ANSWER = 'no answer';

/** One question to one replica, and what came of it. */
export interface Asked {
  readonly replica: number;
  readonly credential: string;
  readonly consumer: string;
  /** What at-most-once goes by; null where nothing is to be used once. */
  readonly signature: string | null;
  readonly startMs: AtMs;
  readonly endMs: AtMs;
  /** {@link ALLOWED}, the code of a refusal, or {@link NO_ANSWER}. */
  readonly outcome: string;
}

/** What the one who made a change was told: a majority has it, nothing was changed, or nobody knows. */
export type Acknowledgement = 'made' | 'not made' | 'unknown';

/** One change by a command. */
export interface Changed {
  /** What was changed: `credential/k-3`, `consumer/acme`. */
  readonly subject: string;
  /** What it was changed to; `revoked` of a credential is what no replica may overlook. */
  readonly value: string;
  readonly startMs: AtMs;
  readonly endMs: AtMs;
  readonly told: Acknowledgement;
}

/** Everything that was recorded, and what the database holds at the end. */
export interface History {
  readonly asked: readonly Asked[];
  readonly changed: readonly Changed[];
  /** The value of each subject at the end. */
  readonly final: ReadonlyMap<string, string>;
  /** Allowed requests of each consumer, as `postern usage` counts them at the end. */
  readonly counted: ReadonlyMap<string, number>;
}

/** What the documents promise. */
export interface Promises {
  /** After this long, an acknowledged revocation is in force on every replica, whatever it reaches. */
  readonly revokedWithinMs: number;
}
