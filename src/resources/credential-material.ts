import {
  dateField,
  dateOf,
  type Fields,
  isMapping,
  nestedField,
  nestedMapping,
  textField,
  textThat,
  timeField,
} from '../model/document/fields.ts';
import { type AuthenticationMethod, authenticationMethods } from '../model/endpoint.ts';
import { placeIn, type Place, type ProblemLog } from '../model/document/problem-log.ts';
import { hasKey, readMapping, subjectOf } from '../model/document/read-mapping.ts';
import { UNREADABLE } from '../model/document/yaml-tree.ts';
import type { Sealed } from '../model/keyring/sealed.ts';
import {
  appKeyMaterial,
  mapSecrets,
  type Material,
  type MaterialKind,
  materialKindOf,
  publicKeyMaterial,
  type RetiringPublicKey,
  type RetiringSecret,
  sharedSecret,
} from '../model/material.ts';
import { type PublicJwk, PublicKey } from '../model/public-key/public-key.ts';
import { describeKeyFault, type PublicKeyFault } from '../model/public-key/public-key-fault.ts';
import { readJwk } from '../model/public-key/read-jwk.ts';
import { readPublicKey } from '../model/public-key/read-public-key.ts';
import type { Secret } from '../model/secret.ts';
import { type CredentialContext, readAppSecret, secretFields } from './app-secret.ts';
import {
  certificateField,
  declareCertificate,
  readDeclaredCertificate,
  shortenCertificate,
} from './certificate-field.ts';
import { type Declared, declareTime } from './declared.ts';
import {
  readStoredCertificate,
  storeCertificate,
  storedCertificateField,
  type StoredCertificate,
} from './stored-certificate.ts';
import {
  declareTokenClaims,
  readStoredTokenClaims,
  readTokenClaims,
  storedTokenClaimsFields,
  type StoredTokenClaims,
  storeTokenClaims,
  tokenClaimsFields,
} from './token-claims.ts';

/** A material as a document has it: null for a secret that the document leaves out. */
export type DeclaredMaterial = Material<Secret | null>;

/** How a material is written: in a declarative file, and in a database. */
interface MaterialForm<K extends MaterialKind> {
  /** Its keys in a declarative file and in a database. */
  readonly keys: readonly string[];
  /** What a database cannot do without, beside the App Key. */
  readonly needs: readonly string[];
  /** Why a key of another kind cannot be there, in words that follow the key. */
  readonly refusesOthers: string;
  /** Null when a problem was reported. */
  readonly read: (
    raw: unknown,
    values: DeclaredValues,
    place: Place,
    context: CredentialContext,
  ) => (DeclaredMaterial & { readonly kind: K }) | null;
  readonly declare: (material: DeclaredMaterial & { readonly kind: K }) => Declared;
  readonly readStored: (
    values: StoredValues,
    place: Place,
    problems: ProblemLog,
  ) => (Material<Sealed> & { readonly kind: K }) | null;
  readonly store: (material: Material<Sealed> & { readonly kind: K }) => StoredMaterial;
}

/** The part of a database's document that holds a material. */
export interface StoredMaterial extends Partial<StoredTokenClaims>, Partial<StoredCertificate> {
  readonly appSecret?: Sealed;
  readonly retiringSecret?: { readonly appSecret: Sealed; readonly expiresAt: Date };
  readonly publicKey?: PublicJwk;
  readonly retiringPublicKey?: { readonly publicKey: PublicJwk; readonly expiresAt: Date };
}

const retiringKind = {
  what: '"retiringSecret"',
  fields: { ...secretFields, expiresAt: timeField },
  required: ['expiresAt'],
} as const;

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

/** The keys of what a credential without an App Key is known by, in a declarative file and where it is shown. */
export const knownByFields = { ...tokenClaimsFields, certificate: certificateField } as const;

/** What is shown of a material, without secrets. */
export const shownMaterialFields = {
  retiringSecret: nestedMapping({
    what: '"retiringSecret"',
    fields: { expiresAt: timeField },
    required: ['expiresAt'],
  }),
  publicKey: nestedMapping(shownPublicKeyKind),
  retiringPublicKey: nestedMapping({
    what: '"retiringPublicKey"',
    fields: { publicKey: nestedMapping(shownPublicKeyKind), expiresAt: timeField },
    required: ['publicKey', 'expiresAt'],
  }),
  ...knownByFields,
} as const;

/** The keys of all materials in a declarative file. */
export const materialFields = {
  ...secretFields,
  retiringSecret: nestedMapping(retiringKind),
  publicKey: nestedMapping(publicKeyKind),
  retiringPublicKey: nestedMapping(retiringPublicKeyKind),
  ...knownByFields,
} as const;

interface DeclaredValues {
  readonly appSecret?: string;
  readonly appSecretFrom?: unknown;
  readonly retiringSecret?: unknown;
  readonly publicKey?: unknown;
  readonly retiringPublicKey?: unknown;
  readonly issuer?: string;
  readonly claims?: Readonly<Record<string, string>>;
  readonly certificate?: unknown;
}

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

const storedRetiringPublicKeyKind = {
  what: '"retiringPublicKey"',
  fields: { publicKey: publicJwkField, expiresAt: dateField },
  required: ['publicKey', 'expiresAt'],
} as const;

/** The keys of all materials in a database. */
export const storedMaterialFields = {
  appSecret: nestedMapping(sealedKind),
  retiringSecret: nestedMapping(storedRetiringKind),
  publicKey: publicJwkField,
  retiringPublicKey: nestedMapping(storedRetiringPublicKeyKind),
  ...storedTokenClaimsFields,
  certificate: storedCertificateField,
} as const satisfies Fields;

interface StoredValues {
  readonly appSecret?: unknown;
  readonly retiringSecret?: unknown;
  readonly publicKey?: unknown;
  readonly retiringPublicKey?: unknown;
  readonly issuer?: string;
  readonly claims?: unknown;
  readonly claimNames?: string;
  readonly certificate?: unknown;
}

const forms: { readonly [K in MaterialKind]: MaterialForm<K> } = {
  'app-key': {
    keys: [],
    needs: [],
    refusesOthers: 'is not for a credential of method key, whose App Key is the secret; remove it',
    read: () => appKeyMaterial,
    declare: () => ({}),
    readStored: () => appKeyMaterial,
    store: () => ({}),
  },
  'shared-secret': {
    keys: ['appSecret', 'appSecretFrom', 'retiringSecret'],
    needs: ['appSecret'],
    refusesOthers: 'is not for a credential with an App Secret; remove it',
    read: (raw, values, place, context) =>
      sharedSecret(readAppSecret(raw, values, place, context), readRetiring(values.retiringSecret, place, context)),
    declare: ({ appSecret, retiringSecret: former }) => ({
      ...declareSecret(appSecret),
      ...(former === null
        ? {}
        : { retiringSecret: { ...declareSecret(former.appSecret), expiresAt: declareTime(former.expiresAt) } }),
    }),
    readStored: (values, place, problems) => {
      const appSecret = readSealed(values.appSecret, place, 'appSecret', problems);
      const former = readStoredRetiring(values.retiringSecret, placeIn(place, 'retiringSecret'), problems);
      return appSecret === null ? null : sharedSecret(appSecret, former);
    },
    store: ({ appSecret, retiringSecret: former }) => ({
      appSecret,
      ...(former === null
        ? {}
        : { retiringSecret: { appSecret: former.appSecret, expiresAt: dateOf(former.expiresAt) } }),
    }),
  },
  'public-key': {
    keys: ['publicKey', 'retiringPublicKey'],
    needs: ['publicKey'],
    refusesOthers: 'is not for a credential with a public key; remove it',
    read: (raw, values, place, context) => {
      if (!hasKey(raw, 'publicKey')) {
        context.problems.reportMissing(place, `"publicKey" is missing; write ${PUBLIC_KEY_FORMS}`);
      }
      const current = readGivenKey(values.publicKey, placeIn(place, 'publicKey'), context);
      const former = readRetiringPublicKey(values.retiringPublicKey, placeIn(place, 'retiringPublicKey'), context);
      return current === null ? null : publicKeyMaterial(current, former);
    },
    declare: ({ publicKey, retiringPublicKey: former }) => ({
      publicKey: { jwk: publicKey.jwk },
      ...(former === null
        ? {}
        : {
            retiringPublicKey: {
              publicKey: { jwk: former.publicKey.jwk },
              expiresAt: declareTime(former.expiresAt),
            },
          }),
    }),
    readStored: (values, place, problems) => {
      const current = readStoredKey(values.publicKey, placeIn(place, 'publicKey'), problems);
      const former = readStoredRetiringKey(values.retiringPublicKey, placeIn(place, 'retiringPublicKey'), problems);
      return current === null ? null : publicKeyMaterial(current, former);
    },
    store: ({ publicKey, retiringPublicKey: former }) => ({
      publicKey: publicKey.jwk,
      ...(former === null
        ? {}
        : { retiringPublicKey: { publicKey: former.publicKey.jwk, expiresAt: dateOf(former.expiresAt) } }),
    }),
  },
  'token-claims': {
    keys: ['issuer', 'claims', 'claimNames'],
    needs: ['issuer', 'claims', 'claimNames'],
    refusesOthers: 'is not for a credential of method jwt, which is known by the claims of its tokens; remove it',
    read: (raw, values, place, { problems }) => readTokenClaims(raw, values, place, problems),
    declare: declareTokenClaims,
    readStored: readStoredTokenClaims,
    store: storeTokenClaims,
  },
  certificate: {
    keys: ['certificate'],
    needs: ['certificate'],
    refusesOthers: 'is not for a credential of method certificate, which is known by its certificate; remove it',
    read: (raw, { certificate }, place, context) => readDeclaredCertificate(raw, certificate, place, context),
    declare: declareCertificate,
    readStored: ({ certificate }, place, problems) => readStoredCertificate(certificate, place, problems),
    store: storeCertificate,
  },
};

const PUBLIC_KEY_FORMS = '{ pem: TEXT }, { jwk: … } or { file: PATH }';

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

/** The methods of a declared or stored credential, as far as they are known. */
export function methodsIn({ method, methods = [method] }: WrittenCredential): readonly AuthenticationMethod[] {
  return authenticationMethods.filter((known) => Array.isArray(methods) && methods.includes(known));
}

/** What of a declared or stored credential says what it proves with. */
export interface WrittenCredential {
  readonly method?: unknown;
  readonly methods?: unknown;
}

/** A public key as the API and `-o json` show it beside the key itself. */
export function describeKey(key: PublicKey): Declared {
  return { type: key.type, bits: key.bits, thumbprint: key.thumbprint };
}

/**
 * A declared form as changes are described: each public key is a text with its thumbprint, by which people tell keys
 * apart. Anything that is no key stays as it is.
 */
export function shortenKeys(declared: Declared): Declared {
  const { publicKey, retiringPublicKey: former, certificate } = declared;
  if (isMapping(certificate)) return { ...declared, certificate: shortenCertificate(certificate) };
  if (publicKey === undefined && former === undefined) return declared;
  return {
    ...declared,
    ...(publicKey === undefined ? {} : { publicKey: shortKey(publicKey) }),
    ...(isMapping(former) ? { retiringPublicKey: { ...former, publicKey: shortKey(former['publicKey']) } } : {}),
  };
}

function shortKey(declared: unknown): unknown {
  const key = isMapping(declared) ? readJwk(declared['jwk']) : null;
  return key instanceof PublicKey ? `${key.description}, thumbprint ${key.thumbprint}` : declared;
}

/** What a declared or stored credential proves with. */
export function materialKindIn(credential: WrittenCredential): MaterialKind {
  return hasKey(credential, 'publicKey') ? 'public-key' : materialKindOf(methodsIn(credential));
}

/** The form of a kind; that it is of the kind of what it is asked for is for the caller to see to. */
function formOf(kind: MaterialKind): MaterialForm<MaterialKind> {
  return forms[kind] as MaterialForm<MaterialKind>;
}

/** Reports the keys of other kinds of material. */
export function reportOtherMaterial(raw: unknown, kind: MaterialKind, place: Place, problems: ProblemLog): void {
  const { keys: own, refusesOthers } = forms[kind];
  const others = Object.values(forms).flatMap(({ keys }) => keys);
  for (const key of others) {
    if (!own.includes(key) && hasKey(raw, key)) problems.reportKey(place, key, `"${key}" ${refusesOthers}`);
  }
}

/** What a material of a kind needs in a database, beside the App Key. */
export function storedNeedsOf(kind: MaterialKind): readonly string[] {
  return forms[kind].needs;
}

/**
 * Reads the material of a declared credential: a secret that it lacks is null, and reported where the document must be
 * whole. With `kind` null, where the methods could not be read, it reports what is wrong with any kind, and gives null.
 */
export function readMaterial(
  raw: unknown,
  values: DeclaredValues,
  kind: MaterialKind | null,
  place: Place,
  context: CredentialContext,
): DeclaredMaterial | null {
  if (kind === null) {
    readRetiring(values.retiringSecret, place, context);
    return null;
  }
  return formOf(kind).read(raw, values, place, context);
}

/** Whether secrets are written out, as the text that a partner gets, or left out. */
export type SecretsShown = 'reveal' | 'leave-out';

/** A material as a declarative file has it. */
export function declareMaterial(material: Material, secrets: SecretsShown): Declared {
  const shown = secrets === 'reveal' ? material : mapSecrets(material, () => null);
  return formOf(shown.kind).declare(shown);
}

/** Reads the material of a credential of a database; null when a problem was reported. Opens nothing. */
export function readStoredMaterial(
  values: StoredValues,
  kind: MaterialKind,
  place: Place,
  problems: ProblemLog,
): Material<Sealed> | null {
  return formOf(kind).readStored(values, place, problems);
}

/** A material as a database keeps it. */
export function storeMaterial(material: Material<Sealed>): StoredMaterial {
  return formOf(material.kind).store(material);
}

function readRetiring(raw: unknown, parent: Place, context: CredentialContext): RetiringSecret<Secret | null> | null {
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
