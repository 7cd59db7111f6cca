import { createRemoteJWKSet, decodeJwt, errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose';
import type { Clock } from '../../../../base/clock.ts';
import { SignInFault } from '../sign-in-fault.ts';

/** Whose ID tokens are taken. */
export interface IdTokenSettings {
  readonly issuer: URL;
  readonly clientId: string;
  /** How long the keys of the provider are waited for. */
  readonly timeoutSeconds: number;
}

/** What of the provider's metadata counts. */
interface ProviderMetadata {
  readonly issuer: string;
  readonly jwks_uri?: string | undefined;
}

/** The claims of an ID token that was verified. */
export type IdTokenClaims = JWTPayload & { readonly sub: string };

/** Signatures with a key pair: whoever can verify one cannot make one. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** An older ID token is none that a person or a renewal has just got. */
const MAX_AGE_SECONDS = 300;
/** How far the provider's clock may be off. */
const TOLERANCE_SECONDS = 30;

/**
 * Verifies ID tokens that come from elsewhere than the provider itself (OpenID Connect Core §3.1.3.7). Rejects with
 * {@link SignInFault} only; its messages hold nothing of a token.
 */
export class IdTokenVerifier {
  readonly #settings: IdTokenSettings;
  readonly #clock: Pick<Clock, 'nowSeconds'>;
  #keys: { readonly uri: string; readonly find: JWTVerifyGetKey } | null = null;

  constructor(settings: IdTokenSettings, clock: Pick<Clock, 'nowSeconds'>) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Throws for a token that does not even claim to be for this client, so that the provider is not asked for it. */
  requireMeant(idToken: string): void {
    const { iss, aud } = read(() => decodeJwt(idToken));
    const { issuer, clientId } = this.#settings;
    const isOfIssuer = typeof iss === 'string' && withoutSlash(iss) === withoutSlash(issuer.href);
    if (!isOfIssuer) throw refused('it is not of the provider that this API asks people to sign in at');
    if (aud !== clientId && !(Array.isArray(aud) && aud.includes(clientId))) {
      throw refused('it was issued to another client');
    }
  }

  /** The claims of a fresh ID token for this client, signed by a key of the provider. */
  async verify(idToken: string, { issuer, jwks_uri: uri }: ProviderMetadata): Promise<IdTokenClaims> {
    try {
      const { payload, protectedHeader } = await jwtVerify(idToken, this.#keysAt(uri), {
        issuer,
        audience: this.#settings.clientId,
        algorithms: ALGORITHMS,
        requiredClaims: ['sub', 'exp', 'iat'],
        maxTokenAge: MAX_AGE_SECONDS,
        clockTolerance: TOLERANCE_SECONDS,
        currentDate: new Date(this.#clock.nowSeconds() * 1000),
      });
      this.#requireIdToken(payload, protectedHeader.typ);
      const { sub } = payload;
      if (sub === undefined || sub === '') throw refused('it names nobody');
      return { ...payload, sub };
    } catch (error) {
      throw faultOf(error);
    }
  }

  /** Throws for other tokens that the same key signs, and for an ID token of another sign-in. */
  #requireIdToken(payload: JWTPayload, type: string | undefined): void {
    const { clientId } = this.#settings;
    const { aud, azp, nonce, events, typ } = payload;
    if (type !== undefined && type.toUpperCase() !== 'JWT') throw refused('it is a token of another kind');
    if (events !== undefined || (typ !== undefined && typ !== 'ID')) throw refused('it is a token of another kind');
    const isShared = Array.isArray(aud) && aud.length > 1;
    if ((azp !== undefined || isShared) && azp !== clientId) throw refused('it was issued to another client');
    if (nonce !== undefined) throw refused('it was issued for a sign-in with a browser');
  }

  #keysAt(uri: string | undefined): JWTVerifyGetKey {
    if (uri === undefined) throw unusable('it publishes no keys');
    if (this.#keys?.uri === uri) return this.#keys.find;
    const url = URL.canParse(uri) ? new URL(uri) : null;
    if (url === null || (url.protocol !== 'https:' && this.#settings.issuer.protocol !== 'http:'))
      throw unusable('its keys have no address with https');
    const find = createRemoteJWKSet(url, { timeoutDuration: this.#settings.timeoutSeconds * 1000 });
    this.#keys = { uri, find };
    return find;
  }
}

function withoutSlash(text: string): string {
  return text.replace(/\/$/, '');
}

function read<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw faultOf(error);
  }
}

/** Codes of the library for keys that cannot be had. */
const KEYS_UNUSABLE = ['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'];

function faultOf(error: unknown): SignInFault {
  if (error instanceof SignInFault) return error;
  if (error instanceof errors.JWTExpired) return refused('it has expired, or is older than five minutes', error);
  const isOfKeys =
    error instanceof TypeError || (error instanceof errors.JOSEError && KEYS_UNUSABLE.includes(error.code));
  if (isOfKeys) return unusable('its keys cannot be had', error);
  if (error instanceof errors.JWTClaimValidationFailed) return refused(`its claim ${error.claim} is not taken`, error);
  if (error instanceof errors.JOSEError) return refused(error.code, error);
  return refused('it is none', error);
}

function refused(reason: string, cause?: unknown): SignInFault {
  return new SignInFault('refused', `the ID token is not taken: ${reason}`, cause);
}

function unusable(reason: string, cause?: unknown): SignInFault {
  return new SignInFault('provider', `the OpenID Connect provider cannot be used: ${reason}`, cause);
}
