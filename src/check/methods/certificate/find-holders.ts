import { isPromise, type Pending, whenReady } from '../../../base/pending.ts';
import {
  type CredentialSource,
  type HeldCredential,
  isOutage,
  type StoreUnavailable,
} from '../../store/credential-source.ts';
import type { KnownBy } from './peer-certificate.ts';

/** The credentials that name a certificate, whatever their state. */
export interface Holders {
  /** In the order of what they name. */
  readonly found: readonly HeldCredential[];
  /** Why not all could be looked up; null where they could. */
  readonly outage: StoreUnavailable | null;
}

const noHolders: Holders = { found: [], outage: null };

/**
 * Looks up who names a certificate, one after the other. An outage does not end it: a caller whose credential is in
 * memory is served although others cannot be looked up.
 */
export function findHolders(
  credentials: Pick<CredentialSource, 'findByAppKey'>,
  knownBy: readonly KnownBy[],
  at = 0,
  before: Holders = noHolders,
): Pending<Holders> {
  let holders = before;
  for (const [index, known] of knownBy.entries()) {
    if (index < at) continue;
    const found = lookUp(credentials, known);
    if (isPromise(found)) {
      const [next, soFar] = [index + 1, holders];
      return whenReady(found, (late) => findHolders(credentials, knownBy, next, joined(soFar, late)));
    }
    if (found !== null) holders = joined(holders, found);
  }
  return holders;
}

function joined({ found, outage }: Holders, late: HeldCredential | StoreUnavailable | null): Holders {
  if (late === null) return { found, outage };
  return late instanceof Error ? { found, outage: late } : { found: [...found, late], outage };
}

/** An outage as a value. */
function lookUp(
  credentials: Pick<CredentialSource, 'findByAppKey'>,
  { appKey, appKeyHash }: Omit<KnownBy, 'by'>,
): Pending<HeldCredential | StoreUnavailable | null> {
  try {
    const found = credentials.findByAppKey(appKey, appKeyHash);
    return isPromise(found) ? found.catch(asOutage) : found;
  } catch (error) {
    return asOutage(error);
  }
}

function asOutage(error: unknown): StoreUnavailable {
  if (isOutage(error)) return error;
  throw error;
}
