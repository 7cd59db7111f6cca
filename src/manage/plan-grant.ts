import { declareGrant, grantId, readGrant } from '../resources/grant.ts';
import { type Declared, declareTime } from '../resources/declared.ts';
import { readPlain } from '../document/read-plain.ts';
import type { Grant } from '../model/grant.ts';
import type { Change, Planned } from './change.ts';
import type { Stored } from '../resources/resource.ts';

/** What is wished of a grant. What is absent stays as it is. */
export interface GrantWish {
  /** Replace the grant's own limits: `[]` lifts those of the endpoint, null leaves them to the endpoint. */
  readonly limits?: readonly Declared[] | null;
  /** Seconds since the epoch; null for no end. */
  readonly expiresAt?: number | null;
}

/** Plans that a consumer is authorised on an endpoint, or how that changes. `current` is the grant that there is. */
export function planGrant(
  { endpointId, consumerId }: Pick<Grant, 'endpointId' | 'consumerId'>,
  wish: GrantWish,
  current: Stored<Grant> | null,
): Planned {
  const { limits, expiresAt, ...kept } =
    current === null ? { endpoint: endpointId, consumer: consumerId } : declareGrant(current.resource);
  const wishedLimits = wish.limits === undefined ? limits : wish.limits;
  const wishedEnd = wish.expiresAt === undefined ? expiresAt : timeOf(wish.expiresAt);
  const raw = {
    ...kept,
    ...(wishedLimits === undefined || wishedLimits === null ? {} : { limits: wishedLimits }),
    ...(wishedEnd === undefined || wishedEnd === null ? {} : { expiresAt: wishedEnd }),
  };
  const read = readPlain(raw, readGrant);
  if ('problems' in read) return read;
  return { changes: [{ kind: 'grant', id: grantId(read.value), before: current, after: read.value }] };
}

function timeOf(seconds: number | null): string | null {
  return seconds === null ? null : declareTime(seconds);
}

/** Plans that a consumer is no longer authorised on an endpoint. */
export function planGrantRemoval(before: Stored<Grant>): Change {
  return { kind: 'grant', id: grantId(before.resource), before, after: null };
}
