import type { Access } from '../../manage/access.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import type { Grant } from '../../model/grant.ts';
import { declareGrant } from '../../resources/grant.ts';
import { type Declared, declareTime } from '../../resources/declared.ts';
import { declareLimits } from '../../resources/limits.ts';

/** Whether a consumer may call an endpoint, by what, with which limits and until when, for programs. */
export function declareAccess(endpoint: Endpoint, { obstacles, grant, limits, endsAt }: Access): Declared {
  return {
    allowed: obstacles.length === 0,
    by: obstacles.some(({ code }) => code === 'no-grant') ? null : basisOf(endpoint, grant),
    ...(grant === null ? {} : { grant: declareGrant(grant) }),
    limits: declareLimits(limits),
    ...(endsAt === null ? {} : { until: declareTime(endsAt) }),
  };
}

/** `grant` also where every authenticated consumer gets in: its limits count. */
function basisOf({ scenario }: Endpoint, grant: Grant | null): 'open' | 'grant' | 'authenticated' {
  if (scenario === 'open') return 'open';
  return grant === null ? 'authenticated' : 'grant';
}
