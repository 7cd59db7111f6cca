import { CannotOpen, type Sealed, type SealedFor, type Sealer, UnopenedSecret } from '../../../keyring/sealed.ts';
import type { ManagedCredential } from '../../../manage/resource.ts';
import { hashAppKey, isAppKeySecret } from '../../../model/app-key.ts';
import { type Credential, credentialStates, type RetiringSecret } from '../../../model/credential.ts';
import { type AuthenticationMethod, authenticationMethods } from '../../../model/endpoint.ts';
import { Secret } from '../../../model/secret.ts';
import { collectionNames, type CredentialDocument } from '../documents.ts';
import type { Mapped, RawDocument } from './document-fault.ts';
import { DocumentReader } from './document-reader.ts';
import { appKeyHashRule, appKeyRule, idRule, sealedPartRule } from './text-rules.ts';
import { dateOf, type VersionFields, versionFieldNames } from './version-fields.ts';

const fields = new Set([
  ...versionFieldNames,
  ...['consumerId', 'methods', 'appKey', 'sealedAppKey', 'appKeyHash', 'appSecret', 'retiringSecret'],
  ...['state', 'notBefore', 'expiresAt'],
]);
const sealedFields = new Set(['keyId', 'nonce', 'ciphertext']);
const retiringFields = new Set(['appSecret', 'expiresAt']);

/** Reads a document of `credentials` for the check path: its App Secrets opened, its App Key left sealed. */
export function readCredentialDocument(document: RawDocument, sealer: Sealer): Mapped<Credential> {
  const reader = new DocumentReader(collectionNames.credentials, document);
  return reader.finish(readCredential(reader, { sealer, keepsUnopened: false }));
}

/** How the secrets of a record are read. */
export interface SecretReading {
  /** Null for commands that see no secret: all of them stay as they are, {@link UnopenedSecret}. */
  readonly sealer: Sealer | null;
  /** Whether a secret that does not open stays as it is; otherwise it makes its record faulty. */
  readonly keepsUnopened: boolean;
}

/** Reads a document of `credentials` for commands, with its App Key. */
export function readManagedCredentialDocument(
  document: RawDocument,
  reading: SecretReading,
): Mapped<ManagedCredential> {
  const reader = new DocumentReader(collectionNames.credentials, document);
  const credential = readCredential(reader, reading);
  return reader.finish({ ...credential, appKey: reader.isFaulty ? null : readAppKey(reader, credential, reading) });
}

/**
 * Writes a credential: secrets that were not opened as they are, all others sealed with the current key of the ring.
 * Without a ring, a secret to be sealed is a defect.
 */
export function writeCredentialDocument(
  credential: ManagedCredential,
  version: VersionFields,
  sealer: Sealer | null,
): CredentialDocument {
  const { id, consumerId, methods, appKey, appKeyHash, appSecret, retiringSecret, ...rest } = credential;
  const { state, notBefore, expiresAt } = rest;
  if (appKey === null && !isAppKeySecret(methods)) throw new Error(`the credential ${id} has lost its App Key`);
  const sealAs = (what: SealedFor['what'], secret: Secret): Sealed => {
    if (secret instanceof UnopenedSecret) return secret.sealed;
    if (sealer === null) throw new Error('a secret cannot be sealed without a key ring');
    return sealer.seal(secret, { credentialId: id, what });
  };
  return {
    _id: id,
    consumerId,
    methods,
    ...(appKey === null
      ? {}
      : isAppKeySecret(methods)
        ? { sealedAppKey: sealAs('app-key', appKey) }
        : { appKey: appKey.reveal().toString('utf8') }),
    appKeyHash,
    ...(appSecret === null ? {} : { appSecret: sealAs('app-secret', appSecret) }),
    ...(retiringSecret === null
      ? {}
      : {
          retiringSecret: {
            appSecret: sealAs('app-secret', retiringSecret.appSecret),
            expiresAt: dateOf(retiringSecret.expiresAt),
          },
        }),
    state,
    ...(notBefore === null ? {} : { notBefore: dateOf(notBefore) }),
    ...(expiresAt === null ? {} : { expiresAt: dateOf(expiresAt) }),
    ...version,
  };
}

function readCredential(reader: DocumentReader, reading: SecretReading): Credential {
  reader.onlyFields(fields);
  const id = reader.text('_id', idRule);
  const consumerId = reader.text('consumerId', idRule);
  const methods = readMethods(reader);
  const appKeyHash = reader.text('appKeyHash', appKeyHashRule);
  const isKeyOnly = isAppKeySecret(methods);
  checkAppKey(reader, isKeyOnly, appKeyHash);
  const state = reader.choice('state', credentialStates) ?? 'revoked';
  const notBefore = reader.optionalTime('notBefore');
  const expiresAt = reader.optionalTime('expiresAt');
  if (state === 'retiring' && expiresAt === null) reader.fail('expiresAt', 'is missing; state "retiring" needs it');
  if (notBefore !== null && expiresAt !== null && expiresAt <= notBefore) {
    reader.fail('expiresAt', 'must be later than "notBefore"');
  }
  return {
    id,
    consumerId,
    methods,
    appKeyHash,
    ...readSecrets(reader, id, isKeyOnly, reading),
    state,
    notBefore,
    expiresAt,
  };
}

function readMethods(reader: DocumentReader): readonly AuthenticationMethod[] {
  const methods: AuthenticationMethod[] = [];
  for (const item of reader.list('methods')) {
    const method = authenticationMethods.find((known) => known === item);
    if (method === undefined) reader.fail('methods', `must be a list of ${authenticationMethods.join(', ')}`);
    else if (methods.includes(method)) reader.fail('methods', `must not list "${method}" twice`);
    else methods.push(method);
  }
  if (methods.length === 0) reader.fail('methods', 'is empty; a credential needs a method');
  return methods;
}

/** An App Key that is the secret never stands there in clear; one that is not stands there, and is that of the hash. */
function checkAppKey(reader: DocumentReader, isKeyOnly: boolean, appKeyHash: string): void {
  const sealed = 'sealedAppKey';
  if (isKeyOnly) {
    if (reader.has('appKey'))
      reader.fail('appKey', 'is the secret of a credential of method key; it cannot stand here');
    return;
  }
  if (reader.has(sealed)) reader.fail(sealed, 'is for a credential of method key only');
  const appKey = reader.text('appKey', appKeyRule);
  if (hashAppKey(appKey) !== appKeyHash) reader.fail('appKeyHash', 'is not the SHA-256 of "appKey"');
}

function readSecrets(
  reader: DocumentReader,
  credentialId: string,
  isKeyOnly: boolean,
  reading: SecretReading,
): Pick<Credential, 'appSecret' | 'retiringSecret'> {
  if (isKeyOnly) {
    for (const field of ['appSecret', 'retiringSecret']) {
      if (reader.has(field)) reader.fail(field, 'is not for a credential of method key, whose App Key is the secret');
    }
    return { appSecret: null, retiringSecret: null };
  }
  const belongsTo = { credentialId, what: 'app-secret' } as const;
  return {
    appSecret: readSealed(reader, 'appSecret', belongsTo, reading),
    retiringSecret: reader.has('retiringSecret') ? readRetiringSecret(reader, belongsTo, reading) : null,
  };
}

function readRetiringSecret(
  parent: DocumentReader,
  belongsTo: SealedFor,
  reading: SecretReading,
): RetiringSecret | null {
  const field = 'retiringSecret';
  return parent.nested(field, parent.raw(field), (reader) => {
    reader.onlyFields(retiringFields);
    const expiresAt = reader.time('expiresAt');
    return { appSecret: readSealed(reader, 'appSecret', belongsTo, reading), expiresAt };
  });
}

function readAppKey(
  reader: DocumentReader,
  { id, methods, appKeyHash }: Credential,
  reading: SecretReading,
): ManagedCredential['appKey'] {
  if (!isAppKeySecret(methods)) return Secret.fromText(reader.text('appKey', appKeyRule));
  const field = 'sealedAppKey';
  if (!reader.has(field)) return null;
  const appKey = readSealed(reader, field, { credentialId: id, what: 'app-key' }, reading);
  if (
    !reader.isFaulty &&
    !(appKey instanceof UnopenedSecret) &&
    hashAppKey(appKey.reveal().toString('utf8')) !== appKeyHash
  ) {
    reader.fail('appKeyHash', 'is not the SHA-256 of the sealed App Key');
  }
  return appKey;
}

const nothing = Secret.fromText('');

/** Opens a secret, unless something was wrong already: then nothing comes of it. */
function readSealed(
  parent: DocumentReader,
  field: string,
  belongsTo: SealedFor,
  { sealer, keepsUnopened }: SecretReading,
): Secret {
  const sealed = parent.nested(field, parent.raw(field), (reader): Sealed => {
    reader.onlyFields(sealedFields);
    return {
      keyId: reader.text('keyId', sealedPartRule),
      nonce: reader.text('nonce', sealedPartRule),
      ciphertext: reader.text('ciphertext', sealedPartRule),
    };
  });
  if (sealed === null || parent.isFaulty) return nothing;
  if (sealer === null) return new UnopenedSecret(sealed, new Error('this command opens no secrets'));
  try {
    return sealer.open(sealed, belongsTo);
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error;
    if (keepsUnopened) return new UnopenedSecret(sealed, error);
    parent.fail(field, `cannot be opened: ${error.message}`, error.reason);
    return nothing;
  }
}
