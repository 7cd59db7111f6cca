import type { Lifetime } from '../clock.ts';
import {
  alternatives,
  choiceField,
  dateField,
  idField,
  isMapping,
  nestedField,
  nestedMapping,
  textLike,
  textThat,
  timeField,
} from '../document/fields.ts';
import { placeIn, type Place, type ProblemLog } from '../document/problem-log.ts';
import { hasKey, readList, readMapping, subjectOf } from '../document/read-mapping.ts';
import type { Sealed } from '../keyring/sealed.ts';
import { APP_KEY_PATTERN, hashAppKey, isAppKeySecret, MAX_APP_KEY_CHARACTERS } from '../model/app-key.ts';
import { type Credential, type CredentialState, credentialStates } from '../model/credential.ts';
import { authenticationMethods, type AuthenticationMethod } from '../model/endpoint.ts';
import type { Secret } from '../model/secret.ts';
import { readAppSecret, secretFields, type CredentialContext } from './app-secret.ts';
import { type Declared, declareTime } from './declared.ts';
import type { ManagedCredential } from './resource.ts';

/**
 * A credential as a document has it. What `apply` generates or keeps may be absent; a file store wants all of it
 * (interfaces §4, spec §6).
 */
export interface DocumentCredential extends Lifetime {
  /** Null: generated. */
  readonly id: string | null;
  readonly consumerId: string;
  readonly methods: readonly AuthenticationMethod[];
  /** Null when the document has its hash instead, or neither: then `apply` generates it once, and there is an `id`. */
  readonly appKey: string | null;
  /** The hash of the App Key; null when the document has neither. */
  readonly appKeyHash: string | null;
  /** Null when `methods` is only `key`, or when the document leaves secrets out. */
  readonly appSecret: Secret | null;
  readonly retiringSecret: DocumentRetiringSecret | null;
  readonly state: CredentialState;
}

/** The former secret of a credential; its `appSecret` is null when the document leaves secrets out. */
export interface DocumentRetiringSecret {
  readonly appSecret: Secret | null;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

/** A credential as a database keeps it: its secrets sealed, an App Key that is none in clear. */
export interface StoredCredential extends Omit<Credential, 'appSecret' | 'retiringSecret'> {
  /** Null exactly when it is the secret. */
  readonly appKey: string | null;
  /** The App Key that is the secret; null when only its hash is kept. */
  readonly sealedAppKey: Sealed | null;
  readonly appSecret: Sealed | null;
  readonly retiringSecret: { readonly appSecret: Sealed; readonly expiresAt: number } | null;
}

const appKeyField = textLike(
  APP_KEY_PATTERN,
  `must be 1 to ${String(MAX_APP_KEY_CHARACTERS)} of the characters A-Z, a-z, 0-9, ".", "_" and "-"`,
);

const HASH_PATTERN = /^[0-9a-f]{64}$/;
/** What credentials are found by. */
export const appKeyHashField = textLike(
  HASH_PATTERN,
  'must be the SHA-256 of an App Key: 64 of the characters 0-9 and a-f',
);

const methodsField = nestedField({
  bsonType: 'array',
  minItems: 1,
  uniqueItems: true,
  items: { enum: authenticationMethods },
});

const retiringKind = {
  what: '"retiringSecret"',
  fields: { ...secretFields, expiresAt: timeField },
  required: ['expiresAt'],
} as const;

/** A credential of a declarative file. */
export const credentialKind = {
  what: 'a credential',
  fields: {
    id: idField,
    method: choiceField(authenticationMethods),
    methods: methodsField,
    appKey: appKeyField,
    appKeyHash: appKeyHashField,
    ...secretFields,
    retiringSecret: nestedMapping(retiringKind),
    state: choiceField(credentialStates),
    notBefore: timeField,
    expiresAt: timeField,
  },
  required: [],
} as const;

/** Whether it opens is for the key ring to say. */
const sealedPartField = textThat((text) => text !== '' && text.length <= 8192, 'must be a text that is not empty');

const sealedKind = {
  what: 'a sealed secret',
  fields: { keyId: sealedPartField, nonce: sealedPartField, ciphertext: sealedPartField },
  required: ['keyId', 'nonce', 'ciphertext'],
} as const;

const storedRetiringKind = {
  what: '"retiringSecret"',
  fields: { appSecret: nestedMapping(sealedKind), expiresAt: dateField },
  required: ['appSecret', 'expiresAt'],
} as const;

/** A credential of a database. */
export const storedCredentialKind = {
  what: 'a credential',
  fields: {
    id: idField,
    consumerId: idField,
    methods: methodsField,
    appKey: appKeyField,
    sealedAppKey: nestedMapping(sealedKind),
    appKeyHash: appKeyHashField,
    appSecret: nestedMapping(sealedKind),
    retiringSecret: nestedMapping(storedRetiringKind),
    state: choiceField(credentialStates),
    notBefore: dateField,
    expiresAt: dateField,
  },
  required: ['id', 'consumerId', 'methods', 'appKeyHash', 'state'],
} as const;

/** A credential as far as it could be read, for what has to be looked at across all of them. */
export interface ReadCredential {
  readonly place: Place;
  readonly id: string | null;
  readonly appKeyHash: string | null;
  /** Null when a problem was reported. */
  readonly credential: DocumentCredential | null;
}

/** Reads the credentials that a declared consumer has, those of a faulty one too. */
export function readCredentialsOf(
  consumer: unknown,
  place: Place,
  context: CredentialContext,
): readonly ReadCredential[] {
  if (!isMapping(consumer)) return [];
  const id = idField(consumer['id']);
  const list = placeIn(place, 'credentials');
  return (readList(consumer['credentials'], list, context.problems) ?? []).map((item, index) =>
    readCredential(item, placeIn(list, index), typeof id === 'string' ? id : null, context),
  );
}

/** Reads one credential of a consumer (spec §1); `consumerId` is null when the consumer's own id is faulty. */
export function readCredential(
  raw: unknown,
  place: Place,
  consumerId: string | null,
  context: CredentialContext,
): ReadCredential {
  const { problems } = context;
  const before = problems.count;
  const values = readMapping(raw, place, credentialKind, problems);
  if (values === null) return { place, id: null, appKeyHash: null, credential: null };
  const { id = null, appKey = null, state = 'active', notBefore = null, expiresAt = null } = values;
  const methods = readMethods(raw, values, place, problems);
  const isKeyOnly = methods !== null && isAppKeySecret(methods);
  if (hasKey(raw, 'appKeyHash')) reportAppKeyHash(raw, methods, place, problems);
  else if (!hasKey(raw, 'appKey')) reportMissingAppKey(raw, place, context);
  reportWhatDoesNotFit(raw, { methods, state, notBefore, expiresAt }, place, problems);
  const appSecret = methods === null || isKeyOnly ? null : readAppSecret(raw, values, place, context);
  const retiringSecret = isKeyOnly ? null : readRetiringSecret(values.retiringSecret, place, context);
  const appKeyHash = appKey === null ? (values.appKeyHash ?? null) : hashAppKey(appKey);
  const isRight = problems.count === before && methods !== null && consumerId !== null;
  return {
    place,
    id,
    appKeyHash,
    credential: isRight
      ? { id, consumerId, methods, appKey, appKeyHash, appSecret, retiringSecret, state, notBefore, expiresAt }
      : null,
  };
}

/** Reads a credential as a database keeps it; null when a problem was reported. Opens nothing. */
export function readStoredCredential(raw: unknown, place: Place, problems: ProblemLog): StoredCredential | null {
  const before = problems.count;
  const values = readMapping(raw, place, storedCredentialKind, problems);
  if (values === null) return null;
  const { id, consumerId, appKey = null, appKeyHash, state, notBefore = null, expiresAt = null } = values;
  const methods = hasKey(raw, 'methods') ? readMethodList(values.methods, placeIn(place, 'methods'), problems) : null;
  if (methods !== null) reportStoredAppKey(raw, isAppKeySecret(methods), place, problems);
  if (appKey !== null && appKeyHash !== undefined && hashAppKey(appKey) !== appKeyHash) {
    problems.report(placeIn(place, 'appKeyHash'), '"appKeyHash" is not the SHA-256 of "appKey"');
  }
  reportWhatDoesNotFit(raw, { methods, state, notBefore, expiresAt }, place, problems);
  const sealedAppKey = readSealed(values.sealedAppKey, place, 'sealedAppKey', problems);
  const appSecret = readSealed(values.appSecret, place, 'appSecret', problems);
  const retiringSecret = readStoredRetiringSecret(values.retiringSecret, place, problems);
  if (problems.count > before || methods === null) return null;
  if (id === undefined || consumerId === undefined || appKeyHash === undefined || state === undefined) return null;
  return {
    id,
    consumerId,
    methods,
    appKey,
    sealedAppKey,
    appKeyHash,
    appSecret,
    retiringSecret,
    state,
    notBefore,
    expiresAt,
  };
}

/** The rules across the fields of a credential, wherever it is written (spec §1). */
function reportWhatDoesNotFit(
  raw: unknown,
  {
    methods,
    state,
    notBefore,
    expiresAt,
  }: Lifetime & {
    readonly methods: readonly AuthenticationMethod[] | null;
    readonly state: CredentialState | undefined;
  },
  place: Place,
  problems: ProblemLog,
): void {
  const isKeyOnly = methods !== null && isAppKeySecret(methods);
  for (const key of isKeyOnly ? ['appSecret', 'appSecretFrom', 'retiringSecret'] : []) {
    if (!hasKey(raw, key)) continue;
    const message = `"${key}" is not for a credential of method key, whose App Key is the secret; remove it`;
    problems.report(placeIn(place, key), message, { part: 'key' });
  }
  if (state === 'retiring' && !hasKey(raw, 'expiresAt')) {
    const message = '"expiresAt" is missing; "state: retiring" needs the time until which the credential works';
    problems.report(placeIn(place, 'state'), message, { absentFrom: 'file' });
  }
  if (notBefore !== null && expiresAt !== null && expiresAt <= notBefore) {
    problems.report(placeIn(place, 'expiresAt'), '"expiresAt" must be later than "notBefore"');
  }
}

function reportMissingAppKey(raw: unknown, place: Place, { problems, isComplete }: CredentialContext): void {
  if (isComplete) {
    problems.report(place, '"appKey" is missing; a credential needs it', { absentFrom: 'file' });
  } else if (!hasKey(raw, 'id')) {
    const message =
      '"appKey" is missing; a credential without one needs an "id", under which the generated pair is kept';
    problems.report(place, message, { absentFrom: 'file' });
  }
}

/** `appKeyHash` stands for an App Key that nobody keeps (spec §6): only one that is the secret is worth that. */
function reportAppKeyHash(
  raw: unknown,
  methods: readonly AuthenticationMethod[] | null,
  place: Place,
  problems: ProblemLog,
): void {
  const at = placeIn(place, 'appKeyHash');
  if (hasKey(raw, 'appKey')) {
    problems.report(at, '"appKey" and "appKeyHash" stand side by side; keep one', { part: 'key' });
  } else if (methods !== null && !isAppKeySecret(methods)) {
    const message =
      '"appKeyHash" is for a credential of method key only; the App Key of other methods is no secret: write "appKey"';
    problems.report(at, message, { part: 'key' });
  }
}

/** An App Key that is the secret is never kept in clear; one that is not stands there, and so does the App Secret. */
function reportStoredAppKey(raw: unknown, isKeyOnly: boolean, place: Place, problems: ProblemLog): void {
  if (isKeyOnly) {
    if (!hasKey(raw, 'appKey')) return;
    const message = '"appKey" is the secret of a credential of method key; it cannot stand here';
    problems.report(placeIn(place, 'appKey'), message);
    return;
  }
  if (hasKey(raw, 'sealedAppKey')) {
    problems.report(placeIn(place, 'sealedAppKey'), '"sealedAppKey" is for a credential of method key only');
  }
  for (const key of ['appKey', 'appSecret']) {
    if (!hasKey(raw, key)) problems.report(place, `"${key}" is missing; only a credential of method key has none`);
  }
}

/** `method` or `methods`, exactly one of the two; null when a problem was reported. */
function readMethods(
  raw: unknown,
  values: { readonly method?: AuthenticationMethod; readonly methods?: unknown },
  place: Place,
  problems: ProblemLog,
): readonly AuthenticationMethod[] | null {
  const hasMethod = hasKey(raw, 'method');
  if (hasMethod && hasKey(raw, 'methods')) {
    problems.report(placeIn(place, 'methods'), '"method" and "methods" stand side by side; keep one', { part: 'key' });
    return null;
  }
  if (hasMethod) return values.method === undefined ? null : [values.method];
  if (!hasKey(raw, 'methods')) {
    const message = `"method" is missing; a credential needs it (${authenticationMethods.join(', ')})`;
    problems.report(place, message, { absentFrom: 'file' });
    return null;
  }
  return readMethodList(values.methods, placeIn(place, 'methods'), problems);
}

function readMethodList(raw: unknown, place: Place, problems: ProblemLog): readonly AuthenticationMethod[] | null {
  const before = problems.count;
  const list = readList(raw, place, problems) ?? [];
  if (Array.isArray(raw) && list.length === 0)
    problems.report(place, '"methods" is empty; a credential needs a method');
  const methods = new Set<AuthenticationMethod>();
  for (const [index, item] of list.entries()) {
    const method = authenticationMethods.find((known) => known === item);
    if (method !== undefined && !methods.has(method)) {
      methods.add(method);
      continue;
    }
    const at = placeIn(place, index);
    const message =
      method === undefined
        ? `${subjectOf(at.path)} must be ${alternatives(authenticationMethods)}`
        : `"${method}" stands twice in this list`;
    problems.report(at, message);
  }
  return problems.count === before ? [...methods] : null;
}

function readRetiringSecret(raw: unknown, parent: Place, context: CredentialContext): DocumentRetiringSecret | null {
  if (raw === undefined) return null;
  const place = placeIn(parent, 'retiringSecret');
  const values = readMapping(raw, place, retiringKind, context.problems);
  if (values === null) return null;
  const appSecret = readAppSecret(raw, values, place, context);
  return values.expiresAt === undefined ? null : { appSecret, expiresAt: values.expiresAt };
}

function readStoredRetiringSecret(
  raw: unknown,
  parent: Place,
  problems: ProblemLog,
): StoredCredential['retiringSecret'] {
  if (raw === undefined) return null;
  const place = placeIn(parent, 'retiringSecret');
  const values = readMapping(raw, place, storedRetiringKind, problems);
  const appSecret = readSealed(values?.appSecret, place, 'appSecret', problems);
  return appSecret === null || values?.expiresAt === undefined ? null : { appSecret, expiresAt: values.expiresAt };
}

function readSealed(raw: unknown, parent: Place, key: string, problems: ProblemLog): Sealed | null {
  if (raw === undefined) return null;
  const { keyId, nonce, ciphertext } = readMapping(raw, placeIn(parent, key), sealedKind, problems) ?? {};
  return keyId === undefined || nonce === undefined || ciphertext === undefined ? null : { keyId, nonce, ciphertext };
}

/** Whether secrets are written out, as the text that a partner gets, or left out. */
export type SecretsShown = 'reveal' | 'leave-out';

/**
 * A credential as a declarative file has it. An App Key that is the secret itself, of method `key`, is left out with the
 * secrets (spec §1); where only its hash is kept, the hash stands for it, with the secrets too.
 */
export function declareCredential(credential: ManagedCredential, secrets: SecretsShown): Declared {
  const { id, methods, appSecret, retiringSecret, state, notBefore, expiresAt } = credential;
  const [first, ...others] = methods;
  return {
    id,
    ...(others.length === 0 ? { method: first } : { methods }),
    ...declareAppKey(credential, secrets),
    ...(appSecret === null ? {} : declareSecret(appSecret, secrets)),
    ...(retiringSecret === null
      ? {}
      : {
          retiringSecret: {
            ...declareSecret(retiringSecret.appSecret, secrets),
            expiresAt: declareTime(retiringSecret.expiresAt),
          },
        }),
    ...(state === 'active' ? {} : { state }),
    ...(notBefore === null ? {} : { notBefore: declareTime(notBefore) }),
    ...(expiresAt === null ? {} : { expiresAt: declareTime(expiresAt) }),
  };
}

function declareAppKey({ methods, appKey, appKeyHash }: ManagedCredential, secrets: SecretsShown): Declared {
  if (isAppKeySecret(methods) && secrets === 'leave-out') return {};
  return appKey === null ? { appKeyHash } : { appKey: textOf(appKey) };
}

function declareSecret(secret: Secret, secrets: SecretsShown): Declared {
  return secrets === 'reveal' ? { appSecret: textOf(secret) } : {};
}

function textOf(secret: Secret): string {
  return secret.reveal().toString('utf8');
}

/** A credential, always with `state`, as a consumer lists it: see `declareWholeEndpoint`. */
export function declareWholeOwned(credential: ManagedCredential, secrets: SecretsShown): Declared {
  return { ...declareCredential(credential, secrets), state: credential.state };
}

/** A credential, always with `state`, and with its consumer. */
export function declareWholeCredential(credential: ManagedCredential, secrets: SecretsShown): Declared {
  const { id, ...declared } = declareWholeOwned(credential, secrets);
  return { id, consumer: credential.consumerId, ...declared };
}
