import type { AuthenticationPorts } from '../methods/authenticated.ts';
import type { Clock } from '../clock.ts';
import { AccessTokens } from '../oauth2/access-tokens.ts';
import { readUnverifiedClaims } from '../oauth2/token-claims.ts';
import type { TokenRing } from '../oauth2/token-keys.ts';

/** What is known of access tokens where a request is explained. */
export interface KnownTokens {
  readonly issuer: string;
  /** The key ring of the gateway; null where it is not at hand. */
  readonly ring: TokenRing | null;
  /** Whether the client is known to have revoked the token of the request. */
  readonly isRevoked: boolean;
  /** What cannot be judged, each a sentence. */
  readonly notes: readonly string[];
}

/** What partners know who have no store. */
export const tokensOfPartners: KnownTokens = {
  issuer: '',
  ring: null,
  isRevoked: false,
  notes: [
    'Whether the gateway issued the token, whether the token or its credential was revoked, and whether there is a grant cannot be judged without the store and the key ring of the gateway.',
  ],
};

/** The ports that authentication judges tokens with. Without a key ring, every token of the right form is taken as issued. */
export function tokenPorts(
  { issuer, ring, isRevoked }: KnownTokens,
  clock: Clock,
): Pick<AuthenticationPorts, 'tokens' | 'revokedTokens'> {
  return {
    tokens:
      ring === null
        ? { verify: (text) => readToken(text, clock) }
        : new AccessTokens({ issuer, ring: () => ring, clock }),
    revokedTokens: { isRevoked: () => isRevoked },
  };
}

function readToken(text: string, clock: Clock): ReturnType<AccessTokens['verify']> {
  const claims = readUnverifiedClaims(text);
  if (claims === null) return { fault: 'the claims of the token are not written as they are here' };
  return clock.nowSeconds() >= claims.expiresAt ? { fault: 'the token has expired' } : claims;
}
