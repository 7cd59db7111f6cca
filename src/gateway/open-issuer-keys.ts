import { randomInt } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { startSystemTimer } from '../base/clock.ts';
import type { IssuerKeys } from '../check/methods/jwt/issuer-keys.ts';
import type { CheckStore, IssuerTable } from '../check/store/check-store.ts';
import { StoreUnavailable } from '../check/store/credential-source.ts';
import { issuerFiles } from './configured-files.ts';
import { createIssuerKeysObserver } from './observe/issuer-keys-observer.ts';
import type { OwnedParts, PartPorts } from './parts.ts';
import { openTls } from './tls.ts';
import { FetchedIssuerKeys } from './issuer-keys/fetched-issuer-keys.ts';
import { fetchJwks } from './issuer-keys/fetch-jwks.ts';

const RANDOM_STEPS = 1_000_000;

/**
 * Begins to fetch the keys of the store's issuers. Rejects, naming setting and file, when `POSTERN_JWKS_CA` cannot be
 * used; later changes of the file are followed.
 */
export async function openIssuerKeys(
  store: Pick<CheckStore, 'current'>,
  ports: Pick<PartPorts, 'config' | 'clock' | 'logger' | 'metrics'>,
  parts: OwnedParts,
): Promise<IssuerKeys> {
  const { config, clock, logger, metrics } = ports;
  const tls = await openTls('issuer-keys', issuerFiles(config), ports);
  let authorities = withRoots(tls?.material.ca ?? null);
  parts.own(
    tls?.follow((material) => {
      authorities = withRoots(material.ca);
    }) ?? null,
  );
  const privateHosts = new Set(config.jwksPrivateHosts ?? []);
  const keys: FetchedIssuerKeys = new FetchedIssuerKeys({
    fetch: async (jwksUri, stop) => await fetchJwks(jwksUri, { privateHosts, authorities: () => authorities }, stop),
    issuers: () => issuersOf(store),
    clock,
    startTimer: startSystemTimer,
    random: () => randomInt(RANDOM_STEPS) / RANDOM_STEPS,
    observer: createIssuerKeysObserver(logger, metrics.registry, () => keys.agesSeconds()),
  });
  return parts.own(keys);
}

/** Those of the file beside those that Node brings. */
function withRoots(ca: Buffer | null): string | null {
  return ca === null ? null : [...rootCertificates, ca.toString('utf8')].join('\n');
}

function issuersOf(store: Pick<CheckStore, 'current'>): IssuerTable | null {
  try {
    return store.current().issuers;
  } catch (fault) {
    if (fault instanceof StoreUnavailable) return null;
    throw fault;
  }
}
