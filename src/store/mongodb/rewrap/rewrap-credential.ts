import type { AnyBulkWriteOperation, Filter } from 'mongodb';
import { CannotOpen, type Sealed, type SealedFor, type Sealer } from '../../../keyring/sealed.ts';
import type { CredentialDocument } from '../documents.ts';

/** The sealed secrets of a credential, by where they stand in its document. */
const places = [
  { field: 'sealedAppKey', what: 'app-key', sealedIn: (document) => document.sealedAppKey },
  { field: 'appSecret', what: 'app-secret', sealedIn: (document) => document.appSecret },
  {
    field: 'retiringSecret.appSecret',
    what: 'app-secret',
    sealedIn: (document) => document.retiringSecret?.appSecret,
  },
] as const satisfies readonly {
  readonly field: string;
  readonly what: SealedFor['what'];
  readonly sealedIn: (document: CredentialDocument) => Sealed | undefined;
}[];

/** Finds credentials with a secret that was sealed with another key than this one. */
export function dueFilter(currentKeyId: string): Filter<CredentialDocument> {
  // What is absent counts as null.
  return { $or: places.map(({ field }) => ({ [`${field}.keyId`]: { $nin: [currentKeyId, null] } })) };
}

/**
 * Seals the secrets of a credential anew with the current key, as a change that the server makes only while the document
 * is as it was read; null when none is due. Revision and times stay: what callers see does not change. Throws `CannotOpen`.
 */
export function rewrapCredential(
  document: CredentialDocument,
  sealer: Sealer,
): AnyBulkWriteOperation<CredentialDocument> | null {
  const { _id, revision } = document;
  const unchanged: Record<string, unknown> = { _id, revision };
  const changed: Record<string, Sealed> = {};
  for (const { field, what, sealedIn } of places) {
    const sealed = sealedIn(document);
    if (sealed === undefined || sealed.keyId === sealer.currentKeyId) continue;
    if (!isWhole(sealed)) throw new CannotOpen('damaged', sealed.keyId);
    const belongsTo = { credentialId: _id, what };
    unchanged[`${field}.nonce`] = sealed.nonce;
    changed[field] = sealer.seal(sealer.open(sealed, belongsTo), belongsTo);
  }
  if (Object.keys(changed).length === 0) return null;
  return { updateOne: { filter: unchanged, update: { $set: changed } } };
}

/** Hands that edit a database leave anything behind. */
function isWhole({ keyId, nonce, ciphertext }: Sealed): boolean {
  return [keyId, nonce, ciphertext].every((part: unknown) => typeof part === 'string');
}
