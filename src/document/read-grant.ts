import type { Grant } from '../model/grant.ts';
import { idField, nestedField, timeField } from './fields.ts';
import { placeIn, type Place, type ProblemLog } from './problem-log.ts';
import { readLimits } from './read-limits.ts';
import { readMapping } from './read-mapping.ts';

const grantKind = {
  what: 'a grant',
  fields: { endpoint: idField, consumer: idField, expiresAt: timeField, limits: nestedField },
  required: ['endpoint', 'consumer'],
} as const;

const grantLimits = { per: 'consumer', why: 'a grant limits its own consumer' } as const;

/** Reads a grant; null when a problem was reported. Whether its references resolve is not looked at here. */
export function readGrant(raw: unknown, place: Place, problems: ProblemLog): Grant | null {
  const before = problems.count;
  const values = readMapping(raw, place, grantKind, problems);
  if (values === null) return null;
  const { endpoint, consumer, expiresAt = null } = values;
  const limits =
    values.limits === undefined ? null : readLimits(values.limits, placeIn(place, 'limits'), grantLimits, problems);
  if (problems.count > before || endpoint === undefined || consumer === undefined) return null;
  return { endpointId: endpoint, consumerId: consumer, limits, expiresAt };
}
