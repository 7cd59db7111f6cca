import { readMatch } from '../../../resources/match.ts';
import { readPlain } from '../../../document/read-plain.ts';
import type { Endpoint, EndpointMatch } from '../../../model/endpoint.ts';
import type { DocumentFault, RawDocument } from '../mapping/document-fault.ts';
import { readEndpointDocument } from '../mapping/records.ts';

/** What a document of the collection `endpoints` says. */
export type EndpointRecord =
  | { readonly kind: 'good'; readonly endpoint: Endpoint }
  | {
      readonly kind: 'faulty';
      readonly fault: DocumentFault;
      /** As much of its `match` as can be read: requests that it keeps, and that are refused; null for nothing. */
      readonly claim: EndpointMatch | null;
    };

/** Reads a document. Never throws for what it holds. */
export function readEndpointRecord(document: RawDocument): EndpointRecord {
  const read = readEndpointDocument(document);
  if ('value' in read) return { kind: 'good', endpoint: read.value };
  return { kind: 'faulty', fault: read.fault, claim: salvageMatch(document['match']) };
}

/**
 * The right parts of a `match` of which others may be wrong. Paths and hosts are never more than were written: none is
 * taken for any only where the key is absent. Methods may become any, since an endpoint refuses the methods it does not
 * list on its paths anyway (spec §2.3).
 */
function salvageMatch(raw: unknown): EndpointMatch | null {
  if (typeof raw !== 'object' || raw === null) return null;
  let match: EndpointMatch = { hosts: [], paths: [], methods: [] };
  readPlain(raw, (value, place, problems) => (match = readMatch(value, place, problems)));
  const hasUnreadableHosts = Object.hasOwn(raw, 'hosts') && match.hosts.length === 0;
  return match.paths.length === 0 || hasUnreadableHosts ? null : match;
}
