import { readPlain } from '../../../model/document/read-plain.ts';
import { type Endpoint, type EndpointMatch, optionsOf } from '../../../model/endpoint.ts';
import { readMatch } from '../../../resources/match.ts';
import { findMatchCollisions } from '../../../check/route/collisions.ts';
import { compileEndpointTable } from '../../../check/route/endpoint-table.ts';
import type { EndpointTable, ReadEndpoints } from '../../../check/store/check-store.ts';
import { describeId, type DocumentFault, faultIn, type RawDocument } from '../mapping/document-fault.ts';
import { readEndpointDocument } from '../mapping/records.ts';

/** An endpoint whose requests are refused until its document, or one that collides with it, is fixed. */
export interface EndpointFault extends DocumentFault {
  /** False when not even `match` could be read: its requests may then belong to another endpoint. */
  readonly keepsItsRequests: boolean;
}

/** The endpoints of one moment. */
export interface CompiledEndpoints extends ReadEndpoints {
  readonly table: EndpointTable;
  readonly faults: readonly EndpointFault[];
}

/**
 * The documents of the collection `endpoints`, kept up to date change by change, and what they say.
 *
 * Nothing is allowed because a document is wrong: a faulty endpoint keeps its requests and refuses them like a disabled
 * one, so that none of them falls through to a wider, perhaps open, endpoint. It keeps those that its `match` can be
 * read for, and while that is not all of them also those of its last good `match`. What two endpoints claim, both lose.
 */
export class EndpointDirectory {
  #records = new Map<string, EndpointRecord>();
  /** What faulty documents said while they were right. */
  readonly #lastMatches = new Map<string, EndpointMatch>();

  replaceAll(documents: readonly RawDocument[]): void {
    const present = new Set(documents.map(idOf));
    for (const id of this.#records.keys()) if (!present.has(id)) this.remove(id);
    for (const document of documents) this.set(document);
  }

  set(document: RawDocument): void {
    const id = idOf(document);
    const former = this.#records.get(id);
    const read = readEndpointDocument(document);
    if ('value' in read) {
      this.#lastMatches.delete(id);
      // Checks do not read it, and all endpoints are held. By its labels plans select it.
      this.#records.set(id, { endpoint: Object.assign(read.value, { description: '' }) });
    } else {
      if (former !== undefined && 'endpoint' in former) this.#lastMatches.set(id, former.endpoint.match);
      this.#records.set(id, { fault: read.fault, claim: salvageMatch(document['match']) });
    }
  }

  remove(id: unknown): void {
    const key = keyOf(id);
    this.#records.delete(key);
    this.#lastMatches.delete(key);
  }

  get size(): number {
    return this.#records.size;
  }

  compile(): CompiledEndpoints {
    const endpoints: Endpoint[] = [];
    const refusing: Endpoint[] = [];
    const faults: EndpointFault[] = [];
    for (const [id, record] of this.#records) {
      if ('endpoint' in record) {
        endpoints.push(record.endpoint);
        continue;
      }
      const claims = [record.claim, this.#lastMatches.get(id) ?? null].filter((claim) => claim !== null);
      faults.push({ ...record.fault, keepsItsRequests: claims.length > 0 });
      refusing.push(...claims.map((claim) => refusingEndpoint(id, claim)));
    }
    const all = [...endpoints, ...refusing];
    return { table: compileEndpointTable(all), endpoints, faults: [...faults, ...collisionsOf(all)] };
  }
}

function idOf(document: RawDocument): string {
  return keyOf(document['_id']);
}

/** The key of an `_id`: ids are text, but a hand may have written anything. */
export function keyOf(id: unknown): string {
  return typeof id === 'string' ? id : `${typeof id} ${JSON.stringify(id)}`;
}

/** Stands for a faulty endpoint. Its options are those that would allow least if anything looked at them. */
function refusingEndpoint(id: string, match: EndpointMatch): Endpoint {
  return {
    id,
    description: '',
    labels: {},
    scenario: 'partner-openapi',
    match,
    authentication: 'oauth2',
    accessCondition: 'authenticated-and-authorized',
    limits: [],
    options: optionsOf('oauth2', { onLimiterFailure: 'deny' }),
    enabled: false,
  };
}

function collisionsOf(endpoints: readonly Endpoint[]): EndpointFault[] {
  return findMatchCollisions(endpoints).flatMap(({ first, second, rule }) => {
    if (first.id === second.id) return [];
    const problem = `claims the same requests as the endpoint ${describeId(first.id)} (${rule}), so that both refuse them; change one`;
    return [{ ...faultIn('endpoints', { _id: second.id }, { field: 'match', problem }), keepsItsRequests: true }];
  });
}

/**
 * A document of the collection `endpoints`, read. `claim` is as much of the `match` of a faulty one as can be read,
 * null for nothing: requests that it keeps, and that are refused.
 */
type EndpointRecord =
  | { readonly endpoint: Endpoint }
  | { readonly fault: DocumentFault; readonly claim: EndpointMatch | null };

/**
 * The right parts of a `match` of which others may be wrong. Paths and hosts are never more than were written: none is
 * taken for any only where the key is absent. Methods may become any, since an endpoint refuses the methods it does not
 * list on its paths anyway (spec §2.3).
 */
function salvageMatch(raw: unknown): EndpointMatch | null {
  if (typeof raw !== 'object' || raw === null) return null;
  let match: EndpointMatch = { hosts: [], paths: [], methods: [] };
  readPlain(raw, (value, place, problems) => (match = readMatch(value, place, problems)), raw);
  const hasUnreadableHosts = Object.hasOwn(raw, 'hosts') && match.hosts.length === 0;
  return match.paths.length === 0 || hasUnreadableHosts ? null : match;
}
