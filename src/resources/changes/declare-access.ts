import { type Access, type AccessQuestion, judgeAccess } from './access.ts';
import { declareAddressList } from '../../model/address-list.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import type { Grant } from '../../model/grant.ts';
import { declareGrant } from '../grant.ts';
import { type Declared, declareTime } from '../declared.ts';
import { declareLimits } from '../limits.ts';

/** Whether a consumer may call an endpoint, by what, with which limits and until when, for programs. */
export function declareAccess(endpoint: Endpoint, { obstacles, grant, limits, plan, endsAt }: Access): Declared {
  return {
    allowed: obstacles.length === 0,
    by: obstacles.some(({ code }) => code === 'no-grant') ? null : basisOf(endpoint, grant),
    ...(grant === null ? {} : { grant: declareGrant(grant) }),
    limits: declareLimits(limits),
    ...(plan === null ? {} : { plan: { id: plan.id, limits: plan.limits } }),
    ...(endsAt === null ? {} : { until: declareTime(endsAt) }),
  };
}

/** {@link declareAccess} with all that led to it: obstacles, credentials that work, grants, and what comes after it. */
export function declareJudged(question: AccessQuestion, nowSeconds: number): Declared {
  const access = judgeAccess(question, nowSeconds);
  const { endpoint, consumer } = question;
  const { obstacles, credentialIds, weighed, endsAt } = access;
  return {
    ...declareAccess(endpoint, access),
    ...(endsAt === null ? {} : { afterwards: declareAccess(endpoint, judgeAccess(question, endsAt)) }),
    ...(consumer.allowFrom === null || endpoint.scenario === 'open'
      ? {}
      : { allowFrom: declareAddressList(consumer.allowFrom) }),
    obstacles,
    credentials: credentialIds,
    grants: weighed.map(({ grant, outcome }) => ({ ...declareGrant(grant), outcome })),
  };
}

/** `grant` also where every authenticated consumer gets in: its limits count. */
function basisOf({ scenario }: Endpoint, grant: Grant | null): 'open' | 'grant' | 'authenticated' {
  if (scenario === 'open') return 'open';
  return grant === null ? 'authenticated' : 'grant';
}
