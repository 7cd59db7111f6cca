import { APP_KEY_PATTERN, hashAppKey, isAppKeySecret } from '../model/app-key.ts';
import { credentialStates } from '../model/credential.ts';
import { authenticationMethods, type AuthenticationMethod } from '../model/endpoint.ts';
import type { DocumentCredential, DocumentRetiringSecret } from './document-content.ts';
import { alternatives, choiceField, idField, nestedField, textThat, timeField } from './fields.ts';
import { placeIn, type Place, type ProblemLog } from './problem-log.ts';
import { readList, readMapping, subjectOf } from './read-mapping.ts';
import { hasKey, readAppSecret, secretFields, type CredentialContext } from './read-secret.ts';

const appKeyField = textThat(
  (text) => APP_KEY_PATTERN.test(text),
  'must be 1 to 128 of the characters A-Z, a-z, 0-9, ".", "_" and "-"',
);

const HASH_PATTERN = /^[0-9a-f]{64}$/;
const appKeyHashField = textThat(
  (text) => HASH_PATTERN.test(text),
  'must be the SHA-256 of an App Key: 64 of the characters 0-9 and a-f',
);

const credentialKind = {
  what: 'a credential',
  fields: {
    id: idField,
    method: choiceField(authenticationMethods),
    methods: nestedField,
    appKey: appKeyField,
    appKeyHash: appKeyHashField,
    ...secretFields,
    retiringSecret: nestedField,
    state: choiceField(credentialStates),
    notBefore: timeField,
    expiresAt: timeField,
  },
  required: [],
} as const;

const retiringKind = {
  what: '"retiringSecret"',
  fields: { ...secretFields, expiresAt: timeField },
  required: ['expiresAt'],
} as const;

/** A credential as far as it could be read, for what has to be looked at across all of them. */
export interface ReadCredential {
  readonly place: Place;
  readonly id: string | null;
  readonly appKeyHash: string | null;
  /** Null when a problem was reported. */
  readonly credential: DocumentCredential | null;
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
  if (isKeyOnly) reportNotForKey(raw, place, problems);
  const appSecret = methods === null || isKeyOnly ? null : readAppSecret(raw, values, place, context);
  const retiringSecret = isKeyOnly ? null : readRetiringSecret(values.retiringSecret, place, context);
  if (state === 'retiring' && !hasKey(raw, 'expiresAt')) {
    const message = '"expiresAt" is missing; "state: retiring" needs the time until which the credential works';
    problems.report(placeIn(place, 'state'), message, { absentFrom: 'file' });
  }
  if (notBefore !== null && expiresAt !== null && expiresAt <= notBefore) {
    problems.report(placeIn(place, 'expiresAt'), '"expiresAt" must be later than "notBefore"');
  }
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

function reportNotForKey(raw: unknown, place: Place, problems: ProblemLog): void {
  for (const key of ['appSecret', 'appSecretFrom', 'retiringSecret']) {
    if (!hasKey(raw, key)) continue;
    const message = `"${key}" is not for a credential of method key, whose App Key is the secret; remove it`;
    problems.report(placeIn(place, key), message, { part: 'key' });
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
    const at = placeIn(place, index);
    const method = authenticationMethods.find((known) => known === item);
    if (method === undefined)
      problems.report(at, `${subjectOf(at.path)} must be ${alternatives(authenticationMethods)}`);
    else if (methods.has(method)) problems.report(at, `"${method}" stands twice in this list`);
    else methods.add(method);
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
