import { hash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { type Pending, whenReady } from '../../base/pending.ts';
import { equal } from '../../base/text/equal.ts';
import type { Throttle } from '../../base/throttle.ts';
import { appSecrets, findSigner, unknownAppKey } from '../../check/methods/caller.ts';
import { TOKEN_METHOD } from '../../check/methods/methods.ts';
import type { ReplayGuard } from '../../check/replay/replay-guard.ts';
import { type CredentialSource, type HeldCredential, StoreUnavailable } from '../../check/store/credential-source.ts';
import { isAppKey } from '../../model/app-key.ts';
import type { WhichSecret } from '../../model/credential.ts';
import type { Secret } from '../../model/secret.ts';
import { type ProvenAssertion, usedDetails, useOnce, verifyAssertion } from './assertion/verify-assertion.ts';
import type { ClientCredentials } from './client-credentials.ts';
import { invalidClient, type OAuth2Refusal, refuseOAuth2, usedAssertion } from './messages.ts';

declare const authenticatedClient: unique symbol;

/** Proof that a client is who it says: it has the App Secret or private key of a credential that is good now. */
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
  /** Remembers which assertions were used. */
  readonly replayGuard: Pick<ReplayGuard, 'reserve'>;
  /** What an assertion may be for, each as its whole `aud`. */
  readonly audiences: readonly string[];
}

/** Stands for all texts that no client has as its id. */
const NO_CLIENT = '';

/** What the credentials of a client prove. */
interface Proven {
  readonly held: HeldCredential;
  readonly secret: WhichSecret;
  /** What must be used for the first time; null for a secret. */
  readonly once: ProvenAssertion | null;
}

/**
 * Authenticates a client by its App Secret, or by an assertion that it signed with its private key; retiring ones work
 * too. Unknown clients, wrong proofs, and credentials or consumers that do not count are answered and counted alike,
 * and take alike long (spec §3). After too many failures from one source every attempt from there gets 429 until the
 * minute ends, the right proof too. An assertion is used up last, after everything else was right. Throws, or rejects
 * with, `StoreUnavailable` when the store cannot say.
 */
export function authenticateClient(
  credentials: ClientCredentials,
  source: string,
  ports: ClientAuthenticationPorts,
): Pending<AuthenticatedClient | OAuth2Refusal> {
  const { throttle } = ports;
  const { clientId } = credentials;
  const counted = isAppKey(clientId) ? clientId : NO_CLIENT;
  const waitSeconds = throttle.findWait(source, counted);
  if (waitSeconds !== null) return tooMany(waitSeconds, FAILURES_DETAIL);
  const known = ports.credentials();
  return whenReady(known.findByAppKey(clientId), (held) => {
    // Others may have failed while the store was asked.
    const laterWaitSeconds = throttle.findWait(source, counted);
    if (laterWaitSeconds !== null) return tooMany(laterWaitSeconds, FAILURES_DETAIL);
    return whenReady(prove(credentials, held, ports), (proven) => {
      if (typeof proven === 'string') {
        return fail(invalidClient(credentials.method === 'client_secret_basic', proven, held));
      }
      if (proven.once === null) return vouchFor(clientId, proven);
      return whenReady(useOnce(proven.once, ports.replayGuard), (outcome) => {
        if (outcome === 'first') return vouchFor(clientId, proven);
        if (typeof outcome === 'string') return fail(usedAssertion(usedDetails[outcome], proven.held));
        return { ...tooMany(outcome.retryAfterSeconds, SHARE_DETAIL), about: held };
      });
    });
  });

  function fail(refusal: OAuth2Refusal): OAuth2Refusal {
    // Others may have failed while an assertion was verified.
    const waitSeconds = throttle.findWait(source, counted);
    if (waitSeconds !== null) return tooMany(waitSeconds, FAILURES_DETAIL);
    throttle.countFailure(source, counted);
    // Unknown clients get 503 then, and a known one must not show by another status (spec §3).
    if (!known.canKnow()) throw new StoreUnavailable('not every client can be looked up at the moment');
    return refusal;
  }
}

/** 429 with the time to wait, in the form of RFC 6749. */
export function tooMany(waitSeconds: number, detail: string): OAuth2Refusal {
  return refuseOAuth2(429, 'temporarily_unavailable', 'Too many requests. Try again later.', {
    detail,
    headers: { 'retry-after': String(waitSeconds) },
  });
}

const FAILURES_DETAIL = 'the client failed to authenticate too often from this source';
const SHARE_DETAIL = 'the client or its consumer has as many assertions remembered as one may have';

function vouchFor(clientId: string, { held, secret }: Proven): AuthenticatedClient {
  return { clientId, held, secret } as AuthenticatedClient;
}

/** Why a client is not authenticated, for the log, or what it proves. */
function prove(
  credentials: ClientCredentials,
  held: HeldCredential | null,
  { clock, audiences }: ClientAuthenticationPorts,
): Pending<Proven | string> {
  const nowSeconds = clock.nowSeconds();
  switch (credentials.method) {
    case 'private_key_jwt':
      return whenReady(verifyAssertion(credentials, held, audiences, nowSeconds), (proven) =>
        typeof proven === 'string' ? proven : { held: proven.held, secret: proven.key, once: proven },
      );
    case 'client_secret_basic':
    case 'client_secret_post':
      return verifySecret(credentials.secret, held, nowSeconds);
  }
}

/** Always compares with two secrets. */
function verifySecret(presented: Secret, held: HeldCredential | null, nowSeconds: number): Proven | string {
  const { keys, fault } = findSigner(held, TOKEN_METHOD, appSecrets, nowSeconds);
  const [current, former] = keys;
  if (current === undefined) throw new Error('a signer has no secret to compare with');
  const digest = digestOf(presented);
  const isCurrent = equal(digestOf(current), digest);
  const isFormer = equal(digestOf(former ?? current), digest);
  if (fault !== null || held === null) return (fault ?? unknownAppKey).detail;
  if (!isCurrent && !isFormer) return 'the client secret is wrong';
  return { held, secret: isCurrent ? 'current' : 'retiring', once: null };
}

/** Secrets differ in length; their digests do not. */
function digestOf(text: Secret): Buffer {
  return hash('sha256', text.reveal(), 'buffer');
}
