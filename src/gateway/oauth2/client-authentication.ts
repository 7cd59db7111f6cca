import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { TOKEN_METHOD } from '../../check/methods/methods.ts';
import { findSigner, unknownAppKey } from '../../check/methods/caller.ts';
import { isAppKey } from '../../model/app-key.ts';
import type { WhichSecret } from '../../model/credential.ts';
import { Secret } from '../../model/secret.ts';
import { type Pending, whenReady } from '../../base/pending.ts';
import { decodeCanonicalBase64 } from '../../base/text/encodings.ts';
import { equal } from '../../base/text/equal.ts';
import { decodeFormText } from '../../base/text/form-decoding.ts';
import { type CredentialSource, type HeldCredential, StoreUnavailable } from '../../check/store/credential-source.ts';
import { invalidClient, invalidRequest, type OAuth2Refusal, type OAuth2Request, refuseOAuth2 } from './messages.ts';
import type { Parameters } from './parameters.ts';
import type { Throttle } from '../../base/throttle.ts';

/** What a client of OAuth2 sent to prove who it is (RFC 6749 §2.3.1). */
export interface ClientCredentials {
  readonly clientId: string;
  readonly secret: Secret;
  /** `client_secret_basic`; else `client_secret_post`. */
  readonly isHeaderUsed: boolean;
}

const BASIC = /^basic +([^ ].*)$/i;

/**
 * Finds the credentials of a client: in `Authorization: Basic`, form-encoded (RFC 6749 §2.3.1), or in the body.
 * Refuses both at once with `invalid_request`, and none, or another way to authenticate, with `invalid_client`.
 */
export function findClientCredentials(
  { headerValues }: Pick<OAuth2Request, 'headerValues'>,
  parameters: Parameters,
): ClientCredentials | OAuth2Refusal {
  const [header, ...more] = headerValues('authorization');
  const clientId = parameters.get('client_id');
  const secretText = parameters.get('client_secret');
  if (header === undefined) {
    if (clientId === undefined || secretText === undefined) {
      return invalidClient(false, 'the request has no client_id and client_secret');
    }
    return { clientId, secret: Secret.fromText(secretText), isHeaderUsed: false };
  }
  if (more.length > 0) return invalidRequest('The Authorization header appears more than once.');
  if (secretText !== undefined) return invalidRequest('The client must authenticate in one way only.');
  const credentials = readBasic(header);
  if (credentials === null) return invalidClient(true, 'the Authorization header has no client id and secret');
  if (clientId !== undefined && clientId !== credentials.clientId) {
    return invalidRequest('The client_id of the body is not that of the Authorization header.');
  }
  return credentials;
}

function readBasic(header: string): ClientCredentials | null {
  const bytes = decodeCanonicalBase64(BASIC.exec(header)?.[1] ?? '');
  if (bytes === null || !isUtf8(bytes)) return null;
  const text = bytes.toString('latin1');
  const colon = text.indexOf(':');
  if (colon === -1) return null;
  const clientId = decodeFormText(text.slice(0, colon));
  const secretText = decodeFormText(text.slice(colon + 1));
  if (clientId === null || secretText === null) return null;
  return { clientId, secret: Secret.fromText(secretText), isHeaderUsed: true };
}

declare const authenticatedClient: unique symbol;

/** Proof that a client is who it says: it has the App Secret of a credential that is good now. */
export interface AuthenticatedClient {
  readonly clientId: string;
  readonly held: HeldCredential;
  readonly secret: WhichSecret;
  readonly [authenticatedClient]: true;
}

/** What authenticating a client needs. */
export interface ClientAuthenticationPorts {
  readonly clock: Clock;
  readonly throttle: Throttle;
  readonly credentials: () => CredentialSource;
}

/** Stands for all texts that no client has as its id. */
const NO_CLIENT = '';

/**
 * Authenticates a client by its App Secret or a retiring one. Unknown clients, wrong secrets, and credentials or
 * consumers that do not count are answered and counted alike, and take alike long (spec §3). After too many failures
 * from one source every attempt from there gets 429 until the minute ends, the right secret too. Throws, or rejects
 * with, `StoreUnavailable` when the store cannot say.
 */
export function authenticateClient(
  credentials: ClientCredentials,
  source: string,
  { clock, throttle, credentials: findSource }: ClientAuthenticationPorts,
): Pending<AuthenticatedClient | OAuth2Refusal> {
  const counted = isAppKey(credentials.clientId) ? credentials.clientId : NO_CLIENT;
  const waitSeconds = throttle.findWait(source, counted);
  if (waitSeconds !== null) return tooMany(waitSeconds, FAILURES_DETAIL);
  const known = findSource();
  return whenReady(known.findByAppKey(credentials.clientId), (held) => {
    // Others may have failed while the store was asked.
    const laterWaitSeconds = throttle.findWait(source, counted);
    if (laterWaitSeconds !== null) return tooMany(laterWaitSeconds, FAILURES_DETAIL);
    const verified = verifySecret(credentials.secret, held, clock.nowSeconds());
    if (typeof verified !== 'string') {
      return { clientId: credentials.clientId, ...verified } as AuthenticatedClient;
    }
    throttle.countFailure(source, counted);
    // Unknown clients get 503 then, and a known one must not show by another status (spec §3).
    if (!known.canKnow()) throw new StoreUnavailable('not every client can be looked up at the moment');
    return invalidClient(credentials.isHeaderUsed, verified, held);
  });
}

/** 429 with the time to wait, in the form of RFC 6749. */
export function tooMany(waitSeconds: number, detail: string): OAuth2Refusal {
  return refuseOAuth2(429, 'temporarily_unavailable', 'Too many requests. Try again later.', {
    detail,
    headers: { 'retry-after': String(waitSeconds) },
  });
}

const FAILURES_DETAIL = 'the client failed to authenticate too often from this source';

/** Why a client is not authenticated, for the log, or who it is. Always compares with two secrets. */
function verifySecret(
  presented: Secret,
  held: HeldCredential | null,
  nowSeconds: number,
): Pick<AuthenticatedClient, 'held' | 'secret'> | string {
  const { secrets, fault } = findSigner(held, TOKEN_METHOD, nowSeconds);
  const [current, former] = secrets;
  if (current === undefined) throw new Error('a signer has no secret to compare with');
  const digest = digestOf(presented);
  const isCurrent = equal(digestOf(current), digest);
  const isFormer = equal(digestOf(former ?? current), digest);
  if (fault !== null || held === null) return (fault ?? unknownAppKey).detail;
  if (!isCurrent && !isFormer) return 'the client secret is wrong';
  return { held, secret: isCurrent ? 'current' : 'retiring' };
}

/** Secrets differ in length; their digests do not. */
function digestOf(text: Secret): Buffer {
  return hash('sha256', text.reveal(), 'buffer');
}
