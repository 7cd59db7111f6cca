import type { RateLimitDescriptor } from '../../gen/envoy/extensions/common/ratelimit/v3/ratelimit.ts';
import type { RateLimitRequest } from '../../gen/envoy/service/ratelimit/v3/rls.ts';
import { RateLimitUnit } from '../../gen/envoy/type/v3/ratelimit_unit.ts';
import type { Limit, LimitUnit } from '../../model/limit.ts';
import type { LimitQuestion } from '../limiter.ts';

/** The service's names of the units. Never `UNKNOWN`, which ends the process of the service. */
export const serviceUnits: Readonly<Record<LimitUnit, RateLimitUnit>> = {
  second: RateLimitUnit.SECOND,
  minute: RateLimitUnit.MINUTE,
  hour: RateLimitUnit.HOUR,
  day: RateLimitUnit.DAY,
};

/**
 * The message that counts one request against the limits of a question: one descriptor for each, in their order, with
 * the limit as override (spec §4.2). The entries are `endpoint`, `consumer` (only for `per: consumer`) and `unit`, in this
 * order: the service's counters know neither unit nor limit, and ids of endpoints come first because they hold no `_`.
 */
export function createRateLimitRequest(
  domain: string,
  { endpointId, consumerId, limits }: LimitQuestion,
): RateLimitRequest {
  const owner = [
    { key: 'endpoint', value: endpointId },
    ...(consumerId === null ? [] : [{ key: 'consumer', value: consumerId }]),
  ];
  return { domain, descriptors: limits.map((limit) => describe(owner, limit)), hitsAddend: 1 };
}

function describe(owner: RateLimitDescriptor['entries'], { requests, unit }: Limit): RateLimitDescriptor {
  return {
    entries: [...owner, { key: 'unit', value: unit }],
    limit: { requestsPerUnit: requests, unit: serviceUnits[unit] },
  };
}
