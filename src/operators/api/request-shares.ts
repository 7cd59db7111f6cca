import { Throttle } from '../../base/throttle.ts';
import type { Clock } from '../../base/clock.ts';
import { ApiProblem } from './problem.ts';

/**
 * What a request is counted as, by what cannot be made up from a page of another site:
 *
 * - `operator`: it carries the proof of an operator, and no page of another site sent it.
 * - `visitor`: a browser says that a person, or a page of this console, asked for it.
 * - `stranger`: any other, such as an image in a page of another site, or a program without a token.
 * - `probe`: of readiness, liveness or the document.
 */
export type RequestShare = 'operator' | 'visitor' | 'stranger' | 'probe';

/**
 * Requests of one source in a minute, each share by itself: whoever makes a browser, or a neighbour behind the same
 * address, send requests without a proof uses up nothing of the operator's. Failures count by source, too.
 */
export class RequestShares {
  readonly throttle: Throttle;

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.throttle = new Throttle(clock);
  }

  /** Counts a request. Throws `TOO_MANY_REQUESTS` when it is one too many of its share. */
  take(share: RequestShare, source: string): void {
    const retryAfter = this.throttle.takeRequest(`${share}/${source}`);
    if (retryAfter !== null) throw tooManyRequests(retryAfter);
  }
}

/** `TOO_MANY_REQUESTS`, with the seconds to wait. */
export function tooManyRequests(retryAfter: number): ApiProblem {
  return new ApiProblem('TOO_MANY_REQUESTS', 'wait before the next request', { retryAfter });
}
