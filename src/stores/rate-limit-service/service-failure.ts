import { LimiterUnavailable } from '../../check/limit/limiter.ts';

/**
 * Why the rate limit service did not count a request, in words for metrics: `deadline` too slow, `unreachable` no
 * connection, `error` it answered with a failure (its Redis is down), `wrong-answer` it did not apply the limit that
 * was sent (its configuration lacks the domain), `given-up` it was not asked, because it failed a moment ago.
 */
export type FailureReason = 'deadline' | 'unreachable' | 'error' | 'wrong-answer' | 'given-up';

/** What became of a question. */
export type QuestionOutcome = 'ok' | 'over-limit' | FailureReason;

/** The rate limit service did not count a request. The message has a few fixed forms; `cause` is the client's error. */
export class ServiceFailure extends LimiterUnavailable {
  override readonly name = 'ServiceFailure';
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
