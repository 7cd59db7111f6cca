import type { UnmatchedKind } from './describe-refusal.ts';

/** So many refusals may be kept at once, and so many more each second. */
interface Allowance {
  readonly burst: number;
  readonly perSecond: number;
}

/** What one replica keeps. docs/sizing.md says what that comes to in a database. */
export interface RefusalAllowances {
  readonly ofConsumer: Allowance;
  readonly inAll: Allowance;
  /** The last so many of all are for consumers of whom fewer than {@link fewOfConsumer} were kept lately. */
  readonly reserve: number;
  readonly fewOfConsumer: number;
  /** Of requests that no endpoint took: strangers make them, so that they have no share of the others. */
  readonly unmatched: Readonly<Record<UnmatchedKind, Allowance>>;
  /** Consumers whose allowance is remembered, about 150 bytes each; the one not refused for longest is forgotten. */
  readonly maxConsumers: number;
}

/** The allowances of a process; bursts in refusals, `perSecond` in refusals a second. */
export const refusalAllowances: RefusalAllowances = {
  ofConsumer: { burst: 600, perSecond: 0.1 },
  inAll: { burst: 2000, perSecond: 5 },
  reserve: 500,
  fewOfConsumer: 20,
  unmatched: { near: { burst: 200, perSecond: 0.02 }, stray: { burst: 100, perSecond: 0.01 } },
  maxConsumers: 20_000,
};

/** Why a refusal is left out: because of its consumer's share, or because of all consumers together. */
export const leftOutBy = ['consumer', 'replica'] as const;
export type LeftOutBy = (typeof leftOutBy)[number];

/**
 * Keeps a flood of refusals from becoming a flood of records. Each consumer has a share, so that a broken client is
 * recorded from its first refusal on and never fills a database; all consumers have one together, the last part of
 * which is kept for those who have used little of theirs. Takes the time as monotonic milliseconds.
 */
export class RefusalBudget {
  readonly #allowances: RefusalAllowances;
  readonly #all: Bucket;
  readonly #unmatched: Readonly<Record<UnmatchedKind, Bucket>>;
  /** The one refused last at the end. */
  readonly #consumers = new Map<string, Bucket>();

  constructor(nowMs: number, allowances: RefusalAllowances = refusalAllowances) {
    this.#allowances = allowances;
    const { inAll, unmatched } = allowances;
    this.#all = { left: inAll.burst, atMs: nowMs };
    this.#unmatched = {
      near: { left: unmatched.near.burst, atMs: nowMs },
      stray: { left: unmatched.stray.burst, atMs: nowMs },
    };
  }

  /** Takes room for one refusal of a consumer; gives why there is none, or null. */
  take(consumerId: string, nowMs: number): LeftOutBy | null {
    const { ofConsumer, inAll, reserve, fewOfConsumer } = this.#allowances;
    const own = this.#bucketOf(consumerId, nowMs);
    fill(own, ofConsumer, nowMs);
    if (own.left < 1) return 'consumer';
    fill(this.#all, inAll, nowMs);
    const isQuiet = own.left > ofConsumer.burst - fewOfConsumer;
    if (this.#all.left < (isQuiet ? 1 : reserve + 1)) return 'replica';
    own.left -= 1;
    this.#all.left -= 1;
    return null;
  }

  /** Takes room for one refusal of a request that no endpoint took; gives whether there is any. */
  takeUnmatched(kind: UnmatchedKind, nowMs: number): boolean {
    const bucket = this.#unmatched[kind];
    fill(bucket, this.#allowances.unmatched[kind], nowMs);
    if (bucket.left < 1) return false;
    bucket.left -= 1;
    return true;
  }

  #bucketOf(consumerId: string, nowMs: number): Bucket {
    const { ofConsumer, maxConsumers } = this.#allowances;
    const known = this.#consumers.get(consumerId);
    if (known !== undefined) {
      this.#consumers.delete(consumerId);
      this.#consumers.set(consumerId, known);
      return known;
    }
    if (this.#consumers.size >= maxConsumers) {
      const [oldest] = this.#consumers.keys();
      if (oldest !== undefined) this.#consumers.delete(oldest);
    }
    const fresh: Bucket = { left: ofConsumer.burst, atMs: nowMs };
    this.#consumers.set(consumerId, fresh);
    return fresh;
  }
}

/** What is left of an allowance, as of {@link atMs}; not whole while it fills up again. */
interface Bucket {
  left: number;
  atMs: number;
}

function fill(bucket: Bucket, { burst, perSecond }: Allowance, nowMs: number): void {
  bucket.left = Math.min(burst, bucket.left + ((nowMs - bucket.atMs) * perSecond) / 1000);
  bucket.atMs = nowMs;
}
