import { type Fields, idField, type MappingKind, type Schema, schemaOf } from '../../../document/fields.ts';
import { storedConsumerKind } from '../../../resources/consumer.ts';
import { appKeyHashField, storedCredentialKind } from '../../../resources/credential.ts';
import { endpointKind } from '../../../resources/endpoint.ts';
import { storedGrantKind } from '../../../resources/grant.ts';
import { versionKind } from '../mapping/records.ts';

/**
 * What MongoDB itself refuses to store, so that an edit by hand which Postern could not read fails in the shell. The
 * readers in mapping/ are stricter: they decide.
 */
export interface Validator {
  readonly $jsonSchema: Schema;
}

export const endpointValidator = resourceValidator(endpointKind);
export const consumerValidator = resourceValidator(storedConsumerKind);
export const credentialValidator = resourceValidator(storedCredentialKind);
export const grantValidator = resourceValidator(storedGrantKind);

const id = idField.schema;
const text = { bsonType: 'string' };
const time = { bsonType: 'date' };
const count = { bsonType: 'number', minimum: 0 };

export const usageValidator: Validator = {
  $jsonSchema: strict({ _id: text, lastUsedAt: time, retiringSecretLastUsedAt: time }, []),
};

export const formerAppKeyValidator: Validator = {
  $jsonSchema: strict({ _id: appKeyHashField.schema, deletedAt: time, credentialId: id }, ['deletedAt']),
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

/** A resource by the rules of its reader: its own fields with the id as `_id`, revision and times, and nothing else. */
function resourceValidator({ what, fields, required }: MappingKind<Fields>): Validator {
  const { id: idOfResource, ...others } = fields;
  return {
    $jsonSchema: schemaOf({
      what,
      fields: { ...(idOfResource === undefined ? {} : { _id: idOfResource }), ...others, ...versionKind.fields },
      required: [...required.filter((key) => key !== 'id'), ...versionKind.required],
    }),
  };
}

function strict(properties: Schema, required: readonly string[]): Schema {
  return {
    bsonType: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}
