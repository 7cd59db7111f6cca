import type { CountedLimit, LimitReading } from '../../model/limit.ts';
import type { Pending } from '../../base/pending.ts';

/**
 * Limits that one request is counted against, in one call: those of its consumer with those of the consumer's plan, or
 * those that all callers of the endpoint share.
 */
export interface LimitQuestion {
  readonly endpointId: string;
  /** Null asks for the counters that all callers of the endpoint share (`per: endpoint`). */
  readonly consumerId: string | null;
  /** At least one. */
  readonly limits: readonly CountedLimit[];
  /** The plan whose limits (`per: plan`) are among them; absent where none are. */
  readonly planId?: string;
}

/** Counts requests in fixed windows aligned to UTC (spec §4.2). */
export interface Limiter {
  /**
   * Counts one request against every limit of the question and gives where each stands, in the same order.
   * Throws, or rejects with, {@link LimiterUnavailable} when it cannot know, or not before `deadlineAtMs`, which is one
   * that {@link startDeadline} gave; without it the question has the whole time of a request for itself.
   */
  take(question: LimitQuestion, deadlineAtMs?: number): Pending<readonly LimitReading[]>;

  /**
   * When all questions of a request that begins now must be answered, in milliseconds of the limiter's own clock.
   * Missing where a limiter never waits.
   */
  startDeadline?(): number;
}

/**
 * The limiter cannot answer: it is unreachable, too slow, or full. A fault, which the endpoint's `onLimiterFailure`
 * decides about.
 */
export class LimiterUnavailable extends Error {
  override readonly name: string = 'LimiterUnavailable';
}
