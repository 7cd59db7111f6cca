import type { NewBody } from '../methods/authenticated.ts';
import { WireWriter } from './wire-writer.ts';

/**
 * The fields of `envoy.service.auth.v3.CheckResponse` that Postern answers with, by their upstream numbers. Written by
 * hand because it is on the path of every request; a test holds it against upstream's own definitions.
 */

/** `google.rpc.Code` of denied answers; Envoy looks only at zero or not, gRPC tools show the word. */
const UNAUTHENTICATED = 16;
const PERMISSION_DENIED = 7;
const OVERWRITE_IF_EXISTS_OR_ADD = 2;

/** A header, or an entry of the metadata. Text of one character a byte; headers hold visible ASCII only. */
export type Pair = readonly [name: string, value: string];

export interface AllowParts {
  /** Headers set on the request that goes upstream. */
  readonly upstreamHeaders: readonly Pair[];
  readonly headersToRemove: readonly string[];
  /** Headers of the answer that the caller gets. */
  readonly responseHeaders: readonly Pair[];
  readonly metadata: readonly Pair[];
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
  headerFields(6, responseHeaders);
  for (let at = headersToRemove.length - 1; at >= 0; at -= 1) writer.textField(5, headersToRemove[at] ?? '');
  headerFields(2, upstreamHeaders);
  writer.head(3, beforeOk);
  writer.textField(1, '');
  return writer.finish(lastEntry?.value);
}

/** A `DeniedHttpResponse`: Envoy answers the caller itself with this status, headers and body. */
export function deniedResponse(
  status: number,
  headers: readonly Pair[],
  body: string,
  metadata: readonly Pair[],
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

/** Headers as fields of this number: each a `HeaderValueOption` that takes the place of what is there. */
function headerFields(number: number, headers: readonly Pair[]): void {
  for (let at = headers.length - 1; at >= 0; at -= 1) {
    const header = headers[at] as Pair;
    const before = writer.size;
    writer.numberField(3, OVERWRITE_IF_EXISTS_OR_ADD);
    const beforeHeader = writer.size;
    writer.textField(2, header[1]);
    writer.textField(1, header[0]);
    writer.head(1, beforeHeader);
    writer.head(number, before);
  }
}

/** The dynamic metadata: these entries, and before them in time what was written already. */
function metadataFields(metadata: readonly Pair[]): void {
  for (let at = metadata.length - 1; at >= 0; at -= 1) {
    const entry = metadata[at] as Pair;
    const before = writer.size;
    writer.text(entry[1]);
    entryHeads(entry[0], before);
  }
  writer.head(4, 0);
}

/** What stands before the text value of an entry that began at this size. */
function entryHeads(key: string, sizeBefore: number): void {
  writer.head(3, sizeBefore);
  writer.head(2, sizeBefore);
  writer.textField(1, key);
  writer.head(1, sizeBefore);
}
