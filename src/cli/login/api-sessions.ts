import { parseIssuer } from '../../base/config-values.ts';
import { StoreUnavailable } from '../../check/store/credential-source.ts';
import type { Api } from '../management-api/exchange.ts';
import { askApi, detailOf } from './ask-api.ts';
import type { CommandClient, Granted } from './openid.ts';
import { SignInRefused } from './sign-in-refused.ts';

/** Who a token is of, as the API says. */
export interface Me {
  readonly id: string;
  /** The id, unless the operator has another. */
  readonly name: string;
  readonly role: string;
  /** Empty: the operator reaches everything. */
  readonly labels: Readonly<Record<string, unknown>>;
  readonly hosts: readonly unknown[];
  readonly pathPrefixes: readonly unknown[];
  /** By what the API knows the operator: `token`, `session`. */
  readonly by: string;
  /** Seconds since the epoch; when the token or session ends. */
  readonly expiresAt: number;
}

/** Where people sign in, and as which client. */
export interface Provider extends CommandClient {
  readonly scopes: readonly string[];
  /** Whether the API looks at the provider's UserInfo endpoint, for another claim than the subject. */
  readonly asksUserInfo: boolean;
}

/** Where the API has people sign in; null where it takes own tokens only. Rejects for one of another address. */
export async function findProvider(api: Api): Promise<Provider | null> {
  const answer = await askApi(api, { method: 'GET', path: '/.well-known/oauth-protected-resource' });
  if (answer.status === 404) return null;
  if (answer.status !== 200) throw notAnApi(api);
  const {
    resource,
    authorization_servers: issuers,
    postern_client_id: clientId,
    scopes_supported: scopes,
  } = answer.body;
  if (typeof resource !== 'string' || typeof clientId !== 'string' || clientId === '') throw notAnApi(api);
  // RFC 9728 §3.3: else another address could pass on what is meant for this one.
  if (resource !== api.origin) {
    throw new SignInRefused(
      `${api.origin} says that its address is ${resource}: give that one as --store, or set POSTERN_MANAGE_URL there`,
    );
  }
  const issuer: unknown = Array.isArray(issuers) ? issuers[0] : undefined;
  if (typeof issuer !== 'string' || 'fault' in parseIssuer(issuer)) throw notAnApi(api);
  const known = Array.isArray(scopes) ? scopes.filter((each): each is string => typeof each === 'string') : [];
  const wanted = known.length === 0 ? ['openid'] : known;
  return { issuer, clientId, scopes: wanted, asksUserInfo: wanted.some((each) => each !== 'openid') };
}

/** A session for an ID token. Rejects with {@link SignInRefused} where the API does not take it. */
export async function beginSession(
  api: Api,
  { idToken, accessToken }: Pick<Granted, 'idToken' | 'accessToken'>,
  { asksUserInfo }: Pick<Provider, 'asksUserInfo'>,
): Promise<{ readonly token: string; readonly expiresAt: number }> {
  const question = {
    method: 'POST',
    path: '/v1/sessions',
    token: idToken,
    body: asksUserInfo ? { accessToken } : {},
  } as const;
  const answer = await askApi(api, question);
  if (answer.status !== 201) throw new SignInRefused(`${api.origin} does not let you in: ${detailOf(answer)}`);
  const { token, expiresAt } = answer.body;
  if (typeof token !== 'string') throw notAnApi(api);
  return { token, expiresAt: secondsOf(expiresAt, api) };
}

/** Ends a session. One that has ended already is no fault. */
export async function endSession(api: Api, token: string): Promise<void> {
  await askApi(api, { method: 'DELETE', path: '/v1/sessions/current', token });
}

/** Whose token this is. Rejects with {@link SignInRefused} for one that the API does not take. */
export async function findMe(api: Api, token: string): Promise<Me> {
  const answer = await askApi(api, { method: 'GET', path: '/v1/operators/me', token });
  if (answer.status !== 200) throw new SignInRefused(`${api.origin}: ${detailOf(answer)}`);
  const { id, name, role, selector, hosts, pathPrefixes, proof } = answer.body;
  if (typeof id !== 'string' || typeof role !== 'string') throw notAnApi(api);
  const { by, expiresAt } = recordOf(proof);
  return {
    id,
    name: typeof name === 'string' ? name : id,
    role,
    labels: recordOf(selector),
    hosts: Array.isArray(hosts) ? hosts : [],
    pathPrefixes: Array.isArray(pathPrefixes) ? pathPrefixes : [],
    by: typeof by === 'string' ? by : 'token',
    expiresAt: secondsOf(expiresAt, api),
  };
}

function secondsOf(time: unknown, api: Api): number {
  const seconds = typeof time === 'string' ? Math.floor(Date.parse(time) / 1000) : NaN;
  if (Number.isFinite(seconds)) return seconds;
  throw notAnApi(api);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function notAnApi(api: Api): StoreUnavailable {
  return new StoreUnavailable(`${api.origin} does not answer as the management API of this version does`);
}
