import type { HmacOptions } from '../../model/endpoint.ts';
import type { ClientRequest } from '../../signing/client-request.ts';
import { namesOfList, readSentAuthorization, type SentAuthorization } from './sent-authorization.ts';

/** A request to an hmac endpoint, as the mistakes look at it. */
export interface HmacCase {
  readonly request: ClientRequest;
  readonly options: HmacOptions;
  readonly authorization: SentAuthorization;
  /** The listed names as they were meant. */
  readonly names: readonly string[];
  /** The first value of a header by its lower-case name; null when there is none. */
  readonly header: (name: string) => string | null;
}

/** Prepares a request for looking at its mistakes. */
export function hmacCase(request: ClientRequest, options: HmacOptions): HmacCase {
  const header = (wanted: string): string | null =>
    request.headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? null;
  const authorization = readSentAuthorization(header('authorization') ?? '');
  const names = namesOfList(authorization.headers ?? 'date request-line');
  return { request, options, authorization, names, header };
}

/** How many values a header has. */
export function countHeader(request: ClientRequest, wanted: string): number {
  return request.headers.filter(([name]) => name.toLowerCase() === wanted).length;
}
