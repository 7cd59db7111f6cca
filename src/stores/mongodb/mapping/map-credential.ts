import { CannotOpen, type Sealed, type SealedFor, type Sealer, UnopenedSecret } from '../../../model/keyring/sealed.ts';
import { hashAppKey } from '../../../model/app-key.ts';
import { type Credential, makeCredential } from '../../../model/credential.ts';
import { mapSecrets, materialFacts } from '../../../model/material.ts';
import { Secret } from '../../../model/secret.ts';
import { storeFields } from '../../../resources/credential-fields.ts';
import { storeMaterial } from '../../../resources/credential-material.ts';
import { readStoredCredential, type StoredCredential } from '../../../resources/stored-credential.ts';
import type { ManagedCredential } from '../../../resources/resource.ts';
import type { CredentialDocument } from '../documents.ts';
import { type DocumentFault, faultIn, type Mapped, type RawDocument } from './document-fault.ts';
import { readRecord, type VersionFields } from './records.ts';

/** How the secrets of a record are read. */
export interface SecretReading {
  /** Null for commands that see no secret: all of them stay as they are, {@link UnopenedSecret}. */
  readonly sealer: Sealer | null;
  /** Whether a secret that does not open stays as it is; otherwise it makes its record faulty. */
  readonly keepsUnopened: boolean;
}

/** Reads a document of `credentials` for the check path: its App Secrets opened, its App Key left sealed. */
export function readCredentialDocument(document: RawDocument, sealer: Sealer): Mapped<Credential> {
  return openRecord(document, { sealer, keepsUnopened: false }, openSecrets);
}

/** Reads a document of `credentials` for commands, with its App Key. */
export function readManagedCredentialDocument(
  document: RawDocument,
  reading: SecretReading,
): Mapped<ManagedCredential> {
  return openRecord(document, reading, (stored, opener) => ({
    ...openSecrets(stored, opener),
    appKey: openAppKey(stored, opener),
  }));
}

function openRecord<T>(
  document: RawDocument,
  reading: SecretReading,
  open: (stored: StoredCredential, opener: Opener) => T,
): Mapped<T> {
  const stored = readRecord('credentials', document, readStoredCredential);
  if ('fault' in stored) return stored;
  const opener = new Opener(document, reading);
  const value = open(stored.value, opener);
  return opener.fault === null ? { value } : { fault: opener.fault };
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
  const { id, consumerId, methods, appKey, appKeyHash, material } = credential;
  const isAppKeyPublic = materialFacts[material.kind].appKey === 'public';
  if (appKey === null && isAppKeyPublic) throw new Error(`the credential ${id} has lost its App Key`);
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
      : isAppKeyPublic
        ? { appKey: appKey.reveal().toString('utf8') }
        : { sealedAppKey: sealAs('app-key', appKey) }),
    appKeyHash,
    ...storeMaterial(mapSecrets(material, (secret) => sealAs('app-secret', secret))),
    ...storeFields(credential),
    ...version,
  };
}

/** Opens the secrets of a record, and remembers the first that does not open. */
class Opener {
  fault: DocumentFault | null = null;
  readonly #document: RawDocument;
  readonly #reading: SecretReading;

  constructor(document: RawDocument, reading: SecretReading) {
    this.#document = document;
    this.#reading = reading;
  }

  open(field: string, sealed: Sealed, what: SealedFor['what']): Secret {
    const { sealer, keepsUnopened } = this.#reading;
    if (sealer === null) return new UnopenedSecret(sealed, opensNone);
    try {
      return sealer.open(sealed, { credentialId: String(this.#document['_id']), what });
    } catch (error) {
      if (!(error instanceof CannotOpen)) throw error;
      if (!keepsUnopened) this.fail(field, `cannot be opened: ${error.message}`, error.reason);
      return new UnopenedSecret(sealed, () => error);
    }
  }

  fail(field: string, problem: string, kind: DocumentFault['kind']): void {
    this.fault ??= faultIn('credentials', this.#document, { field, problem, kind });
  }
}

const opensNone = (): Error => new Error('this command opens no secrets');

function openSecrets(stored: StoredCredential, opener: Opener): Credential {
  const open = (sealed: Sealed, path: string): Secret => opener.open(path, sealed, 'app-secret');
  return makeCredential({ ...stored, material: mapSecrets(stored.material, open) });
}

function openAppKey({ appKey, sealedAppKey, appKeyHash }: StoredCredential, opener: Opener): Secret | null {
  if (appKey !== null) return Secret.fromText(appKey);
  if (sealedAppKey === null) return null;
  const opened = opener.open('sealedAppKey', sealedAppKey, 'app-key');
  if (!(opened instanceof UnopenedSecret) && hashAppKey(opened.reveal().toString('utf8')) !== appKeyHash) {
    opener.fail('appKeyHash', 'is not the SHA-256 of the sealed App Key', 'malformed');
  }
  return opened;
}
