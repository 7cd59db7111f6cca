import type { Change } from '../../../resources/changes/change.ts';
import { Conflict } from '../../../resources/changes/resource-store.ts';
import {
  MAX_ENDPOINTS,
  MAX_ENDPOINTS_BYTES,
  MAX_GROUP_GRANTS,
  MAX_GROUP_GRANTS_OF_ENDPOINT,
  MAX_ISSUERS,
  MAX_PATH_SEGMENTS,
  MAX_PLANS,
} from '../../../model/bounds.ts';
import { type Endpoint, segmentCount } from '../../../model/endpoint.ts';
import { type GroupGrant, isGroupGrant } from '../../../model/grant.ts';
import { declareEndpoint } from '../../../resources/endpoint.ts';
import { collectionOf, forGroups } from '../documents.ts';
import { changesOfKind, type CommitContext } from './changes.ts';

/**
 * Rejects with {@link Conflict} when, after the changes were written, there are more endpoints, grants for groups,
 * plans or issuers than may be, and more than before. What was beyond a bound may stay, and shrink.
 */
export async function checkBounds(changes: readonly Change[], context: CommitContext): Promise<void> {
  await checkEndpoints(changes, context);
  await checkGroupGrants(changes, context);
  await checkCount('plan', MAX_PLANS, changes, context);
  await checkCount('issuer', MAX_ISSUERS, changes, context);
}

async function checkEndpoints(changes: readonly Change[], { db, session }: CommitContext): Promise<void> {
  const moreEndpoints = growthOf(changes, () => 1);
  const moreBytes = growthOf(changes, (endpoint) => JSON.stringify(declareEndpoint(endpoint)).length);
  if (moreEndpoints <= 0 && moreBytes <= 0) return;
  const [total] = await collectionOf(db, 'endpoints')
    .aggregate<{ readonly count: number; readonly bytes: number }>(
      [{ $group: { _id: null, count: { $sum: 1 }, bytes: { $sum: { $bsonSize: '$$ROOT' } } } }],
      { session },
    )
    .toArray();
  if (moreEndpoints > 0) refuseBeyond(total?.count ?? 0, MAX_ENDPOINTS, 'endpoints');
  if (moreBytes > 0) refuseBeyond(total?.bytes ?? 0, MAX_ENDPOINTS_BYTES, 'bytes of endpoints');
}

/** The same for the segments of paths. `endpoints` are all, after the changes. */
export function checkSegments(changes: readonly Change[], endpoints: readonly Endpoint[]): void {
  if (growthOf(changes, ({ match }) => segmentCount(match)) <= 0) return;
  const segments = endpoints.reduce((sum, { match }) => sum + segmentCount(match), 0);
  refuseBeyond(segments, MAX_PATH_SEGMENTS, 'segments of the paths of endpoints, counted for each host');
}

/** By how much changes of endpoints add to a measure. */
function growthOf(changes: readonly Change[], measure: (endpoint: Endpoint) => number): number {
  return changesOfKind(changes, 'endpoint').reduce(
    (growth, { before, after }) =>
      growth + (after === null ? 0 : measure(after)) - (before === null ? 0 : measure(before.resource)),
    0,
  );
}

async function checkGroupGrants(changes: readonly Change[], { db, session }: CommitContext): Promise<void> {
  const more = new Map<string, number>();
  for (const { before, after } of changesOfKind(changes, 'grant')) {
    if (isForGroup(after)) more.set(after.endpointId, (more.get(after.endpointId) ?? 0) + 1);
    const former = before?.resource ?? null;
    if (isForGroup(former)) more.set(former.endpointId, (more.get(former.endpointId) ?? 0) - 1);
  }
  const grants = collectionOf(db, 'grants');
  for (const [endpointId, count] of more) {
    if (count <= 0) continue;
    const there = await grants.countDocuments({ ...forGroups, endpointId }, { session });
    refuseBeyond(there, MAX_GROUP_GRANTS_OF_ENDPOINT, `grants for groups on the endpoint "${endpointId}"`);
  }
  if ([...more.values()].reduce((sum, count) => sum + count, 0) <= 0) return;
  refuseBeyond(await grants.countDocuments(forGroups, { session }), MAX_GROUP_GRANTS, 'grants for groups');
}

async function checkCount(
  kind: 'plan' | 'issuer',
  most: number,
  changes: readonly Change[],
  { db, session }: CommitContext,
): Promise<void> {
  const own = changes.filter((change) => change.kind === kind);
  const more = own.reduce((sum, { before, after }) => sum + (after === null ? 0 : 1) - (before === null ? 0 : 1), 0);
  if (more > 0) refuseBeyond(await collectionOf(db, `${kind}s`).countDocuments({}, { session }), most, `${kind}s`);
}

function isForGroup(grant: object | null): grant is GroupGrant {
  return grant !== null && isGroupGrant(grant);
}

function refuseBeyond(count: number, most: number, what: string): void {
  if (count <= most) return;
  throw new Conflict(
    `there would be ${String(count)} ${what}, and at most ${String(most)} may be; remove some. Nothing was changed`,
  );
}
