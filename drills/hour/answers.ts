import { quantileOf } from '../../bench/mongodb/quantiles.ts';
import type { LoadRequest } from '../../test/support/load/open-load.ts';

/** A request, and what the model says of it. */
export interface ModelledRequest extends LoadRequest {
  /** The outcomes that are right: `200`, `401 AUTHENTICATION_FAILED`. */
  readonly right: readonly string[];
}

/** What came of all requests, and what of that is not as it should be. */
export interface Tally {
  readonly sent: number;
  readonly refused: number;
  /** A decision that the model calls wrong: somebody let in or kept out. How often, by kind and outcome. */
  readonly wrong: ReadonlyMap<string, number>;
  /** A caller to let in who got no decision. */
  readonly failed: ReadonlyMap<string, number>;
  /** A caller to keep out who got no decision: kept out all the same. */
  readonly undecided: ReadonlyMap<string, number>;
  /** Of each minute, in milliseconds. */
  readonly p99Ms: readonly number[];
}

/** What is no decision: Envoy or a part behind it says that it cannot, or nobody says anything. */
const NO_DECISION = /^5\d\d|^\D/;
const MINUTE_MS = 60_000;

/** Judges every answer by the model as it comes. */
export class Answers {
  readonly #startMs: number;
  readonly #wrong = new Map<string, number>();
  readonly #failed = new Map<string, number>();
  readonly #undecided = new Map<string, number>();
  readonly #p99Ms: number[] = [];
  #minute: number[] = [];
  #sent = 0;
  /** What happened last: what is not as it should be is told with it. */
  lastHappening = 'the start';
  #refused = 0;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  /** @param atMs when the answer came, by the clock of `startMs` */
  note({ kind, right }: Pick<ModelledRequest, 'kind' | 'right'>, outcome: string, tookMs: number, atMs: number): void {
    while (atMs - this.#startMs >= (this.#p99Ms.length + 1) * MINUTE_MS) this.#endMinute();
    this.#minute.push(tookMs);
    this.#sent += 1;
    if (outcome !== '200') this.#refused += 1;
    if (right.includes(outcome)) return;
    const into = !NO_DECISION.test(outcome) ? this.#wrong : right.includes('200') ? this.#failed : this.#undecided;
    const key = `${kind} ${outcome}, after: ${this.lastHappening}`;
    into.set(key, (into.get(key) ?? 0) + 1);
  }

  tally(): Tally {
    if (this.#minute.length > 0) this.#endMinute();
    const { wrong, failed, undecided } = { wrong: this.#wrong, failed: this.#failed, undecided: this.#undecided };
    return { sent: this.#sent, refused: this.#refused, wrong, failed, undecided, p99Ms: this.#p99Ms };
  }

  #endMinute(): void {
    this.#p99Ms.push(quantileOf(this.#minute, 0.99));
    this.#minute = [];
  }
}

/** How many that is. */
export function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
