import { idField } from '../../model/document/fields.ts';
import { declareUse, type ShownCredential, shownStates, stateAt } from '../../resources/changes/shown-credential.ts';
import { MIN_CHARACTERS_TO_SHOW } from '../../resources/app-key-end.ts';
import { credentialKind, declareWholeCredential } from '../../resources/credential.ts';
import { declaredFields } from '../../resources/credential-fields.ts';
import { shownMaterialFields } from '../../resources/credential-material.ts';
import type { Declared } from '../../resources/declared.ts';
import { jsonSchemaOf, type JsonSchema } from './schema.ts';
import { type JsonObject, objectWith, shownResource } from './shapes.ts';

const { id, method, methods, appKey, appKeyHash } = credentialKind.fields;

/** A credential as it is shown: without secrets, with its consumer. */
const shownKind = {
  what: 'a credential',
  fields: {
    id,
    consumer: idField,
    method,
    methods,
    appKey,
    appKeyHash,
    ...shownMaterialFields,
    ...declaredFields,
  },
  required: ['id', 'consumer', 'state'],
} as const;

const time = { type: 'string', format: 'date-time' } as const;
/** A public key as people tell it from others. */
export const shownKey = {
  type: 'object',
  properties: {
    type: { type: 'string', description: 'Such as Ed25519 or RSA.' },
    bits: { type: 'integer' },
    thumbprint: { type: 'string', description: 'RFC 7638, with SHA-256.' },
  },
  required: ['type', 'bits', 'thumbprint'],
} as const;
const keys = {
  key: { ...shownKey, description: 'What the public key is, where there is one.' },
  certificateEndsAt: {
    ...time,
    description: 'When the first certificate ends that it stands on, where that is known.',
  },
  retiringKey: { ...shownKey, description: 'What the former public key is, during a rotation.' },
} as const;
const use = {
  ...keys,
  appKeyEnd: {
    type: 'string',
    description: `The last four characters of an App Key that is a secret of ${String(MIN_CHARACTERS_TO_SHOW)} characters or more, and is kept.`,
  },
  status: { type: 'string', enum: shownStates, description: 'What it is worth now.' },
  lastUsedAt: time,
  retiringSecretLastUsedAt: { ...time, description: 'When the former App Secret or public key was last used.' },
} as const;

/** A credential of a list. */
export const credentialSchema: JsonObject = shownResource('Credential', shownKind, {
  properties: use,
  required: ['status'],
});

/** One credential, with where it is let in. */
export const oneCredentialSchema: JsonObject = shownResource('CredentialWithEndpoints', shownKind, {
  properties: {
    ...use,
    endpoints: {
      type: 'array',
      items: { type: 'string' },
      description: 'The endpoints within reach that let it in now.',
    },
  },
  required: ['status', 'endpoints'],
});

/** A credential without secrets, with what it is worth now and when it was used. */
export function showCredential(shown: ShownCredential, nowSeconds: number): Declared {
  const { resource } = shown.stored;
  return {
    ...declareWholeCredential(resource, 'leave-out'),
    status: stateAt(resource, nowSeconds),
    ...declareUse(shown),
  };
}

const secrets = {
  appKey: { type: 'string' },
  appSecret: { type: 'string', description: 'Shown in no other answer.' },
} as const;
const ownRevision = { type: 'integer', minimum: 1 } as const;
const shownSchema = jsonSchemaOf(shownKind);
const issued: JsonSchema = {
  ...shownSchema,
  properties: { ...(shownSchema['properties'] as JsonSchema), ...secrets, ...keys, revision: ownRevision },
  required: [...shownKind.required, 'revision'],
};

/** A credential as it was made, with its secrets where they are new. */
export const issuedSchema: JsonObject = objectWith('IssuedCredential', issued);

/** What a rotation did, with the new secret; without it where it was only planned. */
export const rotationAnswer: JsonObject = objectWith('RotationOutcome', {
  type: 'object',
  properties: {
    dryRun: { type: 'boolean' },
    revision: { type: ['integer', 'null'], description: "The store's revision with the change." },
    changes: { type: 'array', items: { $ref: '#/components/schemas/Change' } },
    formerEndsAt: { ...time, description: 'Until when the former secret works.' },
    credential: { ...issued, description: 'What carries the new secret; absent where it was only planned.' },
  },
  required: ['dryRun', 'revision', 'changes', 'formerEndsAt'],
});
