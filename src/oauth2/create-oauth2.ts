import type { Clock } from '../clock.ts';
import { KeyRing } from '../keyring/key-ring.ts';
import { generateRingKey } from '../keyring/ring-content.ts';
import type { CredentialSource } from '../store/credential-source.ts';
import { AccessTokens } from './access-tokens.ts';
import { issuerOf } from './oauth2-addresses.ts';
import { createOAuth2Service, type OAuth2Observer, type OAuth2Service } from './oauth2-service.ts';
import type { RevokedTokens } from './revoked-tokens.ts';
import { Throttle } from './throttle.ts';
import type { TokenRing } from './token-keys.ts';

/** What OAuth2 is put together from. */
export interface OAuth2Parts {
  readonly publicUrl: URL;
  readonly clock: Clock;
  readonly ring: () => TokenRing;
  readonly revokedTokens: RevokedTokens;
  readonly credentials: () => CredentialSource;
  readonly observer: OAuth2Observer;
}

/** Puts together what issues tokens and what verifies them. Throws when the public URL cannot be an issuer. */
export function createOAuth2({ publicUrl, clock, ring, ...parts }: OAuth2Parts): {
  readonly tokens: AccessTokens;
  readonly service: OAuth2Service;
} {
  const issuer = issuerOf(publicUrl);
  const tokens = new AccessTokens({ issuer, ring, clock });
  return { tokens, service: createOAuth2Service({ ...parts, issuer, clock, tokens, throttle: new Throttle(clock) }) };
}

/** A ring with one random key, for a process that was given none: its tokens end with it. */
export function createProcessRing(nowSeconds: number): TokenRing {
  const key = generateRingKey(nowSeconds);
  return new KeyRing({ currentKeyId: key.id, stagedKeyId: null, keys: [key] });
}
