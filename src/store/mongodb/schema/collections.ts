import { collectionNames } from '../documents.ts';
import {
  auditValidator,
  consumerValidator,
  credentialValidator,
  endpointValidator,
  formerAppKeyValidator,
  grantValidator,
  metaValidator,
  replayValidator,
  revokedTokenValidator,
  usageValidator,
  type Validator,
} from './validators.ts';

/** An index, by the name that MongoDB gives it: its keys and directions joined with `_`. */
export interface IndexDefinition {
  readonly name: string;
  readonly key: Readonly<Record<string, 1 | -1>>;
  readonly unique: boolean;
  /** Documents are removed when the date in the one field of the index is so many seconds ago; null keeps them. */
  readonly expireAfterSeconds: number | null;
}

export interface CollectionDefinition {
  readonly name: string;
  readonly validator: Validator;
  readonly indexes: readonly IndexDefinition[];
}

/**
 * The version of what follows and of the documents; goes up with every change of either, and a migration of
 * `migrations.ts` leads there.
 */
export const SCHEMA_VERSION = 4;

/** All collections, as a database of {@link SCHEMA_VERSION} has them. */
export const collections: readonly CollectionDefinition[] = [
  { name: collectionNames.meta, validator: metaValidator, indexes: [] },
  { name: collectionNames.endpoints, validator: endpointValidator, indexes: [] },
  { name: collectionNames.consumers, validator: consumerValidator, indexes: [] },
  {
    name: collectionNames.credentials,
    validator: credentialValidator,
    indexes: [index({ appKeyHash: 1 }, { unique: true }), index({ consumerId: 1, _id: 1 })],
  },
  {
    name: collectionNames.grants,
    validator: grantValidator,
    indexes: [index({ consumerId: 1, _id: 1 }), index({ endpointId: 1, _id: 1 })],
  },
  { name: collectionNames.usage, validator: usageValidator, indexes: [] },
  { name: collectionNames.formerAppKeys, validator: formerAppKeyValidator, indexes: [] },
  {
    name: collectionNames.revokedTokens,
    validator: revokedTokenValidator,
    indexes: [index({ expiresAt: 1 }, { expireAfterSeconds: 0 })],
  },
  {
    name: collectionNames.replay,
    validator: replayValidator,
    indexes: [index({ expiresAt: 1 }, { expireAfterSeconds: 0 })],
  },
  {
    name: collectionNames.audit,
    validator: auditValidator,
    indexes: [
      index({ at: -1, _id: -1 }),
      index({ kind: 1, id: 1, at: -1, _id: -1 }),
      index({ actor: 1, at: -1, _id: -1 }),
    ],
  },
];

function index(
  key: IndexDefinition['key'],
  { unique = false, expireAfterSeconds = null }: Partial<IndexDefinition> = {},
): IndexDefinition {
  const name = Object.entries(key)
    .map(([field, direction]) => `${field}_${String(direction)}`)
    .join('_');
  return { name, key, unique, expireAfterSeconds };
}
