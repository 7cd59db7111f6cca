import { randomBytes } from 'node:crypto';
import type { HeldCredential } from '../store/credential-source.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { secretsIn } from '../../model/material.ts';
import { ownedBy } from '../../model/owned-by.ts';
import { keepStringToSign } from './kept-string-to-sign.ts';
import type { RefusalRecord } from './refusal-record.ts';

/** A refused request, before anything is made of it. */
export interface RefusedRequest {
  /** Null for a caller who is not known. */
  readonly about: HeldCredential | null;
  /** For a request that no endpoint took: whether one nearly did, as with another method. Null for all others. */
  readonly unmatched: UnmatchedKind | null;
  readonly requestId: string | null;
  readonly endpoint: Pick<Endpoint, 'id' | 'labels'> | null;
  readonly request: {
    readonly method: string;
    /** With its query, which is not kept. */
    readonly path: string;
  };
  readonly code: string;
  readonly detail: string;
  readonly isObserved: boolean;
  readonly stringToSign: Uint8Array | null;
  readonly findSource: () => string | null;
}

/** `near`: endpoints take such requests, but not with this method, or are disabled. `stray`: any other. */
export type UnmatchedKind = 'near' | 'stray';

/** Characters of an HTTP method that are kept; the rest is cut off. */
export const MAX_METHOD_LENGTH = 32;
/** Characters of a path that are kept; the rest is cut off. */
export const MAX_PATH_LENGTH = 256;
/** Characters of the detail of a refusal that are kept; the rest is cut off. */
export const MAX_DETAIL_LENGTH = 500;

/** What is kept of a request, read while its message is there: its memory is used again after the answer. */
export type RequestFacts = Pick<RefusalRecord, 'method' | 'path' | 'sourceAddress'>;

/** Reads what is kept of a request, while its message is there. The source address only where it is wanted. */
export function readFacts(
  { request, findSource }: Pick<RefusedRequest, 'request' | 'findSource'>,
  keepsSource: boolean,
): RequestFacts {
  const [path = ''] = request.path.split(/[?#]/, 1);
  return {
    method: bounded(request.method, MAX_METHOD_LENGTH),
    path: bounded(path, MAX_PATH_LENGTH),
    sourceAddress: keepsSource ? findSource() : null,
  };
}

/** What is kept of a refused request, beside its id, its time, and what was left out. */
export function describeRefusal(
  { about, requestId, endpoint, ...refused }: Omit<RefusedRequest, 'unmatched' | 'request' | 'findSource'>,
  facts: RequestFacts,
): Omit<RefusalRecord, 'id' | 'atMs' | 'leftOut'> {
  const { code, detail, isObserved, stringToSign } = refused;
  const held = about === null ? [] : [...secretsIn(about.credential.material).values()];
  const secrets = held.map((secret) => secret.reveal());
  return {
    requestId,
    endpointId: endpoint?.id ?? null,
    ...(about === null
      ? {}
      : { ownedBy: ownedBy([about.consumer.labels, ...(endpoint === null ? [] : [endpoint.labels])]) }),
    ...facts,
    code,
    detail: bounded(detail, MAX_DETAIL_LENGTH),
    isObserved,
    consumerId: about?.consumer.id ?? null,
    credentialId: about?.credential.id ?? null,
    stringToSign: stringToSign === null ? null : keepStringToSign(stringToSign, secrets),
  };
}

/** A copy of its own: the engine would keep the whole text for a piece of it, with the query of a path. */
function bounded(text: string, maxLength: number): string {
  const copy = Buffer.from(text.slice(0, maxLength), 'utf8').toString('utf8');
  return text.length > maxLength ? `${copy}…` : copy;
}

const COUNTS = 0x1_00_00_00;

/** Makes ids that grow with time: its seconds, five random bytes of this process, and a count. */
export function createIdMaker(): (nowMs: number) => string {
  const process = randomBytes(5).toString('hex');
  let count = randomBytes(3).readUIntBE(0, 3);
  return (nowMs) => {
    count = (count + 1) % COUNTS;
    return hex(Math.floor(nowMs / 1000) % 2 ** 32, 8) + process + hex(count, 6);
  };
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}
