import { type Declared, declareTime } from '../../resources/declared.ts';
import { ID_PATTERN } from '../../document/fields.ts';
import { placeIn } from '../../document/problem-log.ts';
import { findSecretFault } from '../../resources/app-secret.ts';
import { APP_KEY_PATTERN, MAX_APP_KEY_CHARACTERS } from '../../model/app-key.ts';
import type { AuthenticationMethod } from '../../model/endpoint.ts';
import { equal } from '../../signing/equal.ts';
import { quoted } from '../../document/problem.ts';
import type { FindingLog } from './finding.ts';
import { type KongConsumer, type KongCredential, nameOfConsumer } from './kong-entities.ts';
import { type KongReader, valuesOf } from './kong-reader.ts';

/** Takes credentials over, one consumer after the other; remembers what is taken. */
interface CredentialImporter {
  of(consumer: KongConsumer): readonly Declared[];
  /** Whether any credential so far holds a secret itself. */
  holdsSecrets(): boolean;
}

/** What a credential became, as far as another with the same App Key can be joined to it. */
interface Taken {
  readonly consumer: KongConsumer;
  readonly secret: string | null;
  readonly methods: AuthenticationMethod[];
}

/** A credential; `joined` grows when another one with the same App Key is met. */
interface Imported {
  readonly joined: readonly AuthenticationMethod[];
  readonly values: Declared;
}

/** An importer for one file. What cannot be taken over is left out and told, without its value. */
export function credentialImporter(reader: KongReader, findings: FindingLog): CredentialImporter {
  const takenKeys = new Map<string, Taken>();
  const takenIds = new Set<string>();
  let hasSecrets = false;

  const importOne = (consumer: KongConsumer, { kind, entity }: KongCredential): Imported | null => {
    const { method } = kind;
    const { list, appKey: field, appSecret: secretField, findFault } = kind.credential;
    const leaveOut = (field: string | null, what: string, instead: string): null => {
      findings.add('error', field === null ? entity.place : placeIn(entity.place, field), {
        subject: `consumer ${quoted(nameOfConsumer(consumer))}`,
        what: `has a credential (${list}) that ${what}: it was left out`,
        instead,
      });
      return null;
    };
    const issue = `issue another one: postern credential issue --method ${method}`;
    const appKey = reader.text(entity, field);
    if (appKey === null)
      return leaveOut(
        null,
        `has no "${field}" in this file; Kong generates it`,
        'dump the running configuration, which has it',
      );
    const keyReference = findReference(appKey);
    if (keyReference !== null) {
      return leaveOut(
        field,
        `has ${keyReference.what} in place of its "${field}"`,
        'fill it in first (envsubst; deck file render --populate-env-vars), or write what the vault has',
      );
    }
    if (!APP_KEY_PATTERN.test(appKey)) {
      const isLong = APP_KEY_PATTERN.test(appKey.slice(0, MAX_APP_KEY_CHARACTERS));
      const what = isLong
        ? `has a "${field}" of more than ${String(MAX_APP_KEY_CHARACTERS)} characters`
        : `has a "${field}" with other characters than A-Z, a-z, 0-9, ".", "_" and "-"`;
      return leaveOut(field, what, issue);
    }
    const lifetime = readLifetime(entity, reader);
    if (lifetime === null) return leaveOut('ttl', 'ends some time, which the file does not tell', issue);

    let secret: Declared = {};
    let secretText: string | null = null;
    const fault = findFault?.(valuesOf(entity, reader)) ?? null;
    if (fault !== null) return leaveOut(null, fault, issue);
    if (secretField !== null) {
      secretText = reader.text(entity, secretField);
      if (secretText === null) {
        return leaveOut(
          null,
          `has no "${secretField}" in this file; Kong generates it`,
          'dump the running configuration, which has it',
        );
      }
      const reference = findReference(secretText);
      if (reference?.env === null) {
        return leaveOut(
          secretField,
          `has ${reference.what} in place of its "${secretField}"`,
          'write the secret into a file or an environment variable: postern credential import --secret-from',
        );
      }
      const secretFault = reference === null ? findSecretFault(secretText) : null;
      if (secretFault !== null) return leaveOut(secretField, `has a secret that ${secretFault}`, issue);
      secret = reference === null ? { appSecret: secretText } : { appSecretFrom: { env: reference.env } };
    }

    const taken = takenKeys.get(appKey);
    if (taken !== undefined) {
      const isSame =
        taken.consumer === consumer && isSameText(taken.secret, secretText) && !taken.methods.includes(method);
      if (!isSame)
        return leaveOut(
          field,
          `has the same "${field}" as another credential has, and an App Key belongs to one`,
          issue,
        );
      taken.methods.push(method);
      return null;
    }
    const joined: AuthenticationMethod[] = [method];
    takenKeys.set(appKey, { consumer, secret: secretText, methods: joined });
    hasSecrets ||= secretField === null || 'appSecret' in secret;
    const id = secretField === null ? reader.text(entity, 'id') : appKey;
    // What Kong tells back ends in X-Credential-Identifier, so that it stays the same, where it can be an id.
    const isOwnId = id !== null && ID_PATTERN.test(id) && !takenIds.has(id);
    if (isOwnId) takenIds.add(id);
    return { joined, values: { ...(isOwnId ? { id } : {}), appKey, ...secret, ...lifetime } };
  };

  return {
    holdsSecrets: () => hasSecrets,
    of: (consumer) =>
      consumer.credentials
        .flatMap((credential) => importOne(consumer, credential) ?? [])
        .map(({ joined, values }) => withMethods(joined, values)),
  };
}

/** `id` first, then the method or methods, as files are written. */
function withMethods(list: readonly AuthenticationMethod[], { id, ...rest }: Declared): Declared {
  const [first] = list;
  return {
    ...(id === undefined ? {} : { id }),
    ...(list.length === 1 ? { method: first } : { methods: list }),
    ...rest,
  };
}

/** The end of a key with a `ttl`, which Kong counts from its creation; null when the file does not tell when that was. */
function readLifetime(entity: KongCredential['entity'], reader: KongReader): Declared | null {
  const ttlSeconds = reader.number(entity, 'ttl');
  if (ttlSeconds === null) return {};
  const createdAt = reader.number(entity, 'created_at');
  const endsAt = createdAt === null ? NaN : Math.floor(createdAt + ttlSeconds);
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
/** What programs such as envsubst fill in: `${NAME}`, or `$NAME`, in capitals as variables are (a secret may begin with `$`). */
const SHELL_VALUE = /^\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Z_][A-Z0-9_]*))$/;
const VAULT_NAME = /^[a-z0-9-]{1,32}$/;

/** Tells what a value refers to; null for a value that stands for itself. */
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
