import type { ResourceKind, ResourceOf, Stored } from '../../resources/resource.ts';
import type { Sealer } from '../../model/keyring/sealed.ts';
import type { CollectionName, VersionedDocument } from './documents.ts';
import type { Mapped, RawDocument } from './mapping/document-fault.ts';
import {
  readManagedCredentialDocument,
  type SecretReading,
  writeCredentialDocument,
} from './mapping/map-credential.ts';
import {
  readConsumerDocument,
  readEndpointDocument,
  readGrantDocument,
  readOperatorDocument,
  readIssuerDocument,
  readPlanDocument,
  readVersion,
  type VersionFields,
  writeConsumerDocument,
  writeEndpointDocument,
  writeGrantDocument,
  writeOperatorDocument,
  writeIssuerDocument,
  writePlanDocument,
} from './mapping/records.ts';

/** How the resources of one kind are kept. */
export interface RecordKind<K extends ResourceKind> {
  readonly collection: CollectionName;
  readonly read: (document: RawDocument, reading: SecretReading) => Mapped<ResourceOf[K]>;
  readonly write: (resource: ResourceOf[K], version: VersionFields, sealer: Sealer | null) => VersionedDocument;
}

/** How each kind of resource becomes a document and is read from one. */
export const recordKinds: { readonly [K in ResourceKind]: RecordKind<K> } = {
  endpoint: {
    collection: 'endpoints',
    read: readEndpointDocument,
    write: writeEndpointDocument,
  },
  consumer: {
    collection: 'consumers',
    read: readConsumerDocument,
    write: writeConsumerDocument,
  },
  credential: {
    collection: 'credentials',
    read: readManagedCredentialDocument,
    write: writeCredentialDocument,
  },
  operator: { collection: 'operators', read: readOperatorDocument, write: writeOperatorDocument },
  grant: { collection: 'grants', read: readGrantDocument, write: writeGrantDocument },
  plan: { collection: 'plans', read: readPlanDocument, write: writePlanDocument },
  issuer: { collection: 'issuers', read: readIssuerDocument, write: writeIssuerDocument },
};

/** A resource with its revision and times, or why the document cannot be read. */
export function readStored<K extends ResourceKind>(
  kind: K,
  document: RawDocument,
  reading: SecretReading,
): Mapped<Stored<ResourceOf[K]>> {
  const { collection, read } = recordKinds[kind];
  const resource = read(document, reading);
  if ('fault' in resource) return resource;
  const version = readVersion(collection, document);
  return 'fault' in version ? version : { value: { resource: resource.value, ...version.value } };
}
