import type { GrpcFailure } from '../transport.ts';

/**
 * Header blocks of answers (RFC 7541 §6.2.2: literals that enter no table), encoded once or, for refusals, when needed.
 * Without a table of our own there is no state to keep in step with the peer; {@link noTable} says so.
 */

const STATUS_200 = 0x88;
const NAME_STATUS = [0x08];
const NAME_CONTENT_TYPE = [0x0f, 0x10];
const NAME_LITERAL = [0x00];

/** "I use a table of size 0" (RFC 7541 §6.3): stands before the first block of a connection. */
export const noTable = Buffer.from([0x20]);

const contentTypeGrpc = Buffer.from([...NAME_CONTENT_TYPE, ...text('application/grpc')]);

/** Before the message of an answer (gRPC over HTTP/2, "Response-Headers"). */
export const answerHead = Buffer.from([STATUS_200, ...contentTypeGrpc]);

/** After the message (gRPC over HTTP/2, "Trailers"). */
export const okTrailers = Buffer.from([...NAME_LITERAL, ...text('grpc-status'), ...text('0')]);

/** Names what we take instead, when a message came compressed (gRPC compression). */
export const acceptsIdentity = Buffer.from([...NAME_LITERAL, ...text('grpc-accept-encoding'), ...text('identity')]);

/** A status after messages, or, behind {@link answerHead}, instead of one ("Trailers-Only"). */
export function failureTrailers(failure: GrpcFailure): Buffer {
  return Buffer.from([
    ...NAME_LITERAL,
    ...text('grpc-status'),
    ...text(String(failure.status)),
    ...NAME_LITERAL,
    ...text('grpc-message'),
    ...text(percentEncode(failure.message)),
  ]);
}

/** The head of an answer to what is no gRPC request. */
export function plainHead(status: number): Buffer {
  return Buffer.from([
    ...NAME_STATUS,
    ...text(String(status)),
    ...NAME_CONTENT_TYPE,
    ...text('text/plain; charset=utf-8'),
  ]);
}

/** Longer ones are cut: they are meant for people. Below 127 octets, so that a length is one octet (RFC 7541 §5.2). */
const MAX_TEXT_OCTETS = 126;

/** gRPC over HTTP/2, "Percent-Encoded": of UTF-8, everything but printable ASCII without `%`. */
export function percentEncode(message: string): string {
  let encoded = '';
  for (const octet of Buffer.from(message, 'utf8')) {
    const plain = octet >= 0x20 && octet <= 0x7e && octet !== 0x25;
    const next = plain ? String.fromCharCode(octet) : `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
    if (encoded.length + next.length > MAX_TEXT_OCTETS) break;
    encoded += next;
  }
  return encoded;
}

function text(value: string): number[] {
  return [value.length, ...Buffer.from(value, 'latin1')];
}
