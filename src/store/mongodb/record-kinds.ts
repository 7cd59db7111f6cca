import { declareConsumer } from '../../document/declare/declare-consumer.ts';
import { declareCredential } from '../../document/declare/declare-credential.ts';
import { declareEndpoint } from '../../document/declare/declare-endpoint.ts';
import { declareGrant } from '../../document/declare/declare-grant.ts';
import type { Declared } from '../../document/declare/declared.ts';
import type { Sealer } from '../../keyring/sealed.ts';
import type { ResourceKind, ResourceOf, Stored } from '../../manage/resource.ts';
import { collectionNames, type VersionedDocument } from './documents.ts';
import type { Mapped, RawDocument } from './mapping/document-fault.ts';
import { DocumentReader } from './mapping/document-reader.ts';
import { readConsumerDocument, writeConsumerDocument } from './mapping/map-consumer.ts';
import { readManagedCredentialDocument, writeCredentialDocument } from './mapping/map-credential.ts';
import { readEndpointDocument, writeEndpointDocument } from './mapping/map-endpoint.ts';
import { readGrantDocument, writeGrantDocument } from './mapping/map-grant.ts';
import { readVersion, type VersionFields } from './mapping/version-fields.ts';

/** How the resources of one kind are kept. */
export interface RecordKind<K extends ResourceKind> {
  readonly collection: string;
  /** Without a key ring secrets stay closed, and are worthless. */
  readonly read: (document: RawDocument, sealer: Sealer | null) => Mapped<ResourceOf[K]>;
  readonly write: (resource: ResourceOf[K], version: VersionFields, sealer: Sealer) => VersionedDocument;
  /** For the audit trail: without secrets. */
  readonly declare: (resource: ResourceOf[K]) => Declared;
}

export const recordKinds: { readonly [K in ResourceKind]: RecordKind<K> } = {
  endpoint: {
    collection: collectionNames.endpoints,
    read: readEndpointDocument,
    write: writeEndpointDocument,
    declare: declareEndpoint,
  },
  consumer: {
    collection: collectionNames.consumers,
    read: readConsumerDocument,
    write: writeConsumerDocument,
    declare: (resource) => declareConsumer(resource),
  },
  credential: {
    collection: collectionNames.credentials,
    read: readManagedCredentialDocument,
    write: writeCredentialDocument,
    declare: (resource) => ({ consumer: resource.consumerId, ...declareCredential(resource, 'leave-out') }),
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
  sealer: Sealer | null,
): Mapped<Stored<ResourceOf[K]>> {
  const { collection, read } = recordKinds[kind];
  const resource = read(document, sealer);
  if ('fault' in resource) return resource;
  const reader = new DocumentReader(collection, document);
  return reader.finish({ resource: resource.value, ...readVersion(reader) });
}
