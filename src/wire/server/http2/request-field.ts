import { isLowerCaseToken } from '../../../base/text/http-grammar.ts';
import { type FieldKind, valueUnread } from '../../http2/hpack/field.ts';

/** The request fields that a gRPC server acts on; the value of any other is not read. */
export const requestField = {
  ignored: valueUnread,
  method: 1,
  scheme: 2,
  path: 3,
  authority: 4,
  contentType: 5,
  contentLength: 6,
  te: 7,
  timeout: 8,
  /**
   * Known pseudo-fields of answers, unknown pseudo-fields, names with octets no name may have (RFC 9113 §8.2.1, §8.3).
   */
  malformed: 9,
  /** Fields of HTTP/1.1 connections (RFC 9113 §8.2.2). */
  connectionSpecific: 10,
  traceParent: 11,
} as const satisfies Record<string, FieldKind>;

const kinds: ReadonlyMap<string, FieldKind> = new Map([
  [':method', requestField.method],
  [':scheme', requestField.scheme],
  [':path', requestField.path],
  [':authority', requestField.authority],
  ['content-type', requestField.contentType],
  ['content-length', requestField.contentLength],
  ['te', requestField.te],
  ['grpc-timeout', requestField.timeout],
  ['connection', requestField.connectionSpecific],
  ['proxy-connection', requestField.connectionSpecific],
  ['keep-alive', requestField.connectionSpecific],
  ['transfer-encoding', requestField.connectionSpecific],
  ['upgrade', requestField.connectionSpecific],
]);

/** What a literal name is to {@link RequestHead}: names are tokens without capitals (RFC 9113 §8.2.1). */
export function classifyRequestField(name: string): FieldKind {
  return kinds.get(name) ?? (isLowerCaseToken(name) ? requestField.ignored : requestField.malformed);
}

/** {@link classifyRequestField} for servers that read `traceparent` too. */
export function classifyTracedField(name: string): FieldKind {
  return name === 'traceparent' ? requestField.traceParent : classifyRequestField(name);
}

/** Whether fields of this kind stand before all others (RFC 9113 §8.3). */
export function isPseudoField(kind: FieldKind): boolean {
  return kind >= requestField.method && kind <= requestField.authority;
}
