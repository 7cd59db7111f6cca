import type { Field, FieldSink } from '../../http2/hpack/field.ts';
import { isPseudoField, requestField } from './request-field.ts';

/** SETTINGS_MAX_HEADER_LIST_SIZE: what the fields of a request may add up to (RFC 9113 §6.5.2), in bytes. */
export const MAX_HEADER_LIST_BYTES = 16384;

/** Every open call keeps its own: 55 characters in version 00, and room for later ones (W3C Trace Context §3.2). */
export const LONGEST_TRACE_PARENT = 128;

/** gRPC over HTTP/2, "Timeout": at most eight digits and a unit. */
const timeoutText = /^(\d{1,8})([HMSmun])$/;
const timeoutUnitMs: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/**
 * The fields of one request as they are decoded; one object serves a connection's requests one after the other.
 * It never stops the decoding: the table of the connection needs every field.
 */
export class RequestHead implements FieldSink {
  method = '';
  path = '';
  contentType = '';
  /** Of `content-length`, or -1. */
  contentLength = -1;
  /** Of `grpc-timeout` in milliseconds; Infinity without one, NaN for an invalid one. */
  timeoutMs = Infinity;
  /**
   * Of `traceparent`; null without one, with more than one (W3C Trace Context §3.2), or with one that is too long to be
   * one.
   */
  traceParent: string | null = null;
  /** Why the request is malformed (RFC 9113 §8.1.1), or null. */
  problem: string | null = null;
  sizeBytes = 0;
  #hasScheme = false;
  #hasAuthority = false;
  #hasRegular = false;
  #hasTraceParent = false;
  /** The last `grpc-timeout` read: a peer sends the same one all the time. */
  #timeoutText = '';
  #timeoutMs = NaN;

  /** Forgets the last request. */
  reset(): void {
    this.method = '';
    this.path = '';
    this.contentType = '';
    this.contentLength = -1;
    this.timeoutMs = Infinity;
    this.traceParent = null;
    this.#hasTraceParent = false;
    this.problem = null;
    this.sizeBytes = 0;
    this.#hasScheme = false;
    this.#hasAuthority = false;
    this.#hasRegular = false;
  }

  get tooLarge(): boolean {
    return this.sizeBytes > MAX_HEADER_LIST_BYTES;
  }

  field(field: Field): void {
    this.sizeBytes += field.sizeBytes;
    if (field.malformedValue) this.problem = 'a field value holds octets that none may';
    if (isPseudoField(field.kind)) this.#pseudo(field);
    else {
      this.#hasRegular = true;
      if (field.kind !== requestField.ignored) this.#regular(field);
    }
  }

  /** Call after the last field of a request (RFC 9113 §8.3.1). CONNECT is no request to us. */
  finish(): void {
    if (this.method === '' || this.path === '' || !this.#hasScheme) {
      this.problem ??= 'a request lacks :method, :scheme or :path';
    }
  }

  /** Call after the last field of trailers (RFC 9113 §8.1). */
  finishTrailers(): void {
    if (this.method !== '' || this.path !== '' || this.#hasScheme || this.#hasAuthority) {
      this.problem ??= 'trailers hold a pseudo-field';
    }
  }

  #pseudo(field: Field): void {
    if (this.#hasRegular) this.problem = 'a pseudo-header field follows a regular field';
    if (field.kind === requestField.method) {
      if (this.method !== '') this.problem = ':method appears twice';
      this.method = field.value;
    } else if (field.kind === requestField.path) {
      if (this.path !== '') this.problem = ':path appears twice';
      this.path = field.value;
    } else if (field.kind === requestField.scheme) {
      if (this.#hasScheme) this.problem = ':scheme appears twice';
      this.#hasScheme = true;
    } else {
      if (this.#hasAuthority) this.problem = ':authority appears twice';
      this.#hasAuthority = true;
    }
  }

  #regular(field: Field): void {
    switch (field.kind) {
      case requestField.contentType:
        this.contentType = field.value;
        break;
      case requestField.contentLength:
        this.#length(field.value);
        break;
      case requestField.te:
        if (field.value !== 'trailers') this.problem = 'te is not "trailers"';
        break;
      case requestField.timeout:
        this.timeoutMs = this.#timeout(field.value);
        break;
      case requestField.traceParent:
        this.traceParent = this.#hasTraceParent || field.value.length > LONGEST_TRACE_PARENT ? null : field.value;
        this.#hasTraceParent = true;
        break;
      case requestField.connectionSpecific:
        this.problem = 'a field of HTTP/1.1 connections';
        break;
      default:
        this.problem = 'a field name that none may have';
    }
  }

  #timeout(text: string): number {
    if (text !== this.#timeoutText) {
      this.#timeoutText = text;
      this.#timeoutMs = parseTimeoutMs(text);
    }
    return this.#timeoutMs;
  }

  #length(text: string): void {
    const length = /^\d{1,15}$/.test(text) ? Number(text) : -1;
    if (length < 0 || (this.contentLength >= 0 && this.contentLength !== length)) {
      this.problem = 'content-length is no one number';
    }
    this.contentLength = length;
  }
}

/** @returns milliseconds, or NaN when the text is no `grpc-timeout`. */
export function parseTimeoutMs(text: string): number {
  const match = timeoutText.exec(text);
  return Number(match?.[1]) * (timeoutUnitMs[match?.[2] ?? ''] ?? NaN);
}
