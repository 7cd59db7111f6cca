import {
  type RateLimitResponse,
  RateLimitResponse_Code,
  type RateLimitResponse_DescriptorStatus,
} from '../../gen/envoy/service/ratelimit/v3/rls.ts';
import { type Limit, unitSeconds } from '../../model/limit.ts';
import type { LimitReading } from '../limiter.ts';
import { serviceUnits } from './rate-limit-request.ts';
import { ServiceFailure } from './service-failure.ts';

const { OK, OVER_LIMIT } = RateLimitResponse_Code;

/**
 * Reads where each limit of a question stands from the service's answer to it. Throws {@link ServiceFailure} with
 * `wrong-answer` unless every status carries the limit that was sent: without its domain in the configuration the service
 * says OK to everything, and only the missing limit tells (spec §4.2).
 */
export function readAnswer(answer: RateLimitResponse, limits: readonly Limit[]): readonly LimitReading[] {
  const { overallCode, statuses } = answer;
  if (overallCode !== OK && overallCode !== OVER_LIMIT) throw wrong('says neither yes nor no');
  if (statuses.length !== limits.length) throw wrong('does not tell of every limit that was sent');
  // In shadow mode a status is over its limit and the overall code is OK: the latter decides.
  const readings = limits.map((limit, index) => read(limit, statuses[index], overallCode === OVER_LIMIT));
  if (overallCode === OVER_LIMIT && !readings.some(({ isExceeded }) => isExceeded)) {
    throw wrong('says no, and not for which limit');
  }
  return readings;
}

function read(limit: Limit, status: RateLimitResponse_DescriptorStatus | undefined, isRefused: boolean): LimitReading {
  const applied = status?.currentLimit;
  if (status === undefined || applied === undefined) {
    throw wrong('did not apply the limit that was sent; its configuration lacks the domain');
  }
  if (applied.requestsPerUnit !== limit.requests || applied.unit !== serviceUnits[limit.unit]) {
    throw wrong('applied another limit than the one that was sent');
  }
  const isOver = status.code === OVER_LIMIT;
  if (!isOver && status.code !== OK) throw wrong('says neither yes nor no');
  const { seconds, nanos } = status.durationUntilReset ?? { seconds: 0, nanos: 0 };
  return {
    limit,
    remaining: isOver ? 0 : status.limitRemaining,
    resetSeconds: Math.min(unitSeconds[limit.unit], Math.max(1, seconds + (nanos > 0 ? 1 : 0))),
    isExceeded: isRefused && isOver,
  };
}

function wrong(what: string): ServiceFailure {
  return new ServiceFailure('wrong-answer', `the rate limit service ${what}`);
}
