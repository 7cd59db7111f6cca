import type { Sealed } from '../../keyring/sealed.ts';

/** What every resource's document has beside its own fields (spec §1). */
export interface VersionedDocument {
  readonly _id: string;
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An endpoint as a declarative file has it (interfaces §4), with its id as `_id`; defaults are left out. */
export interface EndpointDocument extends VersionedDocument {
  readonly [field: string]: unknown;
}

/** A consumer in the same way, without its credentials and always with `enabled`. */
export interface ConsumerDocument extends VersionedDocument {
  readonly [field: string]: unknown;
  readonly enabled: boolean;
}

export interface CredentialDocument extends VersionedDocument {
  readonly consumerId: string;
  readonly methods: readonly string[];
  /** Where it is public: a credential with another method than `key`. */
  readonly appKey?: string;
  /** Where it is the secret, unless only the hash is kept. */
  readonly sealedAppKey?: Sealed;
  /** SHA-256, hex; unique. What credentials are found by. */
  readonly appKeyHash: string;
  readonly appSecret?: Sealed;
  readonly retiringSecret?: { readonly appSecret: Sealed; readonly expiresAt: Date };
  readonly state: string;
  readonly notBefore?: Date;
  readonly expiresAt?: Date;
}

/** `_id` is `endpointId/consumerId`. */
export interface GrantDocument extends VersionedDocument {
  readonly endpointId: string;
  readonly consumerId: string;
  readonly limits?: readonly { readonly requests: number; readonly unit: string; readonly per: string }[];
  readonly expiresAt?: Date;
}

/** When a credential was last used, in a collection of its own (spec §1). `_id` is the credential's. */
export interface UsageDocument {
  readonly _id: string;
  readonly lastUsedAt?: Date;
  readonly retiringSecretLastUsedAt?: Date;
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
  readonly credentialId: string;
  readonly expiresAt: Date;
}

/** A signature that was used, by the hash of method, App Key and MAC, until its time is wrong anyway (spec §4.4). */
export interface ReplayDocument {
  readonly _id: string;
  readonly expiresAt: Date;
}

/** One changed resource of one operation. */
export interface AuditDocument {
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly storeRevision: number;
  readonly kind: string;
  readonly id: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** `_id: 'schema'` with the version of collections and indexes; `_id: 'state'` with the store's revision. */
export interface MetaDocument {
  readonly _id: 'schema' | 'state';
  readonly version?: number;
  readonly revision?: number;
}

/** The collections, by the names that roles and people use. */
export const collectionNames = {
  endpoints: 'endpoints',
  consumers: 'consumers',
  credentials: 'credentials',
  grants: 'grants',
  usage: 'usage',
  formerAppKeys: 'formerAppKeys',
  revokedTokens: 'revokedTokens',
  replay: 'replay',
  audit: 'audit',
  meta: 'meta',
} as const;
