import type { NewBody } from '../methods/authenticated.ts';
import { WireWriter } from '../../base/protobuf/wire-writer.ts';

/**
 * The fields of `envoy.service.auth.v3.CheckResponse` that Postern answers with, by their upstream numbers. Written by
 * hand because it is on the path of every request; a test holds it against upstream's own definitions.
 */

/** `google.rpc.Code` of denied answers; Envoy looks only at zero or not, gRPC tools show the word. */
const UNAUTHENTICATED = 16;
const PERMISSION_DENIED = 7;
const OVERWRITE_IF_EXISTS_OR_ADD = 2;
/** Fields of `OkHttpResponse`. */
const UPSTREAM_HEADERS = 2;
const RESPONSE_HEADERS = 6;

/** A header, or an entry of the metadata. Text of one character a byte; headers hold visible ASCII only. */
export type Pair = readonly [name: string, value: string];

/**
 * A header whose value may come in parts, one after the other: whole numbers are written without making text of them.
 */
export type Header = readonly [name: string, value: string | readonly (string | number)[]];

declare const written: unique symbol;

/**
 * Headers for upstream, or entries of the metadata, as the bytes that are sent: what does not change is written once.
 */
export type Written = string & { readonly [written]: true };

/** What an answer that lets a request pass is made of. */
export interface AllowParts {
  /** Headers set on the request that goes upstream. */
  readonly upstreamHeaders: readonly (Header | Written)[];
  readonly headersToRemove: readonly string[];
  /** Headers of the answer that the caller gets. */
  readonly responseHeaders: readonly Header[];
  readonly metadata: readonly (Pair | Written)[];
  /** One more entry of the metadata, whose value is UTF-8 of any length. */
  readonly lastEntry: { readonly key: string; readonly value: NewBody } | null;
}

/** One answer is written at a time, from its end to its beginning. */
const writer = new WireWriter();

/** An `OkHttpResponse`: the request goes on. */
export function okResponse(parts: AllowParts): Buffer {
  const { upstreamHeaders, headersToRemove, responseHeaders, metadata, lastEntry } = parts;
  writer.begin(lastEntry?.value.bytes.length);
  if (lastEntry !== null) entryHeads(lastEntry.key, 0);
  metadataFields(metadata);
  const beforeOk = writer.size;
  headerFields(RESPONSE_HEADERS, responseHeaders);
  for (let at = headersToRemove.length - 1; at >= 0; at -= 1) writer.textField(5, headersToRemove[at] ?? '');
  headerFields(UPSTREAM_HEADERS, upstreamHeaders);
  writer.head(3, beforeOk);
  writer.textField(1, '');
  return writer.finish(lastEntry?.value);
}

/** A `DeniedHttpResponse`: Envoy answers the caller itself with this status, headers and body. */
export function deniedResponse(
  status: number,
  headers: readonly Header[],
  body: string,
  metadata: readonly (Pair | Written)[],
): Buffer {
  writer.begin();
  metadataFields(metadata);
  const beforeDenied = writer.size;
  writer.utf8(body);
  writer.head(3, beforeDenied);
  headerFields(2, headers);
  const beforeStatus = writer.size;
  writer.numberField(1, status);
  writer.head(1, beforeStatus);
  writer.head(2, beforeDenied);
  const beforeCode = writer.size;
  writer.numberField(1, status === 401 ? UNAUTHENTICATED : PERMISSION_DENIED);
  writer.head(1, beforeCode);
  return writer.finish();
}

/** Writes headers for upstream before they are needed, for {@link AllowParts}. */
export function writeUpstreamHeaders(headers: readonly Header[]): Written {
  writer.begin();
  headerFields(UPSTREAM_HEADERS, headers);
  return writer.finish().toString('latin1') as Written;
}

/** Writes entries of the metadata before they are needed. */
export function writeEntries(entries: readonly Pair[]): Written {
  writer.begin();
  entryFields(entries);
  return writer.finish().toString('latin1') as Written;
}

/** Headers as fields of this number: each a `HeaderValueOption` that takes the place of what is there. */
function headerFields(number: number, headers: readonly (Header | Written)[]): void {
  for (let at = headers.length - 1; at >= 0; at -= 1) {
    const header = headers[at] as Header | Written;
    if (typeof header === 'string') {
      writer.text(header);
      continue;
    }
    const [name, value] = header;
    const before = writer.size;
    writer.numberField(3, OVERWRITE_IF_EXISTS_OR_ADD);
    const beforeHeader = writer.size;
    if (typeof value === 'string') writer.text(value);
    else partsOf(value);
    writer.head(2, beforeHeader);
    writer.textField(1, name);
    writer.head(1, beforeHeader);
    writer.head(number, before);
  }
}

function partsOf(value: readonly (string | number)[]): void {
  for (let at = value.length - 1; at >= 0; at -= 1) {
    const part = value[at] ?? '';
    if (typeof part === 'string') writer.text(part);
    else writer.digits(part);
  }
}

/** The dynamic metadata: these entries, and before them in time what was written already. */
function metadataFields(metadata: readonly (Pair | Written)[]): void {
  entryFields(metadata);
  writer.head(4, 0);
}

function entryFields(entries: readonly (Pair | Written)[]): void {
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = entries[at] as Pair | Written;
    if (typeof entry === 'string') {
      writer.text(entry);
      continue;
    }
    const before = writer.size;
    writer.text(entry[1]);
    entryHeads(entry[0], before);
  }
}

/** What stands before the text value of an entry that began at this size. */
function entryHeads(key: string, sizeBefore: number): void {
  writer.head(3, sizeBefore);
  writer.head(2, sizeBefore);
  writer.textField(1, key);
  writer.head(1, sizeBefore);
}
