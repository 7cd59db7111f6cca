import type { Document } from 'mongodb';
import { credentialStates } from '../../../model/credential.ts';
import { APP_KEY_PATTERN } from '../../../model/app-key.ts';
import { accessConditions, authenticationMethods, scenarios } from '../../../model/endpoint.ts';
import { limitScopes, limitUnits } from '../../../model/limit.ts';

/**
 * What MongoDB itself refuses to store, so that an edit by hand which Postern could not read fails in the shell. The
 * readers in mapping/ are stricter: they decide.
 */
export interface Validator {
  readonly $jsonSchema: Document;
}

const id = { bsonType: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$' };
const text = { bsonType: 'string' };
const time = { bsonType: 'date' };
const count = { bsonType: 'number', minimum: 0 };
const appKeyHash = { bsonType: 'string', pattern: '^[0-9a-f]{64}$' };
const versionFields = { revision: { bsonType: 'number', minimum: 1 }, createdAt: time, updatedAt: time };

const sealed = strict({ keyId: text, nonce: text, ciphertext: text }, ['keyId', 'nonce', 'ciphertext']);

const limits = {
  bsonType: 'array',
  items: strict(
    { requests: { bsonType: 'number', minimum: 1 }, unit: { enum: limitUnits }, per: { enum: limitScopes } },
    ['requests', 'unit', 'per'],
  ),
};

export const endpointValidator = validator(
  {
    _id: id,
    description: text,
    scenario: { enum: scenarios },
    match: { bsonType: 'object', required: ['paths'] },
    authentication: { enum: authenticationMethods },
    accessCondition: { enum: accessConditions },
    trafficControl: strict({ limits }, []),
    options: { bsonType: 'object' },
    enabled: { bsonType: 'bool' },
    ...versionFields,
  },
  ['scenario', 'match'],
);

export const consumerValidator = validator(
  {
    _id: id,
    name: text,
    description: text,
    labels: { bsonType: 'object', additionalProperties: text },
    enabled: { bsonType: 'bool' },
    ...versionFields,
  },
  ['enabled'],
);

export const credentialValidator = validator(
  {
    _id: id,
    consumerId: id,
    methods: { bsonType: 'array', minItems: 1, uniqueItems: true, items: { enum: authenticationMethods } },
    appKey: { bsonType: 'string', pattern: APP_KEY_PATTERN.source },
    sealedAppKey: sealed,
    appKeyHash,
    appSecret: sealed,
    retiringSecret: strict({ appSecret: sealed, expiresAt: time }, ['appSecret', 'expiresAt']),
    state: { enum: credentialStates },
    notBefore: time,
    expiresAt: time,
    ...versionFields,
  },
  ['consumerId', 'methods', 'appKeyHash', 'state'],
);

export const grantValidator = validator(
  { _id: text, endpointId: id, consumerId: id, limits, expiresAt: time, ...versionFields },
  ['endpointId', 'consumerId'],
);

export const usageValidator: Validator = {
  $jsonSchema: strict({ _id: text, lastUsedAt: time, retiringSecretLastUsedAt: time }, []),
};

export const formerAppKeyValidator: Validator = {
  $jsonSchema: strict({ _id: appKeyHash, deletedAt: time, credentialId: id }, ['deletedAt']),
};

export const revokedTokenValidator: Validator = {
  $jsonSchema: strict({ _id: text, credentialId: id, expiresAt: time }, ['credentialId', 'expiresAt']),
};

export const replayValidator: Validator = {
  $jsonSchema: strict({ _id: text, expiresAt: time }, ['expiresAt']),
};

export const auditValidator: Validator = {
  $jsonSchema: strict(
    {
      _id: {},
      at: time,
      actor: text,
      action: text,
      storeRevision: count,
      kind: text,
      id: text,
      before: { bsonType: ['object', 'null'] },
      after: { bsonType: ['object', 'null'] },
    },
    ['at', 'actor', 'action', 'storeRevision', 'kind', 'id', 'before', 'after'],
  ),
};

/** Other parts of Postern may keep something of their own here. */
export const metaValidator: Validator = {
  $jsonSchema: { bsonType: 'object', properties: { _id: text, version: count, revision: count } },
};

/** A resource: its own fields, revision and times, and nothing else. */
function validator(properties: Document, required: readonly string[]): Validator {
  return { $jsonSchema: strict(properties, [...required, 'revision', 'createdAt', 'updatedAt']) };
}

function strict(properties: Document, required: readonly string[]): Document {
  return {
    bsonType: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}
