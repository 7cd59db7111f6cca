import { type Fields, isMapping } from '../model/document/fields.ts';
import { type AuthenticationMethod, authenticationMethods } from '../model/endpoint.ts';
import type { Place, ProblemLog } from '../model/document/problem-log.ts';
import { hasKey } from '../model/document/read-mapping.ts';
import type { Sealed } from '../model/keyring/sealed.ts';
import { appKeyMaterial, mapSecrets, type Material, type MaterialKind, materialKindOf } from '../model/material.ts';
import type { Secret } from '../model/secret.ts';
import type { CredentialContext } from './app-secret.ts';
import {
  certificateField,
  declareCertificate,
  readDeclaredCertificate,
  shortenCertificate,
} from './certificate-field.ts';
import {
  readStoredCertificate,
  storeCertificate,
  storedCertificateField,
  type StoredCertificate,
} from './stored-certificate.ts';
import type { Declared } from './declared.ts';
import {
  declarePublicKeys,
  publicKeyFields,
  type PublicKeyValues,
  readPublicKeys,
  readStoredPublicKeys,
  shortKey,
  shownPublicKeyFields,
  storedPublicKeyFields,
  type StoredPublicKeys,
  storePublicKeys,
} from './public-key-fields.ts';
import {
  declareSharedSecret,
  readRetiring,
  readSharedSecret,
  readStoredSecret,
  sharedSecretFields,
  shownRetiringField,
  storedSecretFields,
  type StoredSecrets,
  storeSharedSecret,
} from './shared-secret-fields.ts';
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
export type StoredMaterial = Partial<StoredSecrets & StoredPublicKeys & StoredTokenClaims & StoredCertificate>;

/** The keys of what a credential without an App Key is known by, in a declarative file and where it is shown. */
export const knownByFields = { ...tokenClaimsFields, certificate: certificateField } as const;

/** What is shown of a material, without secrets. */
export const shownMaterialFields = {
  retiringSecret: shownRetiringField,
  ...shownPublicKeyFields,
  ...knownByFields,
} as const;

/** The keys of all materials in a declarative file. */
export const materialFields = {
  ...sharedSecretFields,
  ...publicKeyFields,
  ...knownByFields,
} as const;

interface DeclaredValues extends PublicKeyValues {
  readonly appSecret?: string;
  readonly appSecretFrom?: unknown;
  readonly retiringSecret?: unknown;
  readonly issuer?: string;
  readonly claims?: Readonly<Record<string, string>>;
  readonly certificate?: unknown;
}

/** The keys of all materials in a database. */
export const storedMaterialFields = {
  ...storedSecretFields,
  ...storedPublicKeyFields,
  ...storedTokenClaimsFields,
  certificate: storedCertificateField,
} as const satisfies Fields;

interface StoredValues extends PublicKeyValues {
  readonly appSecret?: unknown;
  readonly retiringSecret?: unknown;
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
    read: readSharedSecret,
    declare: declareSharedSecret,
    readStored: readStoredSecret,
    store: storeSharedSecret,
  },
  'public-key': {
    keys: ['publicKey', 'retiringPublicKey'],
    needs: ['publicKey'],
    refusesOthers: 'is not for a credential with a public key; remove it',
    read: readPublicKeys,
    declare: declarePublicKeys,
    readStored: readStoredPublicKeys,
    store: storePublicKeys,
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

const allKeys = Object.values(forms).flatMap(({ keys }) => keys);

/** The methods of a declared or stored credential, as far as they are known. */
export function methodsIn({ method, methods = [method] }: WrittenCredential): readonly AuthenticationMethod[] {
  return authenticationMethods.filter((known) => Array.isArray(methods) && methods.includes(known));
}

/** What of a declared or stored credential says what it proves with. */
export interface WrittenCredential {
  readonly method?: unknown;
  readonly methods?: unknown;
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
  for (const key of allKeys) {
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
