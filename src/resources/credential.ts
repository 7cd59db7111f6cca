import type { Lifetime } from '../base/clock.ts';
import {
  alternatives,
  choiceField,
  idField,
  isMapping,
  nestedField,
  textLike,
  textThat,
} from '../model/document/fields.ts';
import { placeIn, type Place, type Placed, type ProblemLog } from '../model/document/problem-log.ts';
import { hasKey, readList, readMapping, subjectOf, withDefaults } from '../model/document/read-mapping.ts';
import {
  APP_KEY_PATTERN,
  hashAppKey,
  KEY_ID_PATTERN,
  KEY_ID_RULE,
  MAX_APP_KEY_CHARACTERS,
  THUMBPRINT_APP_KEY,
} from '../model/app-key.ts';
import { credentialDefaults, type CredentialFields, type CredentialState } from '../model/credential.ts';
import { authenticationMethods, type AuthenticationMethod } from '../model/endpoint.ts';
import { derivedAppKeyOf, materialFacts, type MaterialKind, takesMaterial } from '../model/material.ts';
import type { CredentialContext } from './app-secret.ts';
import { declaredFields, declareFields } from './credential-fields.ts';
import {
  type DeclaredMaterial,
  declareMaterial,
  materialFields,
  materialKindIn,
  readMaterial,
  reportOtherMaterial,
  type SecretsShown,
} from './credential-material.ts';
import type { Declared } from './declared.ts';
import type { ManagedCredential } from './resource.ts';

/**
 * A credential as a document has it. What `apply` generates or keeps may be absent; a file store wants all of it
 * (interfaces §4, spec §6).
 */
export interface DocumentCredential extends CredentialFields {
  /** Null: generated. */
  readonly id: string | null;
  readonly consumerId: string;
  readonly methods: readonly AuthenticationMethod[];
  /** Null when the document has its hash instead, or neither: then `apply` generates it once, and there is an `id`. */
  readonly appKey: string | null;
  readonly appKeyHash: string | null;
  readonly material: DeclaredMaterial;
}

/** An App Key of a document or a database: a text. Which ones can be is for {@link readAppKey} to say. */
export const appKeyField = Object.assign(
  textThat(() => true, ''),
  { schema: { bsonType: 'string', pattern: KEY_ID_PATTERN.source } },
);

/** What credentials are found by. */
export const appKeyHashField = textLike(
  /^[0-9a-f]{64}$/,
  'must be the SHA-256 of an App Key: 64 of the characters 0-9 and a-f',
);

/** The methods of one credential, at least one and each once; several share its App Key and App Secret. */
export const methodsField = nestedField({
  bsonType: 'array',
  minItems: 1,
  uniqueItems: true,
  items: { enum: authenticationMethods },
});

/** A credential of a declarative file. */
export const credentialKind = {
  what: 'a credential',
  fields: {
    id: idField,
    method: choiceField(authenticationMethods),
    methods: methodsField,
    appKey: appKeyField,
    appKeyHash: appKeyHashField,
    ...materialFields,
    ...declaredFields,
  },
  required: [],
} as const;

/** A credential as far as it could be read; `value` is null when a problem was reported. */
export interface ReadCredential extends Placed<DocumentCredential | null> {
  readonly id: string | null;
  readonly appKeyHash: string | null;
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
  if (values === null) return { place, id: null, appKeyHash: null, value: null };
  const { id = null } = values;
  const own = withDefaults(values, credentialDefaults);
  const methods = readMethods(raw, values, place, problems);
  const kind = methods !== null && isMapping(raw) ? materialKindIn(raw) : null;
  if (kind !== null && materialFacts[kind].appKey === 'derived') reportGivenAppKey(raw, place, problems);
  else if (hasKey(raw, 'appKeyHash')) reportAppKeyHash(raw, kind, place, problems);
  else if (!hasKey(raw, 'appKey')) reportMissingAppKey(raw, place, context);
  reportMisfits(raw, { ...own, kind }, place, problems);
  reportMethods(raw, methods, kind, place, problems);
  const material = readMaterial(raw, values, kind, place, context);
  const written = readAppKey(values.appKey, hasKey(raw, 'publicKey') ? 'public-key' : kind, place, problems);
  const isThumbprint = written === THUMBPRINT_APP_KEY && material?.kind === 'public-key';
  const appKey = isThumbprint ? material.publicKey.thumbprint : written;
  const derived = material === null ? null : derivedAppKeyOf(material);
  const foundBy = derived ?? appKey;
  const appKeyHash = foundBy === null ? (values.appKeyHash ?? null) : hashAppKey(foundBy);
  const value =
    problems.count > before || methods === null || material === null || consumerId === null
      ? null
      : { id, consumerId, methods, appKey, appKeyHash, material, ...own };
  return { place, id, appKeyHash, value };
}

/** An App Key of a kind that it can have; null where there is none, or a problem was reported. */
export function readAppKey(
  text: string | undefined,
  kind: MaterialKind | null,
  place: Place,
  problems: ProblemLog,
): string | null {
  if (text === undefined) return null;
  const [pattern, rule] = kind === 'public-key' ? [KEY_ID_PATTERN, KEY_ID_RULE] : [APP_KEY_PATTERN, PLAIN_RULE];
  if (pattern.test(text)) return text;
  problems.report(placeIn(place, 'appKey'), `"appKey" must be ${rule}`);
  return null;
}

const PLAIN_RULE = `1 to ${String(MAX_APP_KEY_CHARACTERS)} of the characters A-Z, a-z, 0-9, ".", "_" and "-"`;

/** What a credential of a kind proves with, with its article. */
const provenWith: Readonly<Record<MaterialKind, string>> = {
  'app-key': 'a secret App Key',
  'shared-secret': 'an App Secret',
  'public-key': 'a public key',
  'token-claims': 'claims of tokens',
  certificate: 'a certificate',
};

/** Reports methods whose callers cannot prove who they are with what the credential has (spec §1). */
export function reportMethods(
  raw: unknown,
  methods: readonly AuthenticationMethod[] | null,
  kind: MaterialKind | null,
  place: Place,
  problems: ProblemLog,
): void {
  if (methods === null || kind === null) return;
  const misfits = methods.filter((method) => !takesMaterial(method, kind));
  if (misfits.length === 0) return;
  const takers = authenticationMethods.filter((method) => takesMaterial(method, kind));
  const names = `${misfits.length === 1 ? 'method' : 'methods'} ${misfits.join(', ')}`;
  const message = `${names} cannot be used with ${provenWith[kind]}, which is for ${takers.join(' and ')}: make a credential for each`;
  problems.reportKey(place, ['publicKey', 'methods', 'method'].find((key) => hasKey(raw, key)) ?? 'method', message);
}

/** Reports what breaks the rules across the fields of a credential, wherever it is written (spec §1). */
export function reportMisfits(
  raw: unknown,
  credential: Lifetime & {
    /** Null where the methods could not be read. */
    readonly kind: MaterialKind | null;
    readonly state: CredentialState | undefined;
  },
  place: Place,
  problems: ProblemLog,
): void {
  const { kind, state, notBefore, expiresAt } = credential;
  if (kind !== null) reportOtherMaterial(raw, kind, place, problems);
  if (state === 'retiring' && !hasKey(raw, 'expiresAt')) {
    const message = '"expiresAt" is missing; "state: retiring" needs the time until which the credential works';
    problems.reportMissing(placeIn(place, 'state'), message);
  }
  if (notBefore !== null && expiresAt !== null && expiresAt <= notBefore) {
    problems.report(placeIn(place, 'expiresAt'), '"expiresAt" must be later than "notBefore"');
  }
}

function reportMissingAppKey(raw: unknown, place: Place, { problems, isComplete }: CredentialContext): void {
  if (isComplete) problems.reportMissing(place, '"appKey" is missing; a credential needs it');
  else if (!hasKey(raw, 'id')) {
    const message =
      '"appKey" is missing; a credential without one needs an "id", under which the generated pair is kept';
    problems.reportMissing(place, message);
  }
}

/** What a credential without an App Key of its own is found by follows from what it names. */
function reportGivenAppKey(raw: unknown, place: Place, problems: ProblemLog): void {
  for (const key of ['appKey', 'appKeyHash']) {
    if (!hasKey(raw, key)) continue;
    const message = `"${key}" is not for a credential of method jwt or certificate, which has no App Key: it is found by its claims or its certificate; remove it`;
    problems.reportKey(place, key, message);
  }
}

/** `appKeyHash` is for an App Key that is kept nowhere (spec §6), which only one that is the secret deserves. */
function reportAppKeyHash(raw: unknown, kind: MaterialKind | null, place: Place, problems: ProblemLog): void {
  if (hasKey(raw, 'appKey')) {
    problems.reportKey(place, 'appKeyHash', '"appKey" and "appKeyHash" exclude each other; keep one');
  } else if (kind !== null && materialFacts[kind].appKey === 'public') {
    const message =
      '"appKeyHash" is for a credential of method key only; the App Key of other methods is no secret: write "appKey"';
    problems.reportKey(place, 'appKeyHash', message);
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
    problems.reportKey(place, 'methods', '"method" and "methods" exclude each other; keep one');
    return null;
  }
  if (hasMethod) return values.method === undefined ? null : [values.method];
  if (!hasKey(raw, 'methods')) {
    const message = `"method" is missing; a credential needs it (${authenticationMethods.join(', ')})`;
    problems.reportMissing(place, message);
    return null;
  }
  return readMethodList(values.methods, placeIn(place, 'methods'), problems);
}

/** A list of methods, none twice, at least one; null when a problem was reported. */
export function readMethodList(
  raw: unknown,
  place: Place,
  problems: ProblemLog,
): readonly AuthenticationMethod[] | null {
  const before = problems.count;
  const list = readList(raw, place, problems) ?? [];
  if (Array.isArray(raw) && list.length === 0) {
    problems.report(place, '"methods" is empty; a credential needs a method');
  }
  const methods = new Set<AuthenticationMethod>();
  for (const [index, item] of list.entries()) {
    const at = placeIn(place, index);
    const method = authenticationMethods.find((known) => known === item);
    if (method === undefined) {
      problems.report(at, `${subjectOf(at.path)} must be ${alternatives(authenticationMethods)}`);
    } else if (methods.has(method)) problems.report(at, `"${method}" appears twice in this list`);
    else methods.add(method);
  }
  return problems.count === before ? [...methods] : null;
}

/**
 * A credential as a declarative file has it. An App Key that is the secret itself, of method `key`, is left out with
 * the secrets (spec §1); where only its hash is kept, the hash is written instead, with the secrets too.
 */
export function declareCredential(credential: ManagedCredential, secrets: SecretsShown): Declared {
  const { id, methods, material } = credential;
  const [first, ...others] = methods;
  return {
    id,
    ...(others.length === 0 ? { method: first } : { methods }),
    ...declareAppKey(credential, secrets),
    ...declareMaterial(material, secrets),
    ...declareFields(credential),
  };
}

function declareAppKey({ material, appKey, appKeyHash }: ManagedCredential, secrets: SecretsShown): Declared {
  const { appKey: kind } = materialFacts[material.kind];
  if (kind === 'derived' || (kind === 'secret' && secrets === 'leave-out')) return {};
  return appKey === null ? { appKeyHash } : { appKey: appKey.reveal().toString('utf8') };
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
