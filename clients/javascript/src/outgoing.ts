import { joinBytes, NO_BYTES, utf8, type Bytes } from './bytes.ts';
import type { Header } from './headers.ts';
import { readBytes } from './read-bytes.ts';
import type { BaseInit } from './settings.ts';
import type { Address } from './wire-request.ts';

/** What `fetch` takes as its first argument. */
export type FetchInput = string | URL | Request;
/** What `fetch` takes as its second argument, and whatever else the base fetch knows, such as `dispatcher`. */
export type FetchInit = RequestInit & { readonly duplex?: 'half' };

/** A signature does not fit another address, and an App Key must not go there. */
const FOLLOWED =
  "redirect: 'follow' would take the credential along: leave it out, and call the address that the answer names";

/** A call of `fetch` as it is going to be sent. */
export interface Outgoing extends Address {
  readonly method: string;
  readonly headers: readonly Header[];
  /** What the caller gave, or {@link Bytes} where the body was read. */
  readonly body: unknown;
  /** Whether the body can be sent more than once. */
  readonly isRepeatable: boolean;
  readonly signal: AbortSignal | null;
  /** All else that the caller gave. */
  readonly init: Omit<BaseInit, 'method' | 'headers' | 'body' | 'signal'>;
}

/**
 * Makes of `fetch`'s arguments what `fetch` would send: its own rules for URLs, methods, headers and bodies apply.
 * The body is left as it is; {@link readBody} reads it.
 */
export function outgoingOf(input: FetchInput, given: FetchInit = {}): Outgoing {
  const request = isRequest(input) ? input : null;
  const { method, headers, body, signal, ...init } = given;
  if (init.redirect === 'follow') throw new TypeError(FOLLOWED);
  const plain = new Request(isRequest(input) ? input.url : input, {
    method: method ?? request?.method ?? 'GET',
    headers: pairsOf(headers ?? request?.headers ?? []),
  });
  const { origin, pathname, search } = new URL(plain.url);
  const sent: unknown = body ?? (request === null ? null : bodyOf(request));
  if (sent !== null && ['GET', 'HEAD'].includes(plain.method)) {
    throw new TypeError(`a ${plain.method} request has no body`);
  }
  return {
    method: plain.method,
    origin,
    // An empty query is dropped: not every fetch sends its "?".
    target: pathname + search,
    // A fetch writes Host by the URL, whatever is given.
    headers: [...plain.headers].filter(([name]) => name !== 'host'),
    body: sent,
    isRepeatable: !isStream(sent) && !isAsyncIterable(sent),
    signal: signal ?? request?.signal ?? null,
    init: { redirect: 'manual', ...(request === null ? {} : inherited(request)), ...init },
  };
}

/**
 * Reads a body into memory, with the `Content-Type` that `fetch` gives such a body. `maxBytes` says how much, by the
 * headers; more gives null, and what is left is not read.
 */
export async function readBody(
  outgoing: Outgoing,
  maxBytes: (headers: readonly Header[]) => number,
): Promise<(Outgoing & { readonly body: Bytes }) | null> {
  const { body } = outgoing;
  if (body === null) return { ...outgoing, body: NO_BYTES };
  if (isStream(body) || isAsyncIterable(body)) {
    const most = maxBytes(outgoing.headers);
    const bytes = isStream(body) ? await readBytes(body, most) : await readPieces(body, most);
    return bytes === null ? null : { ...outgoing, body: bytes, isRepeatable: true };
  }
  if (typeof body === 'object' && !isPlainBody(body)) {
    throw new TypeError('a body of this kind cannot be signed; give text, bytes, a form, a Blob or a stream');
  }
  const { method, headers } = outgoing;
  const request = new Request(outgoing.origin, { method, headers: pairsOf(headers), body: body as BodyInit });
  const most = maxBytes([...request.headers]);
  // Firefox has no Request.body.
  const stream = request.body as ReadableStream<Uint8Array> | null | undefined;
  const bytes = stream ? await readBytes(stream, most) : new Uint8Array(await request.arrayBuffer());
  if (bytes === null || bytes.length > most) return null;
  return { ...outgoing, headers: [...request.headers], body: bytes };
}

/** What a base fetch is called with. */
export function initOf({ method, init, signal }: Outgoing, headers: readonly Header[], body: unknown): BaseInit {
  return {
    ...init,
    method,
    headers: pairsOf(headers),
    ...(body === null || (body instanceof Uint8Array && body.length === 0) ? {} : { body }),
    ...(isStream(body) || isAsyncIterable(body) ? { duplex: 'half' } : {}),
    ...(signal === null ? {} : { signal }),
  };
}

/** Any `Request`, also one of a library. */
export function isRequest(input: unknown): input is Request {
  return typeof input === 'object' && input !== null && 'arrayBuffer' in input && 'headers' in input && 'url' in input;
}

function bodyOf(request: Request): unknown {
  if (request.bodyUsed) throw new TypeError('the body of the Request was read already');
  // Firefox has no Request.body.
  if (!('body' in request)) return ['GET', 'HEAD'].includes(request['method']) ? null : lazyBytes(request);
  return request.body;
}

async function* lazyBytes(request: Request): AsyncIterable<Uint8Array> {
  yield new Uint8Array(await request.arrayBuffer());
}

function inherited(request: Request): Partial<Outgoing['init']> {
  const { cache, credentials, integrity, keepalive, mode, referrer, referrerPolicy, redirect } = request;
  const settings = { cache, credentials, integrity, keepalive, referrer, referrerPolicy };
  return {
    // No environment has all of them.
    ...Object.fromEntries(Object.entries<unknown>(settings).filter(([, value]) => value !== undefined)),
    ...(mode === 'navigate' ? {} : { mode }),
    redirect: redirect === 'follow' ? 'manual' : redirect,
  };
}

function pairsOf(headers: HeadersInit | readonly Header[]): [string, string][] {
  if (!(Symbol.iterator in headers)) return Object.entries(headers);
  return Array.from(headers as Iterable<Header>, ([name, value]) => [name, value]);
}

function isPlainBody(body: object): boolean {
  const kinds = [URLSearchParams, Blob, FormData, ArrayBuffer];
  return ArrayBuffer.isView(body) || kinds.some((kind) => body instanceof kind);
}

function isStream(body: unknown): body is ReadableStream<Uint8Array> {
  return typeof body === 'object' && body !== null && 'getReader' in body;
}

function isAsyncIterable(body: unknown): body is AsyncIterable<Uint8Array | string> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

async function readPieces(pieces: AsyncIterable<Uint8Array | string>, maxBytes: number): Promise<Bytes | null> {
  const kept: Bytes[] = [];
  let length = 0;
  for await (const piece of pieces) {
    const bytes = typeof piece === 'string' ? utf8(piece) : new Uint8Array(piece);
    length += bytes.length;
    if (length > maxBytes) return null;
    kept.push(bytes);
  }
  return joinBytes(kept);
}
