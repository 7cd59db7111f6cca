import { type Declared, declareTime } from '../../../resources/declared.ts';
import { ID_PATTERN } from '../../../model/document/fields.ts';
import { quoted } from '../../../model/document/problem.ts';
import { findSecretFault } from '../../../resources/app-secret.ts';
import { APP_KEY_PATTERN, MAX_APP_KEY_CHARACTERS } from '../../../model/app-key.ts';
import type { AuthenticationMethod } from '../../../model/endpoint.ts';
import type { KongAppKeys, ReportDifference } from '../../../check/methods/kong.ts';
import { equal } from '../../../base/text/equal.ts';
import type { FindingLog } from './finding.ts';
import type { FileKeySchemes } from './key-schemes.ts';
import { type KongConsumer, type KongCredential, nameOfConsumer } from './kong-entities.ts';
import type { KongMapping } from './kong-mapping.ts';
import { commonKeys } from './kong-mapping.ts';
import type { TokenKeyImporter } from './token-keys.ts';
import type { ImportedMethod } from './plugin-kinds.ts';
import { isTemplate, RENDER_FIRST } from './unresolved.ts';

/** Imports credentials, one consumer after the other; remembers which App Keys and ids are taken. */
export interface CredentialImporter {
  of(consumer: KongConsumer): readonly Declared[];
  /** Whether any credential so far holds a secret itself. */
  holdsSecrets(): boolean;
}

/** A credential, to which another one with the same App Key can be joined. */
interface Imported {
  readonly consumer: KongConsumer;
  readonly secret: string | null;
  /** Grows with each one that is joined. */
  readonly methods: AuthenticationMethod[];
  readonly values: Declared;
}

/** A part of a credential that cannot be imported: at which field, why, and what to do. */
interface CredentialFault {
  /** Null for the whole credential. */
  readonly field: string | null;
  /** In words that follow "has a credential that". */
  readonly what: string;
  readonly instead: string;
}

/** A credential of Kong with an App Key of its own. */
interface KeyedCredential extends KongCredential {
  readonly kind: ImportedMethod & { readonly credential: KongAppKeys };
}

function isKeyed(credential: KongCredential): credential is KeyedCredential {
  return credential.kind.credential.kind === 'app-key';
}

/** An importer for one file. What cannot be imported is left out and reported, without its value. */
export function credentialImporter(
  findings: FindingLog,
  schemes: FileKeySchemes,
  tokenKeys: TokenKeyImporter,
): CredentialImporter {
  const takenKeys = new Map<string, Imported>();
  const takenIds = new Set<string>();
  let hasSecrets = false;

  const importOne = (
    consumer: KongConsumer,
    credential: KeyedCredential,
    report: ReportDifference,
  ): Imported | null => {
    const { kind, entity } = credential;
    const leaveOut = ({ field, what, instead }: CredentialFault): null => {
      const message = `has a credential (${kind.credential.list}) that ${what}: it was left out`;
      report('error', field === null ? [] : [field], { what: message, instead });
      return null;
    };
    const [unknown] = entity.unknownKeys(credentialKeys);
    if (unknown !== undefined) {
      const what = `has ${quoted(unknown)}, which the importer does not know`;
      return leaveOut({ field: unknown, what, instead: 'correct it: Kong refuses keys that it does not know' });
    }
    const appKey = readAppKey(credential, schemes);
    if (typeof appKey !== 'string') return leaveOut(appKey);
    const lifetime = readLifetime(entity);
    if (lifetime === null) {
      return leaveOut({ field: 'ttl', what: 'expires, but the file does not say when', instead: issueFor(kind) });
    }
    const secret = readSecret(credential);
    if ('what' in secret) return leaveOut(secret);

    const taken = takenKeys.get(appKey);
    if (taken !== undefined) {
      const isSame = taken.consumer === consumer && isSameText(taken.secret, secret.text);
      if (isSame && !taken.methods.includes(kind.method)) {
        reportDifference(credential, secret, report);
        taken.methods.push(kind.method);
        return null;
      }
      const field = kind.credential.appKey;
      const what = `has the same "${field}" as another credential has, and an App Key belongs to one`;
      return leaveOut({ field, what, instead: issueFor(kind) });
    }
    const isKeySecret = kind.credential.appSecret === null;
    hasSecrets ||= isKeySecret || 'appSecret' in secret.declared;
    // What Kong sends to back ends as X-Credential-Identifier, so that it stays the same, where it can be an id.
    const id = isKeySecret ? entity.text('id') : appKey;
    const isOwnId = id !== null && ID_PATTERN.test(id) && !takenIds.has(id);
    if (isOwnId) takenIds.add(id);
    const values = { ...(isOwnId ? { id } : {}), appKey, ...secret.declared, ...lifetime };
    const imported = { consumer, secret: secret.text, methods: [kind.method], values };
    reportDifference(credential, secret, report);
    takenKeys.set(appKey, imported);
    return imported;
  };

  return {
    holdsSecrets: () => hasSecrets,
    of: (consumer) => {
      const keyed: Imported[] = [];
      const ofTokens: Declared[] = [];
      for (const credential of consumer.credentials) {
        const report = findings.about(credential.entity.place, `consumer ${quoted(nameOfConsumer(consumer))}`);
        const own = isKeyed(credential) ? importOne(consumer, credential, report) : null;
        const ofToken = isKeyed(credential) ? null : tokenKeys.read(credential, report, takenIds);
        if (own !== null) keyed.push(own);
        if (ofToken !== null) ofTokens.push(ofToken);
      }
      return [...keyed.map(declare), ...ofTokens];
    },
  };
}

/** Reports what the caller may notice; a secret that is kept elsewhere is not known here. */
function reportDifference({ kind, entity }: KeyedCredential, { declared }: ReadSecret, report: ReportDifference): void {
  const difference = 'appSecret' in declared ? (kind.credential.findDifference?.(entity) ?? null) : null;
  if (difference === null) return;
  const { what, instead } = difference;
  report('warning', [], { what: `has a credential (${kind.credential.list}) that ${what}`, instead });
}

/** The keys of every kind of credential that is imported (kong/plugins/…/daos.lua). */
const credentialKeys: ReadonlySet<string> = new Set([
  ...[...commonKeys, 'consumer', 'key', 'ttl', 'username', 'secret', 'name', 'client_id', 'client_secret'],
  ...['hash_secret', 'client_type', 'redirect_uris'],
]);

function issueFor({ method }: ImportedMethod): string {
  return `issue another one: postern credential issue --method ${method}`;
}

function absent(field: string): CredentialFault {
  const instead = 'dump the running configuration, which has it';
  return { field: null, what: `has no "${field}" in this file; Kong generates it`, instead };
}

/** The App Key of a credential, or why it cannot be one. */
function readAppKey({ kind, entity }: KeyedCredential, schemes: FileKeySchemes): string | CredentialFault {
  const field = kind.credential.appKey;
  const appKey = entity.text(field);
  if (appKey === null) return absent(field);
  const reference = findReference(appKey);
  if (reference !== null) {
    return { field, what: `has ${reference.what} in place of its "${field}"`, instead: RENDER_FIRST };
  }
  const read =
    kind.credential.appSecret === null ? schemes.read(appKey) : APP_KEY_PATTERN.test(appKey) ? { appKey } : null;
  if (read !== null) return 'appKey' in read ? read.appKey : { field, what: read.fault, instead: issueFor(kind) };
  const what = APP_KEY_PATTERN.test(appKey.slice(0, MAX_APP_KEY_CHARACTERS))
    ? `has a "${field}" of more than ${String(MAX_APP_KEY_CHARACTERS)} characters`
    : `has a "${field}" with other characters than A-Z, a-z, 0-9, ".", "_" and "-"`;
  return { field, what, instead: issueFor(kind) };
}

/** An App Secret as it stands and as it is declared; both are nothing for a method without one. */
interface ReadSecret {
  readonly text: string | null;
  readonly declared: Declared;
}

/** The App Secret of a credential, or why it cannot be one. */
function readSecret({ kind, entity }: KeyedCredential): ReadSecret | CredentialFault {
  const { appSecret: field, findFault } = kind.credential;
  const instead = issueFor(kind);
  const fault = findFault?.(entity) ?? null;
  if (fault !== null) return { field: null, what: fault, instead };
  if (field === null) return { text: null, declared: {} };
  const text = entity.text(field);
  if (text === null) return absent(field);
  const reference = findReference(text);
  if (reference === null) {
    if (isTemplate(text)) return { field, what: `has a placeholder in its "${field}"`, instead: RENDER_FIRST };
    const secretFault = findSecretFault(text);
    if (secretFault !== null) return { field, what: `has a secret that ${secretFault}`, instead };
    return { text, declared: { appSecret: text } };
  }
  if (reference.env !== null) return { text, declared: { appSecretFrom: { env: reference.env } } };
  return {
    field,
    what: `has ${reference.what} in place of its "${field}"`,
    instead: 'write the secret into a file or an environment variable: postern credential import --secret-from',
  };
}

/** `id` first, then the method or methods, as files are written. */
function declare({ methods, values: { id, ...rest } }: Imported): Declared {
  const [method] = methods;
  return { ...(id === undefined ? {} : { id }), ...(methods.length === 1 ? { method } : { methods }), ...rest };
}

/**
 * The end of a credential with a `ttl`, which Kong counts from its creation; null when the file does not say when that
 * was.
 */
function readLifetime(entity: KongMapping): Declared | null {
  const ttlSeconds = entity.number('ttl');
  if (ttlSeconds === null) return {};
  const endsAt = Math.floor((entity.number('created_at') ?? NaN) + ttlSeconds);
  return endsAt > 0 && endsAt < MAX_TIME_SECONDS ? { expiresAt: declareTime(endsAt) } : null;
}

/** 9999-12-31T23:59:59Z: what RFC 3339 can write. */
const MAX_TIME_SECONDS = 253_402_300_799;

function isSameText(first: string | null, second: string | null): boolean {
  return first !== null && second !== null && equal(Buffer.from(first), Buffer.from(second));
}

/** What stands in for a value, in words, and the environment variable where it can be looked up here. */
interface ValueReference {
  /** With its article: `a placeholder`; never the text itself. */
  readonly what: string;
  /** Null for what cannot be looked up. */
  readonly env: string | null;
}

/** Kong's own references (kong/pdk/vault.lua): `{vault://name/resource}`. */
const VAULT = /^\{vault:\/\/([^/{}?]+)\/([^/{}?]+)([/?][^{}]*)?\}$/;
/** What decK fills in before it talks to Kong: `${{ env "DECK_NAME" }}`. */
const DECK = /\$\{\{/;
const DECK_VALUE = /^\$\{\{ *env +["']([A-Za-z_][A-Za-z0-9_]*)["'] *\}\}$/;
/**
 * What programs such as envsubst fill in: `${NAME}`, or `$NAME`, in capitals as variables are (a secret may begin with
 * `$`).
 */
const SHELL_VALUE = /^\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Z_][A-Z0-9_]*))$/;
const VAULT_NAME = /^[a-z0-9-]{1,32}$/;

/** What a value refers to; null for a value that stands for itself. */
function findReference(text: string): ValueReference | null {
  const deck = DECK_VALUE.exec(text)?.[1];
  if (deck !== undefined) return { what: 'a variable of decK', env: deck };
  const shell = SHELL_VALUE.exec(text);
  if (shell !== null) return { what: 'a placeholder ($NAME)', env: shell[1] ?? shell[2] ?? null };
  const vault = VAULT.exec(text);
  if (vault !== null) {
    const [, name = '', resource = '', rest = ''] = vault;
    // kong/vaults/env/init.lua
    const env = name === 'env' && rest === '' ? resource.replaceAll('-', '_').toUpperCase() : null;
    return { what: VAULT_NAME.test(name) ? `a reference to the vault "${name}"` : 'a reference to a vault', env };
  }
  if (text.startsWith('{vault://')) return { what: 'a reference to a vault', env: null };
  return DECK.test(text) ? { what: 'variables of decK', env: null } : null;
}
