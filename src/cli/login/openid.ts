import {
  allowInsecureRequests,
  ClientError,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  initiateDeviceAuthorization,
  None,
  pollDeviceAuthorizationGrant,
  refreshTokenGrant,
  ResponseBodyError,
  type TokenEndpointResponse,
  tokenRevocation,
} from 'openid-client';
import { StoreUnavailable } from '../../check/store/credential-source.ts';
import { SignInRefused } from './sign-in-refused.ts';

/** A person waits for each answer; seconds. */
const TIMEOUT_SECONDS = 10;
/** Whatever the provider says, a code is waited for no longer. */
const MAX_CODE_SECONDS = 1800;
/** Some providers give a refresh token only with it (OpenID Connect Core §11). */
const OFFLINE = 'offline_access';

/** The public client of commands at a provider. */
export interface CommandClient {
  readonly issuer: string;
  readonly clientId: string;
}

/** What the provider gave. */
export interface Granted {
  readonly idToken: string;
  readonly accessToken: string;
  /** Null: the session cannot be renewed without the person. */
  readonly refreshToken: string | null;
}

/** Where a person says yes, and with which code (RFC 8628 §3.3). */
export interface DeviceCode {
  readonly uri: string;
  readonly code: string;
  /** With the code in it; null where the provider has none. */
  readonly uriWithCode: string | null;
  readonly seconds: number;
}

/**
 * Signs a person in by the device flow (RFC 8628): `tell` shows where to say yes. Asks no more often than the provider
 * allows, until it answers or the code has expired. Rejects with {@link SignInRefused}, or with `StoreUnavailable` when
 * the provider does not answer.
 */
export async function signInByDevice(
  client: CommandClient,
  scopes: readonly string[],
  tell: (code: DeviceCode) => void,
): Promise<Granted> {
  const configuration = await configure(client);
  const { scopes_supported: known = [], device_authorization_endpoint: endpoint } = configuration.serverMetadata();
  if (endpoint === undefined) throw new SignInRefused(`the provider ${client.issuer} has no device flow (RFC 8628)`);
  const scope = [...new Set([...scopes, ...(known.includes(OFFLINE) ? [OFFLINE] : [])])].join(' ');
  const started = await atProvider(client, () => initiateDeviceAuthorization(configuration, { scope }));
  const { user_code: code, verification_uri: uri, verification_uri_complete: uriWithCode } = started;
  for (const each of [uri, uriWithCode]) if (each !== undefined) requireWebAddress(each, client);
  const seconds = Math.min(started.expires_in, MAX_CODE_SECONDS);
  tell({ uri, code, uriWithCode: uriWithCode ?? null, seconds });
  const signal = AbortSignal.timeout(seconds * 1000);
  const tokens = await atProvider(client, async () => {
    try {
      return await pollDeviceAuthorizationGrant(configuration, started, undefined, { signal });
    } catch (error) {
      if (signal.aborted) throw new SignInRefused(CODE_EXPIRED, { cause: error });
      throw error;
    }
  });
  return grantedBy(tokens, client, null);
}

/** Renews without the person. The refresh token may be another one afterwards. Rejects as {@link signInByDevice}. */
export async function renew(client: CommandClient, refreshToken: string): Promise<Granted> {
  const configuration = await configure(client);
  const tokens = await atProvider(client, () => refreshTokenGrant(configuration, refreshToken));
  return grantedBy(tokens, client, refreshToken);
}

/** Revokes a refresh token (RFC 7009); false where the provider has no endpoint for it. */
export async function revoke(client: CommandClient, refreshToken: string): Promise<boolean> {
  const configuration = await configure(client);
  if (configuration.serverMetadata().revocation_endpoint === undefined) return false;
  const parameters = { token_type_hint: 'refresh_token' };
  await atProvider(client, () => tokenRevocation(configuration, refreshToken, parameters));
  return true;
}

async function configure(client: CommandClient): Promise<Configuration> {
  const issuer = new URL(client.issuer);
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- Only an issuer on loopback comes here with http.
  const insecure = issuer.protocol === 'http:' ? [allowInsecureRequests] : [];
  return await atProvider(client, () =>
    discovery(issuer, client.clientId, undefined, None(), {
      timeout: TIMEOUT_SECONDS,
      execute: [enableNonRepudiationChecks, ...insecure],
    }),
  );
}

function grantedBy(tokens: TokenEndpointResponse, { issuer }: CommandClient, former: string | null): Granted {
  const { id_token: idToken, access_token: accessToken, refresh_token: refreshToken = former } = tokens;
  if (idToken === undefined) throw new SignInRefused(`the provider ${issuer} sent no ID token`);
  return { idToken, accessToken, refreshToken };
}

/** It is shown to a person, who opens it: no other schemes. */
function requireWebAddress(text: string, { issuer }: CommandClient): void {
  const isWeb = URL.canParse(text) && ['https:', new URL(issuer).protocol].includes(new URL(text).protocol);
  if (!isWeb) throw new SignInRefused(`the provider ${issuer} names a page to sign in at that is no web address`);
}

const CODE_EXPIRED = 'the code expired before it was entered: sign in again';

/** What the provider says in words of its own (RFC 8628 §3.5, RFC 6749 §5.2). */
const refusals: Readonly<Record<string, string>> = {
  access_denied: 'the sign-in was denied at the provider',
  expired_token: CODE_EXPIRED,
  invalid_grant: 'the provider takes the refresh token no more',
};

/** Codes of the library for an answer that has not come, or only as 5xx. */
const DOWN = ['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR'];

async function atProvider<T>({ issuer }: CommandClient, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof SignInRefused) throw error;
    const code = codeOf(error);
    if (error instanceof TypeError || (error instanceof ClientError && DOWN.includes(code))) {
      throw new StoreUnavailable(`the provider ${issuer} does not answer as it must (${code})`, { cause: error });
    }
    throw new SignInRefused(refusals[code] ?? `the provider ${issuer} refused: ${code}`, { cause: error });
  }
}

/** Codes only: messages and causes of the library can hold what was sent. */
function codeOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  const codes = [
    error instanceof ResponseBodyError ? error.error : undefined,
    cause instanceof Error && 'code' in cause ? cause.code : undefined,
    error instanceof Error && 'code' in error ? error.code : undefined,
  ];
  const code = codes.find((each) => typeof each === 'string' && /^[A-Za-z0-9_.-]{1,64}$/.test(each));
  return typeof code === 'string' ? code : 'unknown';
}
