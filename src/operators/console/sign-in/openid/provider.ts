import {
  allowInsecureRequests,
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  ResponseBodyError,
} from 'openid-client';
import type { Clock } from '../../../../base/clock.ts';
import { SignInFault } from '../sign-in-fault.ts';
import { IdTokenVerifier } from './id-token.ts';
import { checksOf, type Flow } from './flow.ts';

/** How the provider is asked. */
export interface OpenIdSettings {
  readonly issuer: URL;
  readonly clientId: string;
  /** Reads the secret of the client, so that another one counts without a restart; null for a public client. */
  readonly readClientSecret: (() => Promise<string>) | null;
  /** The claim that names a person: `sub`, or `email`, which then has to be verified. */
  readonly claim: string;
  /** Where the provider sends people back to; registered there. */
  readonly redirectUri: URL;
  /** How long each answer of the provider is waited for. */
  readonly timeoutSeconds: number;
}

/** Metadata of a provider change seldom; its keys are looked up by the library when an unknown one signed. */
const KEPT_MS = 3_600_000;

/**
 * The OpenID Connect provider by which people sign in: authorization code with PKCE (OpenID Connect Core §3.1, RFC
 * 7636). It is asked for its metadata when first used, and again after an hour. Rejects with {@link SignInFault} only.
 */
export class OpenIdProvider {
  readonly #settings: OpenIdSettings;
  readonly #clock: Pick<Clock, 'nowMs' | 'nowSeconds'>;
  readonly #idTokens: IdTokenVerifier;
  #known: { readonly configuration: Configuration; readonly secret: string | null; readonly untilMs: number } | null =
    null;

  constructor(settings: OpenIdSettings, clock: Pick<Clock, 'nowMs' | 'nowSeconds'>) {
    this.#settings = settings;
    this.#clock = clock;
    this.#idTokens = new IdTokenVerifier(settings, clock);
  }

  /** The name on the button. */
  get name(): string {
    return this.#settings.issuer.host;
  }

  /** Where the browser goes to begin a flow. */
  async authorizationUrl(flow: Flow): Promise<URL> {
    const { claim, redirectUri } = this.#settings;
    const { state, nonce, verifier } = checksOf(flow);
    const configuration = await this.#configuration();
    return buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri.href,
      scope: scopeFor(claim),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
  }

  /** The subject whom the provider sent back with a query, in the browser that began the flow. */
  async subjectOf(query: string, flow: Flow): Promise<string> {
    const { state, nonce, verifier } = checksOf(flow);
    const configuration = await this.#configuration();
    const callback = new URL(this.#settings.redirectUri);
    callback.search = query;
    try {
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const tokens = await authorizationCodeGrant(configuration, callback, checks);
      const claims = tokens.claims();
      if (claims === undefined) throw new SignInFault('refused', 'the provider sent no ID token');
      // OpenID Connect Core §3.1.3.7 (5). The library looks at it only where there are several audiences.
      if (claims['azp'] !== undefined && claims['azp'] !== this.#settings.clientId) {
        throw new SignInFault('refused', 'what the provider sent back is not taken: it was issued to another client');
      }
      return await this.#subjectIn(
        claims,
        async () => await fetchUserInfo(configuration, tokens.access_token, claims.sub),
      );
    } catch (error) {
      throw faultOf(error);
    }
  }

  /**
   * The subject of an ID token that a command got for this client (RFC 8628). No nonce ties it to what began, so that
   * only a fresh one counts.
   */
  async subjectOfIdToken(idToken: string, accessToken: string | null): Promise<string> {
    try {
      this.#idTokens.requireMeant(idToken);
      const configuration = await this.#configuration();
      const claims = await this.#idTokens.verify(idToken, configuration.serverMetadata());
      return await this.#subjectIn(claims, async () => {
        if (accessToken === null) return claims;
        return await fetchUserInfo(configuration, accessToken, claims.sub);
      });
    } catch (error) {
      throw faultOf(error);
    }
  }

  /** What an ID token has to be asked for with, so that it tells the claim. */
  get scope(): string {
    return scopeFor(this.#settings.claim);
  }

  async #subjectIn(claims: Claims & { readonly sub: string }, ask: () => Promise<Claims>): Promise<string> {
    const { claim } = this.#settings;
    if (claim === 'sub') return claims.sub;
    // Many providers tell everything but the subject at the UserInfo endpoint only (OpenID Connect Core §5.4).
    const told = claims[claim] === undefined ? await ask() : claims;
    const value = told[claim];
    if (typeof value !== 'string' || value === '') {
      throw new SignInFault('refused', `the provider does not tell the claim ${claim} of this account`);
    }
    if (claim === 'email' && told['email_verified'] !== true) {
      throw new SignInFault('refused', 'the provider has not verified the e-mail address of this account');
    }
    return value;
  }

  async #configuration(): Promise<Configuration> {
    const { issuer, clientId, readClientSecret, timeoutSeconds } = this.#settings;
    const nowMs = this.#clock.nowMs();
    try {
      const secret = (await readClientSecret?.()) ?? null;
      const known = this.#known;
      // eslint-disable-next-line no-restricted-syntax -- Both are ours.
      if (known !== null && known.secret === secret && nowMs < known.untilMs) return known.configuration;
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- The settings take http for loopback only.
      const insecure = issuer.protocol === 'http:' ? [allowInsecureRequests] : [];
      const configuration = await discovery(issuer, clientId, undefined, authenticationWith(secret), {
        timeout: timeoutSeconds,
        execute: [enableNonRepudiationChecks, ...insecure],
      });
      this.#known = { configuration, secret, untilMs: nowMs + KEPT_MS };
      return configuration;
    } catch (error) {
      throw new SignInFault('provider', `the OpenID Connect provider cannot be used: ${reasonOf(error)}`, error);
    }
  }
}

type Claims = Readonly<Record<string, unknown>>;

function scopeFor(claim: string): string {
  if (claim === 'sub') return 'openid';
  return claim === 'email' || claim === 'email_verified' ? 'openid email' : 'openid profile email';
}

/** HTTP Basic where the provider takes it, as RFC 6749 §2.3.1 prefers; else in the body. */
function authenticationWith(secret: string | null): ClientAuth {
  if (secret === null) return None();
  return (server, client, body, headers) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = taken.includes('client_secret_basic') ? ClientSecretBasic(secret) : ClientSecretPost(secret);
    authenticate(server, client, body, headers);
  };
}

/** Codes of the library for a provider that does not answer, or answers with 5xx and other things than it must. */
const DOWN = ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR'];

function faultOf(error: unknown): SignInFault {
  if (error instanceof SignInFault) return error;
  if (error instanceof AuthorizationResponseError) {
    return new SignInFault('refused', `the provider refused: ${reasonOf(error)}`, error);
  }
  const isOurs = error instanceof ResponseBodyError && error.error !== 'invalid_grant';
  const isDown = error instanceof TypeError || (error instanceof ClientError && DOWN.includes(error.code ?? ''));
  if (isOurs || isDown) {
    return new SignInFault('provider', `the OpenID Connect provider cannot be used: ${reasonOf(error)}`, error);
  }
  return new SignInFault('refused', `what the provider sent back is not taken: ${reasonOf(error)}`, error);
}

/** Codes only: messages and causes of the library can hold what was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return printableCode(error.error);
  if (error instanceof ClientError) return printableCode(error.code ?? error.name);
  if (error instanceof Error && error.cause instanceof Error && 'code' in error.cause)
    return printableCode(error.cause.code);
  if (error instanceof Error && 'code' in error) return printableCode(error.code);
  return 'it does not answer';
}

function printableCode(code: unknown): string {
  return typeof code === 'string' && /^[A-Za-z0-9_.-]{1,64}$/.test(code) ? code : 'unknown';
}
