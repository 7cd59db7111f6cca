import type { Clock } from '../../base/clock.ts';
import type { WhichSecret } from '../../model/credential.ts';
import type { AccessTokens } from '../tokens/access-tokens.ts';
import type { RevokedTokens } from '../tokens/revoked-tokens.ts';
import type { TrailingBytes } from '../../base/protobuf/wire-writer.ts';
import type { Target } from '../receive/path.ts';
import type { ReplayGuard } from '../replay/replay-guard.ts';
import type { Routed } from '../route/route.ts';
import type { HeldCredential } from '../store/credential-source.ts';
import type { PeerCertificates } from './certificate/peer-certificates.ts';
import type { IssuerTokens } from './jwt/issuer-tokens.ts';

declare const authenticated: unique symbol;

/** Proof that a request may be judged for its caller: a known consumer, or any caller of an open endpoint. */
export interface Authenticated {
  readonly routed: Routed;
  /** Null on open endpoints only. */
  readonly caller: HeldCredential | null;
  /** The App Secret that the caller proved to have, which shows when a retiring one is no longer needed. */
  readonly secret: WhichSecret;
  /** What must change before the request goes upstream. */
  readonly upstream: UpstreamChanges;
  readonly [authenticated]: true;
}

/** What the methods of authentication need besides the request. */
export interface AuthenticationPorts {
  readonly clock: Clock;
  readonly tokens: Pick<AccessTokens, 'verify'>;
  readonly revokedTokens: Pick<RevokedTokens, 'isRevoked'>;
  readonly issuerTokens: Pick<IssuerTokens, 'verify'>;
  readonly replayGuard: ReplayGuard;
  readonly peerCertificates: Pick<PeerCertificates, 'read' | 'issuers'>;
}

/** For the methods of this folder only: the caller was verified. */
export function vouchFor(
  routed: Routed,
  caller: HeldCredential | null,
  upstream: UpstreamChanges,
  secret: WhichSecret = 'current',
): Authenticated {
  return { routed, caller, upstream, secret } as Authenticated;
}

/** What authentication changes in a request before it goes upstream. Everything else stays byte for byte. */
export interface UpstreamChanges {
  /** Names, lower case, with values that take the place of what the caller sent; a new target is `:path`. */
  readonly headersToSet: readonly (readonly [name: string, value: string])[];
  /** Header names, lower case. */
  readonly headersToRemove: readonly string[];
  /** The body that takes the place of the received one; null leaves it. */
  readonly body: NewBody | null;
}

/** A body that takes the place of the received one: the end of the answer. */
export type NewBody = TrailingBytes;

/** Leaves a request byte for byte as it came. */
export const unchanged: UpstreamChanges = { headersToSet: [], headersToRemove: [], body: null };

/** The `:path` for a target of which this query is left; none where nothing of it was taken. */
export function pathToSet({ path, query }: Target, left: string | null): UpstreamChanges['headersToSet'] {
  if (left === query) return [];
  return [[':path', left === null || left === '' ? path : `${path}?${left}`]];
}
