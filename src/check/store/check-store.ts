import type { Consumer } from '../../model/consumer.ts';
import type { Credential } from '../../model/credential.ts';
import type { Endpoint, SignatureMethod } from '../../model/endpoint.ts';
import type { Grant } from '../../model/grant.ts';
import type { RankedGrant } from '../../model/grant-in-effect.ts';
import type { CompiledIssuer, Issuer } from '../../model/issuer.ts';
import type { Limit } from '../../model/limit.ts';
import type { CompiledPlan, Plan } from '../../model/plan.ts';
import type { CredentialSource } from './credential-source.ts';

/** The endpoints of one moment, compiled once for look-ups whose cost does not grow with their number. */
export interface EndpointTable {
  /** By id, disabled ones too. */
  findById(id: string): Endpoint | null;
  /**
   * The longest `clockSkewSeconds` of the endpoints of a method with `replayProtection`, disabled ones too; 0 without
   * any. A signature that one of them accepts must not work on another (spec §4.4).
   */
  readonly longestSkewSeconds: Readonly<Record<SignatureMethod, number>>;
  /**
   * By host (as `parseAuthority` gives it), comparable path and method, disabled ones too: the best host whose path
   * matches, then the best path, then the method; null without a match, or when the best lacks the method (spec §2.3).
   */
  find(host: string, comparablePath: string, method: string): Endpoint | null;
  /**
   * The methods that such a request is taken with, by the endpoints that take it, disabled ones left out; empty where
   * any method will do, and where no path matches. For telling why there is none: no check that passes asks.
   */
  methodsOf(host: string, comparablePath: string): ReadonlyMap<Endpoint, readonly string[]>;
}

/** A grant for a group, compiled. */
export interface CompiledGrant extends RankedGrant {
  /** The limits that count where it is the grant in effect: its own and the endpoint's, as spec §1 has it. */
  readonly limitsInForce: readonly Limit[];
}

/** The grants for groups of one moment, compiled with the endpoints. */
export interface GroupGrants {
  /** Those on an endpoint, the highest priority first; empty for none. No two have the same priority. */
  of(endpointId: string): readonly CompiledGrant[];
}

/** The plans of one moment, compiled with the endpoints. */
export interface PlanTable {
  /** Those that cover an endpoint, the highest priority first; null for none. No two have the same priority. */
  of(endpointId: string): readonly CompiledPlan[] | null;
}

/** The enabled issuers of one moment, compiled with the claims that credentials name. */
export interface IssuerTable {
  /** By the claim `iss` of a token, to the byte; null for none that is enabled. */
  find(issuer: string): CompiledIssuer | null;
  /** All of them: what their keys are fetched for. */
  readonly all: readonly CompiledIssuer[];
}

/**
 * What a request is decided with. Endpoints, plans, issuers and grants for groups are those of one moment and never
 * change. The credentials of a store that fits into memory are of the same moment, so that one state decides a request
 * (spec §6); those of a database come through a live cache.
 */
export interface Catalog {
  readonly endpoints: EndpointTable;
  readonly groupGrants: GroupGrants;
  readonly plans: PlanTable;
  readonly issuers: IssuerTable;
  readonly credentials: CredentialSource;
}

/** A store that checks are decided with. */
export interface CheckStore extends AsyncDisposable {
  /** Resolves when checks can be decided: at once for a file, for a database as soon as it could be read. */
  readonly ready: Promise<void>;
  /** What decides a request now. Throws `StoreUnavailable` while nothing was read. */
  current(): Catalog;
  /** Whole seconds since what decides was last known to be the state of the store; 0 before. */
  ageSeconds(): number;
  /** Why checks should not come here, in words: nothing was read yet, or it is too old to serve. Null otherwise. */
  findUnreadiness(): string | null;
  /** Whether callers who are not in memory can be decided. */
  canLookUp(): boolean;
  /**
   * Which state of the store decides, in a word that is the same on every replica with that state; null until known.
   */
  describeRevision(): string | null;
  /** What an operator should know although checks are decided, in words; null for nothing. */
  findNotice(): string | null;
}

/** All resources of a store at one moment: references resolve, ids and App Keys are unique, matches do not collide. */
export interface StoreState {
  readonly endpoints: readonly Endpoint[];
  readonly consumers: readonly Consumer[];
  readonly credentials: readonly Credential[];
  readonly grants: readonly Grant[];
  readonly plans: readonly Plan[];
  readonly issuers: readonly Issuer[];
}

/** What is reported of a declarative file. Called from a timer, after the file was opened. */
export interface FileObserver {
  /** A state is in force, that of the file's content `revision`. It follows every problem that was reported before. */
  loaded(path: string, state: StoreState, revision: string): void;
  /**
   * The file is wrong or missing; the last good state stays in force. Each problem is a line for people. Called once,
   * until the problems are others.
   */
  refused(path: string, problems: readonly string[]): void;
  /** The program itself was wrong; the last good state stays in force. */
  defect(path: string, error: unknown): void;
}

/** Endpoints of a database as they were read. */
export interface ReadEndpoints {
  /** Those in force, without faulty ones. */
  readonly endpoints: readonly Endpoint[];
  readonly faults: readonly unknown[];
}

/** What is reported of a database. */
export interface DatabaseObserver {
  /** Endpoints were read as a whole: at start, and where changes may have been missed. */
  loaded(read: ReadEndpoints): void;
  changed(read: ReadEndpoints): void;
  /** How changes come from now on; at start and when that changes. */
  running(mode: 'following' | 'polling'): void;
  /** The database is down, or for another reason than before: a word for searching, and a sentence for people. */
  down(reason: string, detail: string): void;
  up(downSeconds: number): void;
  missedChanges(): void;
  /** All App Keys are known: from now on any other is refused without a look-up. */
  appKeysRead(count: number, seconds: number): void;
  /** While used signatures cannot be remembered, endpoints with `replayProtection` refuse with 503. */
  readonly signatures: { down(detail: string): void; up(): void };
  /** Rights of this version that the user of the database lacks, each in words; called when that changes. */
  readonly rights: { missing(rights: readonly string[]): void; complete(): void };
  /** A document cannot be read, and nothing is allowed because of it. */
  faulty(description: string): void;
  defect(error: unknown): void;
}
