import { field, fieldHead, numberField, toBytes, toBytesBefore, utf8, type WireText } from './wire-text.ts';

/**
 * The fields of `envoy.service.auth.v3.CheckResponse` that Postern answers with, by their upstream numbers. Written by
 * hand because it is on the path of every request; a test holds it against upstream's own definitions.
 */

/** `google.rpc.Code` of denied answers; Envoy looks only at zero or not, gRPC tools show the word. */
const UNAUTHENTICATED = 16;
const PERMISSION_DENIED = 7;
const OVERWRITE_IF_EXISTS_OR_ADD = 2;

/** A header of an answer: visible ASCII only. */
export function headerOption(name: string, value: string): WireText {
  return field(1, field(1, name) + field(2, value)) + numberField(3, OVERWRITE_IF_EXISTS_OR_ADD);
}

/** An entry of the dynamic metadata. Text of one character a byte, UTF-8. */
export function metadataEntry(key: string, value: WireText): WireText {
  return field(1, field(1, key) + field(2, field(3, value)));
}

/** What an allowed request needs: every part already made of the functions above. */
export interface AllowParts {
  /** Headers set on the request that goes upstream. */
  readonly upstreamHeaders: readonly WireText[];
  readonly headersToRemove: readonly string[];
  /** Headers of the answer that the caller gets. */
  readonly responseHeaders: readonly WireText[];
  readonly metadata: WireText;
  /** One more entry of the metadata, whose value is UTF-8 of any length. */
  readonly lastEntry?: { readonly key: string; readonly value: Uint8Array };
}

/** An `OkHttpResponse`: the request goes on. */
export function okResponse({
  upstreamHeaders,
  headersToRemove,
  responseHeaders,
  metadata,
  lastEntry,
}: AllowParts): Buffer {
  let ok = '';
  for (const header of upstreamHeaders) ok += field(2, header);
  for (const name of headersToRemove) ok += field(5, name);
  for (const header of responseHeaders) ok += field(6, header);
  const beginning = field(1, '') + field(3, ok);
  if (lastEntry === undefined) return toBytes(beginning + field(4, metadata));
  const entries = metadata + metadataEntryHead(lastEntry.key, lastEntry.value.length);
  return toBytesBefore(beginning + fieldHead(4, entries.length + lastEntry.value.length) + entries, lastEntry.value);
}

/** What stands before the value of a {@link metadataEntry} that has this many bytes: the value is its end. */
function metadataEntryHead(key: string, valueBytes: number): WireText {
  const value = fieldHead(3, valueBytes);
  const pair = field(1, key) + fieldHead(2, value.length + valueBytes) + value;
  return fieldHead(1, pair.length + valueBytes) + pair;
}

/** A `DeniedHttpResponse`: Envoy answers the caller itself with this status, headers and body. */
export function deniedResponse(status: number, headers: readonly WireText[], body: string, metadata: WireText): Buffer {
  let denied = field(1, numberField(1, status));
  for (const header of headers) denied += field(2, header);
  denied += field(3, utf8(body));
  const code = numberField(1, status === 401 ? UNAUTHENTICATED : PERMISSION_DENIED);
  return toBytes(field(1, code) + field(2, denied) + field(4, metadata));
}
