import { settings } from '../../gateway/config.ts';
import { issuerOf } from '../../gateway/oauth2/oauth2-addresses.ts';
import type { Environment } from '../../base/environment.ts';
import { StoreUnavailable } from '../../check/store/credential-source.ts';
import type { TokenClaims } from '../../check/tokens/token-claims.ts';
import type { KnownTokens } from '../../partners/explain/judge-request.ts';
import { UsageError } from '../failure.ts';
import type { OpenedStore } from '../opened-store.ts';
import { isKeyRingNamed, openKeyRing } from '../store/open-store.ts';

/**
 * What the key ring and the store say of the access token of a request; `claims` null: it has none that can be read.
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
