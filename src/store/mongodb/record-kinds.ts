import { declareGrant } from '../../document/declare/declare-grant.ts';
import { declareWholeConsumer, declareWholeEndpoint, declareWholeOwned } from '../../document/declare/declare-whole.ts';
import type { Declared } from '../../document/declare/declared.ts';
import type { Sealer } from '../../keyring/sealed.ts';
import type { ResourceKind, ResourceOf, Stored } from '../../manage/resource.ts';
import { collectionNames, type VersionedDocument } from './documents.ts';
import type { Mapped, RawDocument } from './mapping/document-fault.ts';
import { DocumentReader } from './mapping/document-reader.ts';
import { readConsumerDocument, writeConsumerDocument } from './mapping/map-consumer.ts';
import {
  readManagedCredentialDocument,
  type SecretReading,
  writeCredentialDocument,
} from './mapping/map-credential.ts';
import { readEndpointDocument, writeEndpointDocument } from './mapping/map-endpoint.ts';
import { readGrantDocument, writeGrantDocument } from './mapping/map-grant.ts';
import { readVersion, type VersionFields } from './mapping/version-fields.ts';

/** How the resources of one kind are kept. */
export interface RecordKind<K extends ResourceKind> {
  readonly collection: string;
  readonly read: (document: RawDocument, reading: SecretReading) => Mapped<ResourceOf[K]>;
  readonly write: (resource: ResourceOf[K], version: VersionFields, sealer: Sealer | null) => VersionedDocument;
  /** For the audit trail: without secrets. */
  readonly declare: (resource: ResourceOf[K]) => Declared;
}

export const recordKinds: { readonly [K in ResourceKind]: RecordKind<K> } = {
  endpoint: {
    collection: collectionNames.endpoints,
    read: readEndpointDocument,
    write: writeEndpointDocument,
    declare: declareWholeEndpoint,
  },
  consumer: {
    collection: collectionNames.consumers,
    read: readConsumerDocument,
    write: writeConsumerDocument,
    declare: (resource) => declareWholeConsumer(resource),
  },
  credential: {
    collection: collectionNames.credentials,
    read: readManagedCredentialDocument,
    write: writeCredentialDocument,
    declare: (resource) => ({ consumer: resource.consumerId, ...declareWholeOwned(resource, 'leave-out') }),
  },
  grant: {
    collection: collectionNames.grants,
    read: readGrantDocument,
    write: writeGrantDocument,
    declare: declareGrant,
  },
};

/** A resource with its revision and times, or why the document says nothing. */
export function readStored<K extends ResourceKind>(
  kind: K,
  document: RawDocument,
  reading: SecretReading,
): Mapped<Stored<ResourceOf[K]>> {
  const { collection, read } = recordKinds[kind];
  const resource = read(document, reading);
  if ('fault' in resource) return resource;
  const reader = new DocumentReader(collection, document);
  return reader.finish({ resource: resource.value, ...readVersion(reader) });
}
