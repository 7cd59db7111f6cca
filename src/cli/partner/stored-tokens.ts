import { type Environment, settings } from '../../config.ts';
import type { KnownTokens } from '../../explain/judge-request.ts';
import { issuerOf } from '../../oauth2/oauth2-addresses.ts';
import type { TokenClaims } from '../../oauth2/token-claims.ts';
import { StoreUnavailable } from '../../store/credential-source.ts';
import { isKeyRingNamed, openKeyRing } from '../store/open-key-ring.ts';
import type { OpenedStore } from '../store/open-store.ts';
import { UsageError } from './usage-error.ts';

/**
 * What the key ring and the store tell of the access token of a request; `claims` null: it has none that can be read.
 * Rejects as `openKeyRing` does, and with {@link UsageError} for a wrong `POSTERN_PUBLIC_URL`.
 */
export async function readKnownTokens(
  claims: TokenClaims | null,
  { isTokenRevoked }: Pick<OpenedStore, 'isTokenRevoked'>,
  environment: Environment,
): Promise<KnownTokens> {
  const { name, default: usual, parse } = settings.publicUrl;
  const publicUrl = parse(environment[name] || usual);
  if ('fault' in publicUrl) throw new UsageError(`${name}: ${publicUrl.fault}`);
  const issuer = issuerOf(publicUrl);
  const unverified = { issuer, ring: null, isRevoked: false, notes: [NO_RING] };
  if (!isKeyRingNamed(environment)) return unverified;
  const verified = { ...unverified, ring: await openKeyRing(environment, () => undefined), notes: [] };
  if (claims === null) return verified;
  if (isTokenRevoked === null) return { ...verified, notes: [`${REVOKED} is known only to the service that runs.`] };
  try {
    return { ...verified, isRevoked: await isTokenRevoked(claims.tokenId) };
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return { ...verified, notes: [`${REVOKED} is not known: ${error.message}.`] };
  }
}

const NO_RING =
  'Whether the gateway issued the token, and whether its client revoked it, cannot be judged without the key ring (POSTERN_KEYRING).';
const REVOKED = 'Whether its client revoked the token';
