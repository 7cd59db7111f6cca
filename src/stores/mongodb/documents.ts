import type { Collection, Db, ObjectId } from 'mongodb';
import type { Sealed } from '../../model/keyring/sealed.ts';
import type { LabelSelector } from '../../model/labels.ts';
import type { StoredMaterial } from '../../resources/credential-material.ts';
import type { AuditEvent } from '../../resources/changes/resource-store.ts';

/** What every resource's document has beside its own fields (spec §1). */
export interface VersionedDocument {
  readonly _id: string;
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Of endpoints and consumers: since when each label is carried (`LabelsSince`). */
  readonly labelsSince?: Readonly<Record<string, Date>>;
}

/** A resource as a declarative file has it (interfaces §4), with its id as `_id`; defaults are left out. */
export interface DeclaredDocument extends VersionedDocument {
  readonly [field: string]: unknown;
}

/** A credential as it is stored. App Secrets, and App Keys that can be shown again, are sealed. */
export interface CredentialDocument extends VersionedDocument, StoredMaterial {
  readonly consumerId: string;
  readonly methods: readonly string[];
  /** Where it is public: a credential with another method than `key`. */
  readonly appKey?: string;
  /** Where it is the secret, unless only the hash is kept. */
  readonly sealedAppKey?: Sealed;
  /** SHA-256, hex; unique. What credentials are found by. */
  readonly appKeyHash: string;
  /** By `resources/credential-fields.ts`, as its other fields are. */
  readonly state?: unknown;
  readonly expiresAt?: Date;
}

/** Of one consumer or for a group; `_id` is the `grantId`. */
export interface GrantDocument extends VersionedDocument {
  readonly endpointId: string;
  readonly consumerId?: string;
  readonly consumerSelector?: LabelSelector;
  /** Of a group. */
  readonly priority?: number;
  readonly limits?: readonly { readonly requests: number; readonly unit: string; readonly per: string }[];
  readonly expiresAt?: Date;
}

/** Which grants are for groups; the index of their priorities has these. */
export const areForGroups = { consumerSelector: { $exists: true } } as const;

/**
 * Finds the grants for groups by that index, which serves only queries of its first field: there can be a million other
 * grants.
 */
export const forGroups = { ...areForGroups, endpointId: { $exists: true } } as const;

/** When a credential was last used, in a collection of its own (spec §1). `_id` is the credential's. */
export interface UsageDocument {
  readonly _id: string;
  readonly lastUsedAt?: Date;
  readonly retiringSecretLastUsedAt?: Date;
  /** When it was last used, or began to work; never later than that. Commits set it for credentials that are new. */
  readonly idleSince?: Date;
  /** How its App Key ends, by which people find it. Commits set it. */
  readonly appKeyEnd?: string;
}

/** The requests of one day to one endpoint by one consumer, or by all. `_id` is `2026-11-23/endpointId/consumerId`. */
export interface TrafficDocument {
  readonly _id: string;
  /** Its first moment, in UTC. */
  readonly day: Date;
  readonly endpointId: string;
  /** Null for all requests to the endpoint, whoever called; `_id` then ends with `/`. */
  readonly consumerId: string | null;
  /** `ALLOWED` or the code of a refusal: requests by hour of the day, `0` to `23`. */
  readonly codes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The number of the last addition of each process. */
  readonly by: Readonly<Record<string, number>>;
}

/** The hash of an App Key whose credential was deleted, or got another one: it is never given again (spec §1). */
export interface FormerAppKeyDocument {
  readonly _id: string;
  readonly deletedAt: Date;
  /** The credential that got another App Key: it alone may have this one back. */
  readonly credentialId?: string;
}

/** An access token that its client revoked, by its `jti`, until it would have expired (spec §3.4). */
export interface RevokedTokenDocument {
  readonly _id: string;
  /** Not in what version 7 wrote. */
  readonly consumerId?: string;
  readonly credentialId: string;
  readonly expiresAt: Date;
}

/** A used signature, by the hash of method, App Key and MAC, until its time is outside the window (spec §4.4). */
export interface ReplayDocument {
  readonly _id: string;
  readonly expiresAt: Date;
}

/** One changed resource of one operation. */
export interface AuditDocument extends Omit<AuditEvent, 'event' | 'atMs' | 'kind'> {
  readonly _id?: ObjectId;
  readonly at: Date;
  readonly kind: string;
}

/** A refused request of a known caller, or how many of one were left out. TTL index on `at`. */
export interface RefusalDocument {
  readonly _id: ObjectId;
  readonly at: Date;
  /** Absent where no endpoint took the request. */
  readonly consumerId?: string;
  /** Absent for none. */
  readonly leftOut?: number;
  /** Absent when this only says what was left out; then so is everything below. */
  readonly code?: string;
  readonly detail?: string;
  readonly requestId?: string;
  readonly endpointId?: string;
  readonly credentialId?: string;
  readonly method?: string;
  readonly path?: string;
  /** Let through by `mode: observe`. */
  readonly observed?: true;
  readonly sourceAddress?: string;
  readonly stringToSign?: string;
  /** Absent for none, and in documents of former versions. */
  readonly ownedBy?: readonly string[];
}

/** One number of the database as a whole. */
export interface MetaDocument {
  readonly _id: 'schema' | 'state' | 'turn' | 'keyEnds';
  /** `schema`: the version of collections and indexes. `keyEnds`: that of the ends of all App Keys. */
  readonly version?: number;
  /** `schema`: which process changes it, and until when. */
  readonly lease?: { readonly holder: string; readonly until: Date };
  /** `state`: the revision of the store. */
  readonly revision?: number;
  /** `state`: the commits that have taken a revision and have not ended, and when they count as given up. */
  readonly underWay?: readonly { readonly commit: ObjectId; readonly revision: number; readonly until: Date }[];
  /** `turn`: written by each commit that has to be made alone. */
  readonly taken?: number;
}

/**
 * An operator who is signed in to the console; `_id` is the SHA-256 of what the cookie holds. TTL index on `expiresAt`.
 */
export interface SessionDocument {
  readonly _id: string;
  readonly operatorId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The token that was signed in with: the session ends with it. */
  readonly tokenId?: string;
  /** The subject that the OpenID Connect provider told. */
  readonly subject?: string;
}

/** A request with an `Idempotency-Key`; `_id` is the SHA-256 of operator and key. TTL index on `expiresAt`. */
export interface IdempotencyDocument {
  readonly _id: string;
  readonly operatorId: string;
  /** SHA-256 of the request: another one with the same key is refused. */
  readonly request: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** What it was answered with; absent while it runs. */
  readonly answer?: Readonly<Record<string, unknown>>;
}

/** What an operator changes of several at once. TTL index on `expiresAt`. */
export interface JobDocument {
  readonly _id: string;
  readonly operatorId: string;
  /** Of the form that started it. */
  readonly key: string;
  readonly title: string;
  readonly startedAt: Date;
  readonly seenAt: Date;
  readonly expiresAt: Date;
  readonly steps: readonly { readonly name: string; readonly href: string }[];
  readonly outcomes: readonly { readonly isDone: boolean; readonly text: string; readonly secret?: Sealed }[];
  readonly isEnded: boolean;
  /** Whether the operator wants it to end. */
  readonly isStopped: boolean;
}

/**
 * What a replica says of itself, repeatedly; removed when it stops, or when it can serve nothing from memory any more.
 */
export interface ReplicaDocument {
  /** Chosen by chance when the process starts. */
  readonly _id: string;
  /** `POSTERN_REPLICA_NAME`, or the name of the machine. */
  readonly name: string;
  readonly version: string;
  readonly startedAt: Date;
  /** By the clock of the server. */
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  /** How changes come. */
  readonly mode: string;
  readonly ready: boolean;
  /** Why it is not ready. */
  readonly reason?: string;
  /** The commits whose changes it has in force; absent until it knows. */
  readonly revision?: number;
  readonly underWay?: readonly number[];
}

/** The documents of each collection, by the name that roles and people use. */
interface Documents {
  readonly endpoints: DeclaredDocument;
  readonly consumers: DeclaredDocument;
  readonly credentials: CredentialDocument;
  readonly grants: GrantDocument;
  readonly plans: DeclaredDocument;
  readonly issuers: DeclaredDocument;
  readonly operators: DeclaredDocument;
  readonly sessions: SessionDocument;
  readonly idempotency: IdempotencyDocument;
  readonly jobs: JobDocument;
  readonly usage: UsageDocument;
  readonly traffic: TrafficDocument;
  readonly formerAppKeys: FormerAppKeyDocument;
  readonly revokedTokens: RevokedTokenDocument;
  readonly replay: ReplayDocument;
  readonly replicas: ReplicaDocument;
  readonly audit: AuditDocument;
  readonly refusals: RefusalDocument;
  readonly meta: MetaDocument;
}
/** The collections of the database. */
export type CollectionName = keyof Documents;

/** A collection with the documents that Postern writes there; a hand may have written others. */
export function collectionOf<N extends CollectionName>(db: Db, name: N): Collection<Documents[N]> {
  return db.collection<Documents[N]>(name);
}
