import { isLatin1At } from '../../base/text/latin1.ts';
import type { BodyMemory } from '../../base/text/body-memory.ts';
import { HeaderFields, readPair } from './header-fields.ts';
import { LENGTH_DELIMITED, VARINT, WireReader } from '../../base/protobuf/wire-reader.ts';

const ENDPOINT_EXTENSION = 'endpoint';
const BODY_EXTENSION = 'body';
const NO_SPAN = -1;
const NO_BODY = Buffer.alloc(0);
/** The methods that most requests have: a request with one of them gets this text, not one of its own. */
export const usualMethods: readonly string[] = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'];
/** Within `source`: `address`, in it `socket_address`, in it `address`. */
const PEER_ADDRESS_TAGS = [0x0a, 0x0a, 0x12];
/** Within `source`: `certificate`. */
const PEER_CERTIFICATE_TAGS = [0x2a];

/**
 * The HTTP request that Envoy asks about, read in place from the bytes of a `CheckRequest`.
 *
 * Only positions are kept: strings are made when a stage asks for one, and the body is a view of the message.
 * Both forms of headers (`header_map`, `headers`) and of body (`raw_body`, `body`) are read; where both are there, the
 * raw one decides. Text comes one character a byte (latin1), so that nothing is lost or repaired on the way.
 */
export class HttpRequest {
  readonly headers: HeaderFields;
  readonly #bytes: Buffer;
  readonly #memory: BodyMemory | null;
  #pathStart = NO_SPAN;
  #pathEnd = 0;
  #hostStart = NO_SPAN;
  #hostEnd = 0;
  #protocolStart = 0;
  #protocolEnd = 0;
  #bodyStart = 0;
  #bodyEnd = 0;
  #endpointStart = NO_SPAN;
  #endpointEnd = 0;
  #isStreamed = false;
  #methodStart = 0;
  #methodEnd = 0;
  #size = 0;
  #sourceStart = NO_SPAN;
  #sourceEnd = 0;
  /** What several stages ask for, once it was made. */
  #method: string | null = null;
  #path: string | null = null;
  #authority: string | null = null;
  #body: Buffer | null = null;

  private constructor(bytes: Buffer, memory: BodyMemory | null) {
    this.#bytes = bytes;
    this.#memory = memory;
    this.headers = new HeaderFields(bytes);
  }

  /**
   * Reads an encoded `envoy.service.auth.v3.CheckRequest`; null when the bytes are no such message. `memory` is for a
   * body in place of the received one.
   */
  static parse(message: Uint8Array, memory: BodyMemory | null = null): HttpRequest | null {
    const bytes = Buffer.isBuffer(message)
      ? message
      : Buffer.from(message.buffer, message.byteOffset, message.byteLength);
    const request = new HttpRequest(bytes, memory);
    const reader = new WireReader(bytes);
    while (reader.at < bytes.length) {
      const tag = reader.readVarint();
      if (tag === 0x0a) request.#readAttributes(reader, reader.readSpan(bytes.length));
      else reader.skip(tag & 7, bytes.length);
    }
    reader.finish(bytes.length);
    return reader.failed ? null : request;
  }

  /** As the caller sent it; methods are case-sensitive. */
  get method(): string {
    return (this.#method ??= this.#readMethod(this.#methodStart, this.#methodEnd));
  }

  /** `HTTP/1.1`, `HTTP/2` or what else Envoy reports. */
  get protocol(): string {
    return this.#text(this.#protocolStart, this.#protocolEnd);
  }

  /** The raw `:path`. */
  get path(): string {
    return (this.#path ??=
      this.headers.find(':path') ?? (this.#pathStart === NO_SPAN ? '' : this.#text(this.#pathStart, this.#pathEnd)));
  }

  /** The raw `:authority`. */
  get authority(): string {
    return (this.#authority ??=
      this.headers.find(':authority') ??
      (this.#hostStart === NO_SPAN ? '' : this.#text(this.#hostStart, this.#hostEnd)));
  }

  /** The body that Envoy delivered, to be read only: a view of the message, unless it is empty. */
  get body(): Buffer {
    return (this.#body ??= this.bodyLength === 0 ? NO_BODY : this.#bytes.subarray(this.#bodyStart, this.#bodyEnd));
  }

  /** See {@link BodyMemory}. */
  takeMemory(bytes: number): Buffer {
    return this.#memory?.takeMemory?.(bytes) ?? Buffer.allocUnsafe(bytes);
  }

  /** How many bytes of body Envoy delivered. */
  get bodyLength(): number {
    return this.#bodyEnd - this.#bodyStart;
  }

  /** The size of the body that Envoy reports, in bytes. */
  get declaredSize(): number {
    return this.#size;
  }

  /** `context_extensions["endpoint"]` of the Envoy route; null when the route names none. */
  get endpointExtension(): string | null {
    return this.#endpointStart === NO_SPAN ? null : this.#text(this.#endpointStart, this.#endpointEnd);
  }

  /**
   * Whether the Envoy route says by `context_extensions["body"]` that it streams bodies past Postern. There is one word
   * for it, `streamed`; any other is taken for it, since a route has nothing else to say there.
   */
  get isStreamed(): boolean {
    return this.#isStreamed;
  }

  /** `source.address.socket_address.address`: who is connected to Envoy; null on a Unix socket. Read when asked for. */
  get peerAddress(): string | null {
    return this.#findInSource(PEER_ADDRESS_TAGS)?.toString('latin1') ?? null;
  }

  /**
   * `source.certificate`, a view of the message: the certificate of who is connected to Envoy, as PEM that is
   * percent-encoded. Null without TLS, without a certificate, and without `include_peer_certificate`. Read when asked
   * for.
   */
  get peerCertificate(): Buffer | null {
    return this.#findInSource(PEER_CERTIFICATE_TAGS);
  }

  #findInSource(tags: readonly number[]): Buffer | null {
    if (this.#sourceStart === NO_SPAN) return null;
    const reader = new WireReader(this.#bytes);
    let start = this.#sourceStart;
    let end = this.#sourceEnd;
    for (const wanted of tags) {
      reader.at = start;
      let [foundStart, foundEnd] = [NO_SPAN, end];
      while (reader.at < end) {
        const tag = reader.readVarint();
        if (tag !== wanted) {
          reader.skip(tag & 7, end);
          continue;
        }
        foundStart = reader.readSpan(end);
        foundEnd = reader.spanEnd;
      }
      if (reader.failed || foundStart === NO_SPAN) return null;
      [start, end] = [foundStart, foundEnd];
    }
    return this.#bytes.subarray(start, end);
  }

  #readAttributes(reader: WireReader, start: number): void {
    const end = reader.spanEnd;
    reader.at = start;
    while (reader.at < end) {
      const tag = reader.readVarint();
      if (tag === 0x22) this.#readRequest(reader, reader.readSpan(end));
      else if (tag === 0x52) this.#readExtension(reader, reader.readSpan(end));
      else if (tag === 0x0a) {
        this.#sourceStart = reader.readSpan(end);
        this.#sourceEnd = reader.spanEnd;
      } else reader.skip(tag & 7, end);
    }
    reader.finish(end);
  }

  #readRequest(reader: WireReader, start: number): void {
    const end = reader.spanEnd;
    reader.at = start;
    while (reader.at < end) {
      const tag = reader.readVarint();
      if (tag === 0x12) this.#readHttp(reader, reader.readSpan(end));
      else reader.skip(tag & 7, end);
    }
    reader.finish(end);
  }

  #readHttp(reader: WireReader, start: number): void {
    const end = reader.spanEnd;
    let hasRawBody = false;
    reader.at = start;
    while (reader.at < end) {
      const tag = reader.readVarint();
      if ((tag & 7) === LENGTH_DELIMITED) {
        const from = reader.readSpan(end);
        const to = reader.spanEnd;
        switch (tag >>> 3) {
          case 2:
            this.#methodStart = from;
            this.#methodEnd = to;
            break;
          case 3:
            this.headers.readEntry(reader, from, to);
            break;
          case 4:
            this.#pathStart = from;
            this.#pathEnd = to;
            break;
          case 5:
            this.#hostStart = from;
            this.#hostEnd = to;
            break;
          case 10:
            this.#protocolStart = from;
            this.#protocolEnd = to;
            break;
          case 11:
            if (!hasRawBody) this.#setBody(from, to);
            break;
          case 12:
            hasRawBody ||= to > from;
            if (hasRawBody) this.#setBody(from, to);
            break;
          case 13:
            this.headers.readMap(reader, from, to);
            break;
          default:
        }
        reader.at = reader.failed ? reader.at : to;
      } else if (tag === ((9 << 3) | VARINT)) {
        this.#size = reader.readVarint();
      } else {
        reader.skip(tag & 7, end);
      }
    }
    reader.finish(end);
  }

  #readExtension(reader: WireReader, start: number): void {
    const entry: number[] = [];
    readPair(reader, start, reader.spanEnd, entry);
    const [nameStart = 0, nameEnd = 0, valueStart = 0, valueEnd = 0] = entry;
    const name = this.#text(nameStart, nameEnd);
    if (name === BODY_EXTENSION) this.#isStreamed = true;
    if (name !== ENDPOINT_EXTENSION) return;
    this.#endpointStart = valueStart;
    this.#endpointEnd = valueEnd;
  }

  #setBody(start: number, end: number): void {
    this.#bodyStart = start;
    this.#bodyEnd = end;
  }

  #readMethod(start: number, end: number): string {
    for (const method of usualMethods) {
      if (method.length === end - start && isLatin1At(this.#bytes, method, start)) return method;
    }
    return this.#text(start, end);
  }

  #text(start: number, end: number): string {
    return this.#bytes.toString('latin1', start, end);
  }
}
