import {
  dateField,
  dateOf,
  isMapping,
  nestedField,
  nestedMapping,
  textField,
  timeField,
} from '../model/document/fields.ts';
import { placeIn, type Place, type ProblemLog } from '../model/document/problem-log.ts';
import { hasKey, readMapping, subjectOf } from '../model/document/read-mapping.ts';
import { UNREADABLE } from '../model/document/yaml-tree.ts';
import { type PublicKeyMaterial, publicKeyMaterial, type RetiringPublicKey } from '../model/material.ts';
import { type PublicJwk, PublicKey } from '../model/public-key/public-key.ts';
import { describeKeyFault, type PublicKeyFault } from '../model/public-key/public-key-fault.ts';
import { readJwk } from '../model/public-key/read-jwk.ts';
import { readPublicKey } from '../model/public-key/read-public-key.ts';
import type { CredentialContext } from './app-secret.ts';
import { type Declared, declareTime } from './declared.ts';

const textSchema = { bsonType: 'string' } as const;
/** A JWK of the members that are kept: none that a private key has. */
const publicJwkField = nestedField({
  bsonType: 'object',
  properties: {
    kty: { enum: ['OKP', 'EC', 'RSA'] },
    crv: { enum: ['Ed25519', 'P-256', 'P-384'] },
    x: textSchema,
    y: textSchema,
    n: textSchema,
    e: textSchema,
  },
  required: ['kty'],
  additionalProperties: false,
});

/** A public key in a file: as PEM, as a JWK, or in a file of its own, one of the three. */
const publicKeyKind = {
  what: '"publicKey"',
  fields: { pem: textField, jwk: nestedField({ bsonType: 'object' }), file: textField },
  required: [],
} as const;

const retiringPublicKeyKind = {
  what: '"retiringPublicKey"',
  fields: { publicKey: nestedMapping(publicKeyKind), expiresAt: timeField },
  required: ['publicKey', 'expiresAt'],
} as const;

const shownPublicKeyKind = { what: '"publicKey"', fields: { jwk: publicJwkField }, required: ['jwk'] } as const;

const storedRetiringPublicKeyKind = {
  what: '"retiringPublicKey"',
  fields: { publicKey: publicJwkField, expiresAt: dateField },
  required: ['publicKey', 'expiresAt'],
} as const;

/** The keys of public keys in a declarative file. */
export const publicKeyFields = {
  publicKey: nestedMapping(publicKeyKind),
  retiringPublicKey: nestedMapping(retiringPublicKeyKind),
} as const;

/** Where they are shown. */
export const shownPublicKeyFields = {
  publicKey: nestedMapping(shownPublicKeyKind),
  retiringPublicKey: nestedMapping({
    what: '"retiringPublicKey"',
    fields: { publicKey: nestedMapping(shownPublicKeyKind), expiresAt: timeField },
    required: ['publicKey', 'expiresAt'],
  }),
} as const;

/** In a database. */
export const storedPublicKeyFields = {
  publicKey: publicJwkField,
  retiringPublicKey: nestedMapping(storedRetiringPublicKeyKind),
} as const;

/** The part of a database's document that holds public keys. */
export interface StoredPublicKeys {
  readonly publicKey: PublicJwk;
  readonly retiringPublicKey?: { readonly publicKey: PublicJwk; readonly expiresAt: Date };
}

/** Values of these fields, in a file or in a database. */
export interface PublicKeyValues {
  readonly publicKey?: unknown;
  readonly retiringPublicKey?: unknown;
}

const PUBLIC_KEY_FORMS = '{ pem: TEXT }, { jwk: … } or { file: PATH }';

/** Reads the keys of a declared credential; null when a problem was reported. */
export function readPublicKeys(
  raw: unknown,
  values: PublicKeyValues,
  place: Place,
  context: CredentialContext,
): PublicKeyMaterial | null {
  if (!hasKey(raw, 'publicKey')) {
    context.problems.reportMissing(place, `"publicKey" is missing; write ${PUBLIC_KEY_FORMS}`);
  }
  const current = readGivenKey(values.publicKey, placeIn(place, 'publicKey'), context);
  const former = readRetiringPublicKey(values.retiringPublicKey, placeIn(place, 'retiringPublicKey'), context);
  return current === null ? null : publicKeyMaterial(current, former);
}

/** The keys as a declarative file has them. */
export function declarePublicKeys({ publicKey, retiringPublicKey: former }: PublicKeyMaterial): Declared {
  const declared = { publicKey: { jwk: publicKey.jwk } };
  if (former === null) return declared;
  const { expiresAt } = former;
  const retiring = { publicKey: { jwk: former.publicKey.jwk }, expiresAt: declareTime(expiresAt) };
  return { publicKey: declared.publicKey, retiringPublicKey: retiring };
}

/** Reads the keys of a credential of a database; null when a problem was reported. */
export function readStoredPublicKeys(
  values: PublicKeyValues,
  place: Place,
  problems: ProblemLog,
): PublicKeyMaterial | null {
  const current = readStoredKey(values.publicKey, placeIn(place, 'publicKey'), problems);
  const former = readStoredRetiringKey(values.retiringPublicKey, placeIn(place, 'retiringPublicKey'), problems);
  return current === null ? null : publicKeyMaterial(current, former);
}

/** The keys as a database keeps them. */
export function storePublicKeys({ publicKey, retiringPublicKey: former }: PublicKeyMaterial): StoredPublicKeys {
  if (former === null) return { publicKey: publicKey.jwk };
  const retiring = { publicKey: former.publicKey.jwk, expiresAt: dateOf(former.expiresAt) };
  return { publicKey: publicKey.jwk, retiringPublicKey: retiring };
}

/** Reads `publicKey` of a document; null when a problem was reported. */
function readGivenKey(raw: unknown, place: Place, context: CredentialContext): PublicKey | null {
  if (raw === undefined) return null;
  const { problems } = context;
  const before = problems.count;
  const values = readMapping(raw, place, publicKeyKind, problems);
  if (values === null || problems.count > before || hasUnreadable(raw)) return null;
  const given = Object.keys(values);
  if (given.length !== 1) {
    problems.report(place, `"publicKey" must be ${PUBLIC_KEY_FORMS}, one of the three`);
    return null;
  }
  const { pem, file } = values;
  const at = placeIn(place, given[0] ?? '');
  if (file !== undefined) return readReferredKey(file, at, context);
  return takeKey(pem === undefined ? readJwk(values.jwk) : readPublicKey(pem), at, problems);
}

/** Whether something in it is no value, for a reason that is reported elsewhere. */
function hasUnreadable(raw: unknown): boolean {
  return isMapping(raw) && Object.values(raw).includes(UNREADABLE);
}

function readReferredKey(file: string, place: Place, { problems, readKeyFile }: CredentialContext): PublicKey | null {
  const isPath = file !== '' && !file.includes('\0');
  const answer = isPath ? readKeyFile(file, place.tree.file) : { fault: 'names no file' };
  if ('text' in answer) return takeKey(readPublicKey(answer.text), place, problems);
  problems.report(place, `"publicKey" ${answer.fault}`);
  return null;
}

function readStoredKey(raw: unknown, place: Place, problems: ProblemLog): PublicKey | null {
  return raw === undefined ? null : takeKey(readJwk(raw), place, problems);
}

/** Nothing of a key that is refused is repeated or kept. */
function takeKey(read: PublicKey | PublicKeyFault, place: Place, problems: ProblemLog): PublicKey | null {
  if (read instanceof PublicKey) return read;
  problems.report(place, describeKeyFault(subjectOf(place.path), read));
  return null;
}

function readRetiringPublicKey(raw: unknown, place: Place, context: CredentialContext): RetiringPublicKey | null {
  if (raw === undefined) return null;
  const values = readMapping(raw, place, retiringPublicKeyKind, context.problems);
  const publicKey = readGivenKey(values?.publicKey, placeIn(place, 'publicKey'), context);
  return publicKey === null || values?.expiresAt === undefined ? null : { publicKey, expiresAt: values.expiresAt };
}

function readStoredRetiringKey(raw: unknown, place: Place, problems: ProblemLog): RetiringPublicKey | null {
  if (raw === undefined) return null;
  const values = readMapping(raw, place, storedRetiringPublicKeyKind, problems);
  const publicKey = readStoredKey(values?.publicKey, placeIn(place, 'publicKey'), problems);
  return publicKey === null || values?.expiresAt === undefined ? null : { publicKey, expiresAt: values.expiresAt };
}

/** A public key as the API and `-o json` show it beside the key itself. */
export function describeKey(key: PublicKey): Declared {
  return { type: key.type, bits: key.bits, thumbprint: key.thumbprint };
}

/** A declared key as a text with its thumbprint, by which people tell keys apart; what is none stays as it is. */
export function shortKey(declared: unknown): unknown {
  const key = isMapping(declared) ? readJwk(declared['jwk']) : null;
  return key instanceof PublicKey ? `${key.description}, thumbprint ${key.thumbprint}` : declared;
}
