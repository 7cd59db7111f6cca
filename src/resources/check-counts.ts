import type { Placed, ProblemLog } from '../model/document/problem-log.ts';
import {
  MAX_ENDPOINTS,
  MAX_GROUP_GRANTS,
  MAX_GROUP_GRANTS_OF_ENDPOINT,
  MAX_ISSUERS,
  MAX_PATH_SEGMENTS,
  MAX_PLANS,
} from '../model/bounds.ts';
import { type Endpoint, segmentCount } from '../model/endpoint.ts';
import { type Grant, isGroupGrant } from '../model/grant.ts';

/** What of a document is counted. */
interface Counted {
  readonly endpoints: readonly Placed<Endpoint>[];
  readonly grants: readonly Placed<Grant>[];
  readonly plans: readonly Placed<unknown>[];
  readonly issuers: readonly Placed<unknown>[];
}

/** Reports the first endpoint, grants for groups, plan and issuer that are more than a store may have. */
export function checkCounts({ endpoints, grants, plans, issuers }: Counted, problems: ProblemLog): void {
  const counts = new Map<string, number>();
  const count = (what: string, { place }: Placed<unknown>, more: number, most: number): void => {
    const before = counts.get(what) ?? 0;
    counts.set(what, before + more);
    if (before > most || before + more <= most) return;
    problems.report(place, `at most ${String(most)} ${what} may be, and this is beyond; remove some`);
  };
  for (const placed of endpoints) {
    count('endpoints', placed, 1, MAX_ENDPOINTS);
    const segments = 'segments of the paths of endpoints, counted for each host,';
    count(segments, placed, segmentCount(placed.value.match), MAX_PATH_SEGMENTS);
  }
  for (const placed of grants) {
    if (!isGroupGrant(placed.value)) continue;
    count('grants for groups', placed, 1, MAX_GROUP_GRANTS);
    const ofEndpoint = `grants for groups on the endpoint "${placed.value.endpointId}"`;
    count(ofEndpoint, placed, 1, MAX_GROUP_GRANTS_OF_ENDPOINT);
  }
  for (const placed of plans) count('plans', placed, 1, MAX_PLANS);
  for (const placed of issuers) count('issuers', placed, 1, MAX_ISSUERS);
}
