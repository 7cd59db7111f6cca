import type { Field, FieldKind, FieldSink } from '../http2/hpack/field.ts';
import { valueUnread } from '../http2/hpack/field.ts';
import { isLowerCaseToken } from '../../base/text/http-grammar.ts';

/** The fields of answers that a gRPC client acts on; the value of any other is not read. */
const answerField = {
  ignored: valueUnread,
  status: 1,
  contentType: 2,
  grpcStatus: 3,
  grpcMessage: 4,
  /** Other pseudo-fields, names with octets no name may have (RFC 9113 §8.2.1, §8.3). */
  malformed: 5,
  /** Fields of HTTP/1.1 connections (RFC 9113 §8.2.2). */
  connectionSpecific: 6,
} as const satisfies Record<string, FieldKind>;

const kinds: ReadonlyMap<string, FieldKind> = new Map([
  [':status', answerField.status],
  ['content-type', answerField.contentType],
  ['grpc-status', answerField.grpcStatus],
  ['grpc-message', answerField.grpcMessage],
  ['connection', answerField.connectionSpecific],
  ['proxy-connection', answerField.connectionSpecific],
  ['keep-alive', answerField.connectionSpecific],
  ['transfer-encoding', answerField.connectionSpecific],
  ['upgrade', answerField.connectionSpecific],
]);

/** What a literal name is to {@link AnswerHead}: names are tokens without capitals (RFC 9113 §8.2.1). */
export function classifyAnswerField(name: string): FieldKind {
  return kinds.get(name) ?? (isLowerCaseToken(name) ? answerField.ignored : answerField.malformed);
}

/**
 * The fields of one answer's head or trailers as they are decoded; one object serves a connection's answers one after
 * the other. It never stops the decoding: the table of the connection needs every field.
 */
export class AnswerHead implements FieldSink {
  /** `:status`; empty without one, as in trailers. */
  status = '';
  contentType = '';
  /** Null without one. */
  grpcStatus: string | null = null;
  grpcMessage = '';
  sizeBytes = 0;
  /** Why the answer is malformed (RFC 9113 §8.1.1), or null. */
  problem: string | null = null;
  #hasRegular = false;

  /** Forgets the last one. */
  reset(): void {
    this.status = '';
    this.contentType = '';
    this.grpcStatus = null;
    this.grpcMessage = '';
    this.sizeBytes = 0;
    this.problem = null;
    this.#hasRegular = false;
  }

  field({ kind, value, sizeBytes, malformedValue }: Field): void {
    this.sizeBytes += sizeBytes;
    if (malformedValue) this.problem = 'a field value holds octets that none may';
    if (kind === answerField.status) {
      if (this.#hasRegular) this.problem = 'a pseudo-header field follows a regular field';
      if (this.status !== '') this.problem = ':status appears twice';
      if (!/^[1-9]\d\d$/.test(value)) this.problem = ':status is not a status';
      this.status = value;
      return;
    }
    this.#hasRegular = true;
    switch (kind) {
      case answerField.contentType:
        this.contentType = value;
        break;
      case answerField.grpcStatus:
        if (this.grpcStatus !== null) this.problem = 'grpc-status appears twice';
        this.grpcStatus = value;
        break;
      case answerField.grpcMessage:
        this.grpcMessage = value;
        break;
      case answerField.malformed:
        this.problem = 'a field name that none may have';
        break;
      case answerField.connectionSpecific:
        this.problem = 'a field of HTTP/1.1 connections';
        break;
      default:
    }
  }
}
