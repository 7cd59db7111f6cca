import { CannotOpen, type Sealed, type SealedFor, type Sealer } from '../../../keyring/sealed.ts';
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
  return reader.finish(readCredential(reader, sealer));
}

/**
 * Reads a document of `credentials` for commands, with its App Key. Without a key ring, for commands that show no secret,
 * nothing is opened, and what stands for a secret is worthless.
 */
export function readManagedCredentialDocument(document: RawDocument, sealer: Sealer | null): Mapped<ManagedCredential> {
  const reader = new DocumentReader(collectionNames.credentials, document);
  const credential = readCredential(reader, sealer);
  return reader.finish({ ...credential, appKey: reader.isFaulty ? null : readAppKey(reader, credential, sealer) });
}

/** Writes a credential, every secret of it sealed anew with the current key of the ring. */
export function writeCredentialDocument(
  credential: ManagedCredential,
  version: VersionFields,
  sealer: Sealer,
): CredentialDocument {
  const { id, consumerId, methods, appKey, appKeyHash, appSecret, retiringSecret, ...rest } = credential;
  const { state, notBefore, expiresAt } = rest;
  if (appKey === null && !isAppKeySecret(methods)) throw new Error(`the credential ${id} has lost its App Key`);
  const sealSecret = (secret: Secret): Sealed => sealer.seal(secret, { credentialId: id, what: 'app-secret' });
  return {
    _id: id,
    consumerId,
    methods,
    ...(appKey === null
      ? {}
      : isAppKeySecret(methods)
        ? { sealedAppKey: sealer.seal(appKey, { credentialId: id, what: 'app-key' }) }
        : { appKey: appKey.reveal().toString('utf8') }),
    appKeyHash,
    ...(appSecret === null ? {} : { appSecret: sealSecret(appSecret) }),
    ...(retiringSecret === null
      ? {}
      : {
          retiringSecret: {
            appSecret: sealSecret(retiringSecret.appSecret),
            expiresAt: dateOf(retiringSecret.expiresAt),
          },
        }),
    state,
    ...(notBefore === null ? {} : { notBefore: dateOf(notBefore) }),
    ...(expiresAt === null ? {} : { expiresAt: dateOf(expiresAt) }),
    ...version,
  };
}

function readCredential(reader: DocumentReader, sealer: Sealer | null): Credential {
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
    ...readSecrets(reader, id, isKeyOnly, sealer),
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
  sealer: Sealer | null,
): Pick<Credential, 'appSecret' | 'retiringSecret'> {
  if (isKeyOnly) {
    for (const field of ['appSecret', 'retiringSecret']) {
      if (reader.has(field)) reader.fail(field, 'is not for a credential of method key, whose App Key is the secret');
    }
    return { appSecret: null, retiringSecret: null };
  }
  const belongsTo = { credentialId, what: 'app-secret' } as const;
  return {
    appSecret: readSealed(reader, 'appSecret', belongsTo, sealer),
    retiringSecret: reader.has('retiringSecret') ? readRetiringSecret(reader, belongsTo, sealer) : null,
  };
}

function readRetiringSecret(
  parent: DocumentReader,
  belongsTo: SealedFor,
  sealer: Sealer | null,
): RetiringSecret | null {
  const field = 'retiringSecret';
  return parent.nested(field, parent.raw(field), (reader) => {
    reader.onlyFields(retiringFields);
    const expiresAt = reader.time('expiresAt');
    return { appSecret: readSealed(reader, 'appSecret', belongsTo, sealer), expiresAt };
  });
}

function readAppKey(
  reader: DocumentReader,
  { id, methods, appKeyHash }: Credential,
  sealer: Sealer | null,
): ManagedCredential['appKey'] {
  if (!isAppKeySecret(methods)) return Secret.fromText(reader.text('appKey', appKeyRule));
  const field = 'sealedAppKey';
  if (!reader.has(field)) return null;
  const appKey = readSealed(reader, field, { credentialId: id, what: 'app-key' }, sealer);
  if (sealer === null) return null;
  if (!reader.isFaulty && hashAppKey(appKey.reveal().toString('utf8')) !== appKeyHash) {
    reader.fail('appKeyHash', 'is not the SHA-256 of the sealed App Key');
  }
  return appKey;
}

const nothing = Secret.fromText('');

/** Opens a secret, unless something was wrong already: then nothing comes of it. */
function readSealed(parent: DocumentReader, field: string, belongsTo: SealedFor, sealer: Sealer | null): Secret {
  const sealed = parent.nested(field, parent.raw(field), (reader): Sealed => {
    reader.onlyFields(sealedFields);
    return {
      keyId: reader.text('keyId', sealedPartRule),
      nonce: reader.text('nonce', sealedPartRule),
      ciphertext: reader.text('ciphertext', sealedPartRule),
    };
  });
  if (sealed === null || sealer === null || parent.isFaulty) return nothing;
  try {
    return sealer.open(sealed, belongsTo);
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error;
    parent.fail(field, `cannot be opened: ${error.message}`, error.reason);
    return nothing;
  }
}
