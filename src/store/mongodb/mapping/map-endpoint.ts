import { declareEndpoint } from '../../../document/declare/declare-endpoint.ts';
import { readEndpoint } from '../../../document/read-endpoint.ts';
import { readPlain } from '../../../document/read-plain.ts';
import type { Endpoint } from '../../../model/endpoint.ts';
import { collectionNames, type EndpointDocument } from '../documents.ts';
import { describeId, type Mapped, type RawDocument } from './document-fault.ts';
import type { VersionFields } from './version-fields.ts';

/** Reads a document of `endpoints` with the rules of declarative files. Of several problems the first is told. */
export function readEndpointDocument(document: RawDocument): Mapped<Endpoint> {
  const fault = { collection: collectionNames.endpoints, id: describeId(document['_id']), kind: 'malformed' } as const;
  if (document['id'] !== undefined) {
    return { fault: { ...fault, field: 'id', problem: 'is not a known field; the id stands in "_id"' } };
  }
  const read = readPlain(declaredOf(document), readEndpoint);
  if ('value' in read) return read;
  const [first] = read.problems;
  const field = first?.path ?? '';
  return { fault: { ...fault, field: field === 'id' ? '_id' : field, problem: first?.message ?? 'cannot be read' } };
}

/** Writes an endpoint as a declarative file has it. */
export function writeEndpointDocument(endpoint: Endpoint, version: VersionFields): EndpointDocument {
  const { id, ...declared } = declareEndpoint(endpoint);
  return { _id: String(id), ...declared, ...version };
}

/** The part of a document that is as in a declarative file. */
function declaredOf(document: RawDocument): RawDocument {
  const { _id: id, ...declared } = document;
  return { id, ...Object.fromEntries(Object.entries(declared).filter(([field]) => !versionFields.has(field))) };
}

const versionFields = new Set(['revision', 'createdAt', 'updatedAt']);
