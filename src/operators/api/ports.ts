import type { HttpBindings } from '@hono/node-server';
import type { Clock } from '../../base/clock.ts';
import type { CursorSealer } from '../../model/keyring/cursor-sealer.ts';
import type { CredentialDirectory } from '../../resources/changes/credential-directory.ts';
import type { DueSource } from '../../resources/changes/due-source.ts';
import type { OnceRequests } from '../../resources/changes/idempotency.ts';
import type { ReplicaDirectory } from '../../resources/changes/replicas.ts';
import type { SystemOfRecord } from '../../resources/changes/resource-store.ts';
import type { LabelOwners } from '../../model/label-owners.ts';
import type { Operator } from '../../model/operator.ts';
import type { RefusalSource } from '../../check/refusals/refusal-record.ts';
import type { Cursors } from './cursors.ts';
import type { People } from './people.ts';
import type { Proof } from './proof.ts';

/** What the API works with. */
export interface ApiPorts {
  readonly store: ApiStore;
  readonly clock: Clock;
  readonly observer: ApiObserver;
  /** Null when the store answers, as far as is known; else why no request can be done. Asks nobody. */
  readonly findUnreadiness: () => string | null;
  /** Hides where pages of lists begin. */
  readonly cursors: CursorSealer;
  /** Which labels are reserved, and to whom; without it none is. */
  readonly labelOwners?: LabelOwners;
  /** People who sign in at the OpenID Connect provider with a command; without it, none do. */
  readonly people?: People | null;
  /** Where callers reach Envoy, for credential views; without it a view has to be asked with `url`. */
  readonly publicUrl?: URL;
}

/** What a database has: refusals of all replicas, and the replicas. */
export interface ApiStore extends Pick<SystemOfRecord, 'resources' | 'usage' | 'traffic' | 'audit'> {
  readonly due: DueSource;
  readonly directory: Pick<CredentialDirectory, 'withKeyEnd' | 'count'>;
  readonly refusals: RefusalSource;
  readonly replicas: ReplicaDirectory;
  readonly once: OnceRequests;
}

/** Notified of requests, for logs and metrics. Nothing of a body or a token reaches it. */
export interface ApiObserver {
  answered(request: AnsweredRequest): void;
  /** The program itself was wrong; the client got 500. */
  defect(error: unknown, requestId: string): void;
  /** The answer of a request that was done could not be kept for its `Idempotency-Key`. */
  answerLost(error: unknown, requestId: string): void;
}

/** A request that was answered. */
export interface AnsweredRequest {
  readonly requestId: string;
  /** What answered: the API, a page of the console, or the API that a page asked. */
  readonly part: 'api' | 'page' | 'inner';
  readonly method: string;
  /** The pattern of the route, such as `/v1/consumers/{id}`; null where there is none. */
  readonly route: string | null;
  readonly status: number;
  readonly operator: string | null;
  readonly seconds: number;
  /** Why it could not be read as a request; absent for one that was. Nothing of the request is in it. */
  readonly reason?: string;
}

/** What a request is answered with. */
export interface ApiVariables {
  readonly requestId: string;
  /** Who asks. Set before any route runs. */
  readonly operator: Operator;
  /** What shows it. */
  readonly proof: Proof;
  /** What the operator uses; the first word of an action in the audit trail. */
  readonly via: 'api' | 'console';
  /** Why, for the audit trail; routes that change something check it (`changeQuery`). */
  readonly reason: string | undefined;
  /** Which labels are reserved, and to whom. */
  readonly labelOwners: LabelOwners;
  /** Of the list that the path names. */
  readonly cursors: Cursors;
}

/**
 * A request of this process itself, for an operator who is signed in: it needs no token. Nothing of it comes from the
 * network, where requests come with the bindings of their connection.
 */
export interface ConsoleBindings {
  readonly operator: Operator;
  readonly via: 'console';
}

/** What came over a connection and is no request that routes could look at. */
export interface UnreadRequest {
  readonly method: string;
  /** 400, which is answered with a problem; 408 and 431 have no body. */
  readonly status: 400 | 408 | 431;
  /** For people. Nothing of the request is in it. */
  readonly reason: string;
}

/** Stands for a request that was not read. */
export interface UnreadBindings {
  readonly unread: UnreadRequest;
}

/** Who the listener says a peer is. */
export interface Peer {
  /** The names of its client certificate; none without one that counts. */
  readonly certificateNames: readonly string[];
  /** Its address, or the one that a trusted proxy names; `unix` on a Unix socket. For logs. */
  readonly address: string;
  /** Who is counted for it: an IPv6 address counts as its /64. */
  readonly source: string;
}

/** Hono's environment: what routes find in their context. */
export interface ApiEnvironment {
  readonly Variables: { -readonly [K in keyof ApiVariables]: ApiVariables[K] };
  readonly Bindings: (HttpBindings & Peer) | ConsoleBindings | UnreadBindings;
}
