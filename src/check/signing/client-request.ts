import type { SignableRequest } from './signable-request.ts';

/** A header as a caller writes it: its name in any case, its value one character a byte. */
export type ClientHeader = readonly [name: string, value: string];

/** A request as a caller sends it, for signing it and for explaining it. All text is one character a byte (latin1). */
export interface ClientRequest {
  readonly method: string;
  /** The request target, query included. */
  readonly path: string;
  /** What the `Host` header says. */
  readonly authority: string;
  readonly headers: readonly ClientHeader[];
  readonly body: Buffer;
}

/** The first value of a header, by its lower-case name; null when there is none. */
export function headerOf({ headers }: Pick<ClientRequest, 'headers'>, wanted: string): string | null {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? null;
}

/** The protocol that requests are taken to be sent with. */
export const SENT_PROTOCOL = 'HTTP/1.1';

/** A caller's request in the form in which the gateway would check it. */
export function signableRequest(request: ClientRequest): SignableRequest {
  const valuesOf = (name: string): readonly string[] =>
    request.headers.filter(([candidate]) => candidate.toLowerCase() === name).map(([, value]) => value);
  return { ...request, protocol: SENT_PROTOCOL, headers: { isRaw: true, count: request.headers.length, valuesOf } };
}

/** The same request with these headers in place of all that have their names. */
export function withHeaders(request: ClientRequest, headers: readonly ClientHeader[]): ClientRequest {
  const replaced = new Set(headers.map(([name]) => name.toLowerCase()));
  const kept = request.headers.filter(([name]) => !replaced.has(name.toLowerCase()));
  return { ...request, headers: [...kept, ...headers] };
}
