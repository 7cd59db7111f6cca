import { TRAFFIC_MONTHS } from '../../../model/bounds.ts';
import { type Fields, idField, type MappingKind, type Schema, schemaOf } from '../../../model/document/fields.ts';
import { storedConsumerKind } from '../../../resources/consumer.ts';
import { appKeyHashField } from '../../../resources/credential.ts';
import { endpointKind } from '../../../resources/endpoint.ts';
import { storedGrantForms, storedGrantKind } from '../../../resources/grant.ts';
import { storedIssuerKind } from '../../../resources/issuer.ts';
import { storedPlanKind } from '../../../resources/plan.ts';
import { storedOperatorKind } from '../../../resources/operator.ts';
import { storedCredentialKind } from '../../../resources/stored-credential.ts';
import { type CollectionName, areForGroups } from '../documents.ts';
import { versionKind } from '../mapping/records.ts';

/** An index, by the name that MongoDB gives it: its keys and directions joined with `_`. */
export interface IndexDefinition {
  readonly name: string;
  readonly key: Readonly<Record<string, 1 | -1>>;
  /**
   * `unique`, among the documents of `partialFilterExpression` where that is given; `sparse`, without documents that
   * lack the field; or `expireAfterSeconds`: documents are removed when the date in the one field is so many seconds
   * ago.
   */
  readonly options: {
    readonly unique?: boolean;
    readonly sparse?: boolean;
    readonly partialFilterExpression?: Readonly<Record<string, unknown>>;
    readonly expireAfterSeconds?: number;
  };
}

/** A collection as Postern wants it in the database. */
export interface CollectionDefinition {
  readonly name: CollectionName;
  /**
   * What MongoDB itself refuses to store, so that an edit by hand which Postern could not read fails in the shell. The
   * readers in mapping/ are stricter: they decide.
   */
  readonly validator: { readonly $jsonSchema: Schema };
  readonly indexes: readonly IndexDefinition[];
}

/**
 * The version of what follows and of the documents; goes up with every change of either, and a migration of
 * `migrations.ts` leads there.
 */
export const SCHEMA_VERSION = 15;

const id = idField.schema;
const text = { bsonType: 'string' };
/** SHA-256 in hexadecimal digits. */
const hash = { bsonType: 'string', pattern: '^[0-9a-f]{64}$' };
const time = { bsonType: 'date' };
const flag = { bsonType: 'bool' };
const count = { bsonType: 'number', minimum: 0 };
const DAY_SECONDS = 86_400;
/** {@link TRAFFIC_MONTHS}, the longest that they can be. */
const TRAFFIC_DAYS = 366 + 31 * (TRAFFIC_MONTHS - 12);
const reverted = {
  bsonType: 'object',
  properties: { event: text, storeRevision: count },
  required: ['event', 'storeRevision'],
  additionalProperties: false,
};
const texts = { bsonType: 'array', items: text };
const sideOfChange = { bsonType: ['object', 'null'] };

/** All collections, as a database of {@link SCHEMA_VERSION} has them. */
export const collections: readonly CollectionDefinition[] = [
  // Other parts of Postern may keep something of their own here.
  collection('meta', {
    bsonType: 'object',
    properties: { _id: text, version: count, revision: count, underWay: { bsonType: 'array' } },
  }),
  collection('endpoints', resourceSchema(endpointKind)),
  collection('consumers', resourceSchema(storedConsumerKind), [newest('createdAt'), newest('updatedAt')]),
  collection('credentials', resourceSchema(storedCredentialKind), [
    index({ appKeyHash: 1 }, { unique: true }),
    index({ consumerId: 1, _id: 1 }),
    newest('createdAt'),
    due('expiresAt'),
    due('retiringSecret.expiresAt'),
    due('retiringPublicKey.expiresAt'),
    due('certificate.notAfter'),
    index({ issuer: 1, claimNames: 1 }, { partialFilterExpression: { issuer: { $exists: true } } }),
    index({ state: 1, expiresAt: 1, _id: 1 }, { partialFilterExpression: { state: 'retiring' } }),
  ]),
  collection('grants', { ...resourceSchema(storedGrantKind), ...storedGrantForms }, [
    index({ consumerId: 1, _id: 1 }),
    index({ endpointId: 1, _id: 1 }),
    index({ expiresAt: 1 }, { sparse: true }),
    index({ endpointId: 1, priority: 1 }, { unique: true, partialFilterExpression: areForGroups }),
  ]),
  collection('plans', resourceSchema(storedPlanKind), [index({ priority: 1 }, { unique: true })]),
  collection('issuers', resourceSchema(storedIssuerKind), [index({ issuer: 1 }, { unique: true })]),
  collection('operators', resourceSchema(storedOperatorKind), [
    ofOneOperator('certificateNames'),
    ofOneOperator('subjects'),
  ]),
  collection(
    'sessions',
    strictSchema(hash, { operatorId: id, createdAt: time, expiresAt: time }, { tokenId: id, subject: text }),
    [index({ operatorId: 1 }), index({ expiresAt: 1 }, { expireAfterSeconds: 0 })],
  ),
  collection(
    'idempotency',
    strictSchema(
      hash,
      { operatorId: id, request: hash, createdAt: time, expiresAt: time },
      { answer: { bsonType: 'object' } },
    ),
    [index({ expiresAt: 1 }, { expireAfterSeconds: 0 })],
  ),
  collection(
    'jobs',
    strictSchema(text, {
      operatorId: id,
      key: text,
      title: text,
      startedAt: time,
      seenAt: time,
      expiresAt: time,
      steps: { bsonType: 'array', items: { bsonType: 'object' } },
      outcomes: { bsonType: 'array', items: { bsonType: 'object' } },
      isEnded: flag,
      isStopped: flag,
    }),
    [
      index({ operatorId: 1, key: 1 }, { unique: true }),
      index({ operatorId: 1, startedAt: -1 }),
      index({ expiresAt: 1 }, { expireAfterSeconds: 0 }),
    ],
  ),
  collection(
    'usage',
    strictSchema(text, {}, { lastUsedAt: time, retiringSecretLastUsedAt: time, idleSince: time, appKeyEnd: text }),
    [due('idleSince'), due('appKeyEnd')],
  ),
  collection(
    'traffic',
    strictSchema(text, {
      day: time,
      endpointId: id,
      consumerId: { bsonType: ['string', 'null'] },
      codes: { bsonType: 'object' },
      by: { bsonType: 'object' },
    }),
    [index({ consumerId: 1, day: 1 }), index({ day: 1 }, { expireAfterSeconds: TRAFFIC_DAYS * DAY_SECONDS })],
  ),
  collection('formerAppKeys', strictSchema(appKeyHashField.schema, { deletedAt: time }, { credentialId: id })),
  collection('revokedTokens', strictSchema(text, { credentialId: id, expiresAt: time }, { consumerId: id }), [
    index({ expiresAt: 1 }, { expireAfterSeconds: 0 }),
  ]),
  collection('replay', strictSchema(text, { expiresAt: time }), [index({ expiresAt: 1 }, { expireAfterSeconds: 0 })]),
  collection(
    'refusals',
    strictSchema(
      { bsonType: 'objectId' },
      { at: time },
      {
        consumerId: id,
        leftOut: count,
        code: text,
        detail: text,
        requestId: text,
        endpointId: id,
        credentialId: id,
        method: text,
        path: text,
        observed: { bsonType: 'bool' },
        sourceAddress: text,
        stringToSign: text,
        ownedBy: texts,
      },
    ),
    [
      index({ at: 1 }, { expireAfterSeconds: 7 * DAY_SECONDS }),
      index({ consumerId: 1, at: -1 }),
      index({ ownedBy: 1, at: -1 }),
      index({ code: 1, at: -1 }),
      index({ requestId: 1 }),
    ],
  ),
  collection(
    'replicas',
    strictSchema(
      text,
      { name: text, version: text, startedAt: time, lastSeenAt: time, expiresAt: time, mode: text, ready: flag },
      { reason: text, revision: count, underWay: { bsonType: 'array', items: count } },
    ),
    [index({ expiresAt: 1 }, { expireAfterSeconds: 0 })],
  ),
  collection(
    'audit',
    strictSchema(
      {},
      {
        at: time,
        actor: text,
        action: text,
        storeRevision: count,
        kind: text,
        id: text,
        before: sideOfChange,
        after: sideOfChange,
      },
      { reason: text, reverts: reverted, ownedBy: texts, refused: text },
    ),
    [
      index({ at: -1, _id: -1 }),
      index({ kind: 1, id: 1, at: -1, _id: -1 }),
      index({ actor: 1, at: -1, _id: -1 }),
      index({ storeRevision: 1 }),
      index({ ownedBy: 1, at: -1, _id: -1 }),
      ...['before', 'after'].flatMap((side) =>
        ['consumer', 'endpoint', 'endpoints'].map((whom) => concerning(`${side}.${whom}`)),
      ),
    ],
  ),
];

/** What identifies one operator identifies no other. */
function ofOneOperator(field: string): IndexDefinition {
  return index({ [field]: 1 }, { unique: true, partialFilterExpression: { [field]: { $exists: true } } });
}

/** For what an audit event holds of grants, credentials and plans: whom they concern. Others are not in the index. */
function concerning(field: string): IndexDefinition {
  return index({ [field]: 1, at: -1, _id: -1 }, { partialFilterExpression: { [field]: { $exists: true } } });
}

/** For credentials in the order of a time, and then of their ids; those without it are not in the index. */
function due(field: string): IndexDefinition {
  return index({ [field]: 1, _id: 1 }, { partialFilterExpression: { [field]: { $exists: true } } });
}

/** For resources in the order of a time, those of one time in the order of their ids: read from its end. */
function newest(field: string): IndexDefinition {
  return index({ [field]: 1, _id: 1 });
}

function collection(
  name: CollectionName,
  $jsonSchema: Schema,
  indexes: readonly IndexDefinition[] = [],
): CollectionDefinition {
  return { name, validator: { $jsonSchema }, indexes };
}

function index(key: IndexDefinition['key'], options: IndexDefinition['options'] = {}): IndexDefinition {
  const name = Object.entries(key).map(([field, direction]) => `${field}_${String(direction)}`);
  return { name: name.join('_'), key, options };
}

/** A resource by the rules of its reader: its own fields with the id as `_id`, revision and times, and nothing else. */
function resourceSchema({ what, fields, required }: MappingKind<Fields>): Schema {
  const { id: idOfResource, ...others } = fields;
  return schemaOf({
    what,
    fields: { ...(idOfResource === undefined ? {} : { _id: idOfResource }), ...others, ...versionKind.fields },
    required: [...required.filter((key) => key !== 'id'), ...versionKind.required],
  });
}

/** Documents with an `_id`, with fields that they need and fields that they may have, and with nothing else. */
function strictSchema(_id: unknown, needed: Schema, optional: Schema = {}): Schema {
  const required = Object.keys(needed);
  return {
    bsonType: 'object',
    properties: { _id, ...needed, ...optional },
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}
