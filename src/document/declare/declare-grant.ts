import type { Grant } from '../../model/grant.ts';
import { declareLimits } from './declare-limits.ts';
import { declareTime } from './declare-time.ts';
import type { Declared } from './declared.ts';

/** A grant as a declarative file has it. No `limits` are those of the endpoint; `[]` lifts them. */
export function declareGrant({ endpointId, consumerId, limits, expiresAt }: Grant): Declared {
  return {
    endpoint: endpointId,
    consumer: consumerId,
    ...(expiresAt === null ? {} : { expiresAt: declareTime(expiresAt) }),
    ...(limits === null ? {} : { limits: declareLimits(limits) }),
  };
}
