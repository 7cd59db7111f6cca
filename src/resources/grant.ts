import { dateField, idField, nestedField, nestedList, timeField } from '../document/fields.ts';
import { placeIn, type Place, type ProblemLog } from '../document/problem-log.ts';
import { readMapping } from '../document/read-mapping.ts';
import type { Grant } from '../model/grant.ts';
import { type Declared, declareTime } from './declared.ts';
import { declareLimits, limitKind, readLimits } from './limits.ts';

/** A grant of a declarative file. */
export const grantKind = {
  what: 'a grant',
  fields: { endpoint: idField, consumer: idField, expiresAt: timeField, limits: nestedList(limitKind) },
  required: ['endpoint', 'consumer'],
} as const;

/** A grant of a database. */
export const storedGrantKind = {
  what: 'a grant',
  fields: {
    id: nestedField({ bsonType: 'string' }),
    endpointId: idField,
    consumerId: idField,
    expiresAt: dateField,
    limits: nestedList(limitKind),
  },
  required: ['id', 'endpointId', 'consumerId'],
} as const;

const grantLimits = { per: 'consumer', why: 'a grant limits its own consumer' } as const;

/** Reads a grant; null when a problem was reported. Whether its references resolve is not looked at here. */
export function readGrant(raw: unknown, place: Place, problems: ProblemLog): Grant | null {
  const before = problems.count;
  const values = readMapping(raw, place, grantKind, problems) ?? {};
  const limits = readGrantLimits(values.limits, place, problems);
  const { endpoint, consumer, expiresAt = null } = values;
  if (problems.count > before || endpoint === undefined || consumer === undefined) return null;
  return { endpointId: endpoint, consumerId: consumer, limits, expiresAt };
}

/** Reads a grant as a database keeps it; null when a problem was reported. */
export function readStoredGrant(raw: unknown, place: Place, problems: ProblemLog): Grant | null {
  const before = problems.count;
  const values = readMapping(raw, place, storedGrantKind, problems) ?? {};
  const limits = readGrantLimits(values.limits, place, problems);
  const { id, endpointId, consumerId, expiresAt = null } = values;
  if (problems.count > before || endpointId === undefined || consumerId === undefined) return null;
  if (id !== grantId({ endpointId, consumerId })) {
    problems.report(placeIn(place, 'id'), 'must be "endpointId/consumerId" of the same document');
    return null;
  }
  return { endpointId, consumerId, limits, expiresAt };
}

function readGrantLimits(raw: unknown, place: Place, problems: ProblemLog): Grant['limits'] {
  return raw === undefined ? null : readLimits(raw, placeIn(place, 'limits'), grantLimits, problems);
}

/** A grant as a declarative file has it. No `limits` are those of the endpoint; `[]` lifts them. */
export function declareGrant({ endpointId, consumerId, limits, expiresAt }: Grant): Declared {
  return {
    endpoint: endpointId,
    consumer: consumerId,
    ...(expiresAt === null ? {} : { expiresAt: declareTime(expiresAt) }),
    ...(limits === null ? {} : { limits: declareLimits(limits) }),
  };
}

/** The id of a grant, where one text has to name it: `orders/acme`. Ids hold no `/`. */
export function grantId({ endpointId, consumerId }: Pick<Grant, 'endpointId' | 'consumerId'>): string {
  return `${endpointId}/${consumerId}`;
}
