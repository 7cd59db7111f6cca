import { dateField, dateOf, nestedMapping, textThat, timeField } from '../model/document/fields.ts';
import { placeIn, type Place, type ProblemLog } from '../model/document/problem-log.ts';
import { readMapping } from '../model/document/read-mapping.ts';
import type { Sealed } from '../model/keyring/sealed.ts';
import { type RetiringSecret, sharedSecret, type SharedSecret } from '../model/material.ts';
import type { Secret } from '../model/secret.ts';
import { type CredentialContext, readAppSecret, secretFields } from './app-secret.ts';
import { type Declared, declareTime } from './declared.ts';

const retiringKind = {
  what: '"retiringSecret"',
  fields: { ...secretFields, expiresAt: timeField },
  required: ['expiresAt'],
} as const;

/** Whether it opens is for the key ring to say. */
const sealedPartField = textThat((text) => text !== '' && text.length <= 8192, 'must be a text that is not empty');

/** A sealed secret of a database. */
export const sealedKind = {
  what: 'a sealed secret',
  fields: { keyId: sealedPartField, nonce: sealedPartField, ciphertext: sealedPartField },
  required: ['keyId', 'nonce', 'ciphertext'],
} as const;

const storedRetiringKind = {
  what: '"retiringSecret"',
  fields: { appSecret: nestedMapping(sealedKind), expiresAt: dateField },
  required: ['appSecret', 'expiresAt'],
} as const;

/** The keys of App Secrets in a declarative file. */
export const sharedSecretFields = {
  appSecret: secretFields.appSecret,
  appSecretFrom: secretFields.appSecretFrom,
  retiringSecret: nestedMapping(retiringKind),
} as const;

/** A former App Secret where it is shown: never itself. */
export const shownRetiringField = nestedMapping({
  what: '"retiringSecret"',
  fields: { expiresAt: timeField },
  required: ['expiresAt'],
});

/** The keys of App Secrets in a database. */
export const storedSecretFields = {
  appSecret: nestedMapping(sealedKind),
  retiringSecret: nestedMapping(storedRetiringKind),
} as const;

/** The part of a database's document that holds App Secrets. */
export interface StoredSecrets {
  readonly appSecret: Sealed;
  readonly retiringSecret?: { readonly appSecret: Sealed; readonly expiresAt: Date };
}

/** Reads the App Secrets of a declared credential; one that it leaves out is null. */
export function readSharedSecret(
  raw: unknown,
  values: { readonly appSecret?: string; readonly appSecretFrom?: unknown; readonly retiringSecret?: unknown },
  place: Place,
  context: CredentialContext,
): SharedSecret<Secret | null> {
  return sharedSecret(readAppSecret(raw, values, place, context), readRetiring(values.retiringSecret, place, context));
}

/** The App Secrets as a declarative file has them. */
export function declareSharedSecret({ appSecret, retiringSecret: former }: SharedSecret<Secret | null>): Declared {
  const declared = declareSecret(appSecret);
  if (former === null) return declared;
  return {
    ...declared,
    retiringSecret: { ...declareSecret(former.appSecret), expiresAt: declareTime(former.expiresAt) },
  };
}

/** Reads the sealed App Secrets of a credential of a database; null when a problem was reported. Opens nothing. */
export function readStoredSecret(
  values: { readonly appSecret?: unknown; readonly retiringSecret?: unknown },
  place: Place,
  problems: ProblemLog,
): SharedSecret<Sealed> | null {
  const appSecret = readSealed(values.appSecret, place, 'appSecret', problems);
  const former = readStoredRetiring(values.retiringSecret, placeIn(place, 'retiringSecret'), problems);
  return appSecret === null ? null : sharedSecret(appSecret, former);
}

/** The App Secrets as a database keeps them. */
export function storeSharedSecret({ appSecret, retiringSecret: former }: SharedSecret<Sealed>): StoredSecrets {
  if (former === null) return { appSecret };
  return { appSecret, retiringSecret: { appSecret: former.appSecret, expiresAt: dateOf(former.expiresAt) } };
}

/** Reads `retiringSecret` of a declared credential. */
export function readRetiring(
  raw: unknown,
  parent: Place,
  context: CredentialContext,
): RetiringSecret<Secret | null> | null {
  if (raw === undefined) return null;
  const place = placeIn(parent, 'retiringSecret');
  const values = readMapping(raw, place, retiringKind, context.problems);
  if (values === null) return null;
  const appSecret = readAppSecret(raw, values, place, context);
  return values.expiresAt === undefined ? null : { appSecret, expiresAt: values.expiresAt };
}

function readStoredRetiring(raw: unknown, place: Place, problems: ProblemLog): RetiringSecret<Sealed> | null {
  if (raw === undefined) return null;
  const values = readMapping(raw, place, storedRetiringKind, problems);
  const appSecret = readSealed(values?.appSecret, place, 'appSecret', problems);
  return appSecret === null || values?.expiresAt === undefined ? null : { appSecret, expiresAt: values.expiresAt };
}

/** Reads a sealed secret of a database; null when there is none, or a problem was reported. */
export function readSealed(raw: unknown, parent: Place, key: string, problems: ProblemLog): Sealed | null {
  if (raw === undefined) return null;
  const { keyId, nonce, ciphertext } = readMapping(raw, placeIn(parent, key), sealedKind, problems) ?? {};
  return keyId === undefined || nonce === undefined || ciphertext === undefined ? null : { keyId, nonce, ciphertext };
}

function declareSecret(secret: Secret | null): Declared {
  return secret === null ? {} : { appSecret: secret.reveal().toString('utf8') };
}
