import { readEndpoint } from '../../../document/read-endpoint.ts';
import { readMatch } from '../../../document/read-match.ts';
import { readPlain, type PlainProblem } from '../../../document/read-plain.ts';
import type { Endpoint, EndpointMatch } from '../../../model/endpoint.ts';

/** A document of the collection `endpoints` as the driver gives it: anything can be in it. */
export type RawDocument = Readonly<Record<string, unknown>>;

/** What a document of the collection `endpoints` says. */
export type EndpointRecord =
  | { readonly kind: 'good'; readonly endpoint: Endpoint }
  | {
      readonly kind: 'faulty';
      readonly problems: readonly PlainProblem[];
      /** As much of its `match` as can be read: requests that it keeps, and that are refused; null for nothing. */
      readonly claim: EndpointMatch | null;
    };

/** What a document has beside the fields of a declarative file; checks do not need it, so it may even be wrong. */
const notDeclared: ReadonlySet<string> = new Set(['_id', 'revision', 'createdAt', 'updatedAt']);

/** Reads a document with the rules of declarative files. Never throws for what it holds. */
export function readEndpointRecord(document: RawDocument): EndpointRecord {
  const fields = Object.fromEntries(Object.entries(document).filter(([name]) => !notDeclared.has(name)));
  const read = readPlain({ ...fields, id: document['_id'] }, readEndpoint);
  if ('value' in read) return { kind: 'good', endpoint: read.value };
  return { kind: 'faulty', problems: read.problems, claim: salvageMatch(document['match']) };
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
