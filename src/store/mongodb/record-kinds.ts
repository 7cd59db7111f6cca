import { declareWholeConsumer } from '../../resources/consumer.ts';
import { declareWholeOwned } from '../../resources/credential.ts';
import type { Declared } from '../../resources/declared.ts';
import { declareWholeEndpoint } from '../../resources/endpoint.ts';
import { declareGrant } from '../../resources/grant.ts';
import type { ResourceKind, ResourceOf, Stored } from '../../resources/resource.ts';
import type { Sealer } from '../../keyring/sealed.ts';
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
  readVersion,
  type VersionFields,
  writeConsumerDocument,
  writeEndpointDocument,
  writeGrantDocument,
} from './mapping/records.ts';

/** How the resources of one kind are kept. */
export interface RecordKind<K extends ResourceKind> {
  readonly collection: CollectionName;
  readonly read: (document: RawDocument, reading: SecretReading) => Mapped<ResourceOf[K]>;
  readonly write: (resource: ResourceOf[K], version: VersionFields, sealer: Sealer | null) => VersionedDocument;
  /** For the audit trail: without secrets. */
  readonly declare: (resource: ResourceOf[K]) => Declared;
}

export const recordKinds: { readonly [K in ResourceKind]: RecordKind<K> } = {
  endpoint: {
    collection: 'endpoints',
    read: readEndpointDocument,
    write: writeEndpointDocument,
    declare: declareWholeEndpoint,
  },
  consumer: {
    collection: 'consumers',
    read: readConsumerDocument,
    write: writeConsumerDocument,
    declare: (resource) => declareWholeConsumer(resource),
  },
  credential: {
    collection: 'credentials',
    read: readManagedCredentialDocument,
    write: writeCredentialDocument,
    declare: (resource) => ({ consumer: resource.consumerId, ...declareWholeOwned(resource, 'leave-out') }),
  },
  grant: { collection: 'grants', read: readGrantDocument, write: writeGrantDocument, declare: declareGrant },
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
