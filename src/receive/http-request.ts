import { LENGTH_DELIMITED, VARINT, WireReader } from './wire-reader.ts';

const HEADER_SLOTS = 4;
const ENDPOINT_EXTENSION = 'endpoint';
const NO_SPAN = -1;

/**
 * The HTTP request that Envoy asks about, read in place from the bytes of a `CheckRequest`.
 *
 * Only positions are kept: strings are made when a stage asks for one, and the body is a view of the message.
 * Both forms of headers (`header_map`, `headers`) and of body (`raw_body`, `body`) are read; where both are there, the
 * raw one decides. Text comes one character a byte (latin1), so that nothing is lost or repaired on the way.
 */
export class HttpRequest {
  readonly #bytes: Buffer;
  /** Name start, name end, value start, value end of each header. */
  #headers: number[] = [];
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
  #methodStart = 0;
  #methodEnd = 0;
  #size = 0;
  #isRaw = false;

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Reads an encoded `envoy.service.auth.v3.CheckRequest`; null when the bytes are no such message. */
  static parse(message: Uint8Array): HttpRequest | null {
    const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
    const request = new HttpRequest(bytes);
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
    return this.#text(this.#methodStart, this.#methodEnd);
  }

  /** `HTTP/1.1`, `HTTP/2` or what else Envoy reports. */
  get protocol(): string {
    return this.#text(this.#protocolStart, this.#protocolEnd);
  }

  /** The raw `:path`. */
  get path(): string {
    return this.findHeader(':path') ?? (this.#pathStart === NO_SPAN ? '' : this.#text(this.#pathStart, this.#pathEnd));
  }

  /** The raw `:authority`. */
  get authority(): string {
    return (
      this.findHeader(':authority') ?? (this.#hostStart === NO_SPAN ? '' : this.#text(this.#hostStart, this.#hostEnd))
    );
  }

  /** The body that Envoy delivered: a view of the message, to be read only. */
  get body(): Buffer {
    return this.#bytes.subarray(this.#bodyStart, this.#bodyEnd);
  }

  /** How many bytes of body Envoy delivered. */
  get bodyLength(): number {
    return this.#bodyEnd - this.#bodyStart;
  }

  /** The size of the body that Envoy tells, in bytes. */
  get declaredSize(): number {
    return this.#size;
  }

  /** `context_extensions["endpoint"]` of the Envoy route; null when the route names none. */
  get endpointExtension(): string | null {
    return this.#endpointStart === NO_SPAN ? null : this.#text(this.#endpointStart, this.#endpointEnd);
  }

  /**
   * Whether header values came as raw bytes (`header_map`). In the other form Envoy writes `!` for bytes it cannot
   * show and joins repeated headers with `,`.
   */
  get hasRawHeaders(): boolean {
    return this.#isRaw;
  }

  /** The first value of a header; null when the request has none. Names compare without case; `name` is lower case. */
  findHeader(name: string): string | null {
    const at = this.#findHeader(name, 0);
    return at === -1 ? null : this.#value(at);
  }

  /** The value of a header that stands once; null when it is absent, and `repeated` when it stands more than once. */
  findSingleHeader(name: string): string | null | { readonly repeated: true } {
    const at = this.#findHeader(name, 0);
    if (at === -1) return null;
    return this.#findHeader(name, at + HEADER_SLOTS) === -1 ? this.#value(at) : { repeated: true };
  }

  /** Every value of a header in the order received, as raw bytes (views of the message). */
  headerValues(name: string): Buffer[] {
    const values: Buffer[] = [];
    for (let at = this.#findHeader(name, 0); at !== -1; at = this.#findHeader(name, at + HEADER_SLOTS)) {
      values.push(this.#bytes.subarray(this.#headers[at + 2], this.#headers[at + 3]));
    }
    return values;
  }

  /** The names of headers that `isWanted` picks by their bytes, as received; a name may come more than once. */
  headerNames(isWanted: (bytes: Uint8Array, start: number, end: number) => boolean): string[] {
    const names: string[] = [];
    for (let at = 0; at < this.#headers.length; at += HEADER_SLOTS) {
      const start = this.#headers[at] ?? 0;
      const end = this.#headers[at + 1] ?? 0;
      if (isWanted(this.#bytes, start, end)) names.push(this.#text(start, end));
    }
    return names;
  }

  #readAttributes(reader: WireReader, start: number): void {
    const end = reader.spanEnd;
    reader.at = start;
    while (reader.at < end) {
      const tag = reader.readVarint();
      if (tag === 0x22) this.#readRequest(reader, reader.readSpan(end));
      else if (tag === 0x52) this.#readExtension(reader, reader.readSpan(end));
      else reader.skip(tag & 7, end);
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
    const mapHeaders: number[] = [];
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
            readHeader(reader, from, to, mapHeaders);
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
            this.#isRaw = true;
            readHeaderMap(reader, from, to, this.#headers);
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
    if (!this.#isRaw) this.#headers = mapHeaders;
  }

  #readExtension(reader: WireReader, start: number): void {
    const entry: number[] = [];
    readHeader(reader, start, reader.spanEnd, entry);
    const [nameStart = 0, nameEnd = 0, valueStart = 0, valueEnd = 0] = entry;
    if (this.#text(nameStart, nameEnd) !== ENDPOINT_EXTENSION) return;
    this.#endpointStart = valueStart;
    this.#endpointEnd = valueEnd;
  }

  #setBody(start: number, end: number): void {
    this.#bodyStart = start;
    this.#bodyEnd = end;
  }

  #value(at: number): string {
    return this.#text(this.#headers[at + 2] ?? 0, this.#headers[at + 3] ?? 0);
  }

  #findHeader(name: string, from: number): number {
    for (let at = from; at < this.#headers.length; at += HEADER_SLOTS) {
      const start = this.#headers[at] ?? 0;
      if ((this.#headers[at + 1] ?? 0) - start === name.length && this.#isNamed(start, name)) return at;
    }
    return -1;
  }

  #isNamed(start: number, name: string): boolean {
    for (let index = 0; index < name.length; index += 1) {
      const byte = this.#bytes[start + index] ?? 0;
      const lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
      if (lower !== name.charCodeAt(index)) return false;
    }
    return true;
  }

  #text(start: number, end: number): string {
    return this.#bytes.toString('latin1', start, end);
  }
}

function readHeaderMap(reader: WireReader, start: number, end: number, headers: number[]): void {
  reader.at = start;
  while (reader.at < end) {
    const tag = reader.readVarint();
    if (tag === 0x0a) {
      const from = reader.readSpan(end);
      readHeader(reader, from, reader.spanEnd, headers);
    } else {
      reader.skip(tag & 7, end);
    }
  }
  reader.finish(end);
}

/** Reads a `HeaderValue` or an entry of a string map, which share the numbers of key and value. */
function readHeader(reader: WireReader, start: number, end: number, headers: number[]): void {
  let nameStart = 0;
  let nameEnd = 0;
  let valueStart = 0;
  let valueEnd = 0;
  let hasRawValue = false;
  reader.at = start;
  while (reader.at < end) {
    const tag = reader.readVarint();
    if (tag === 0x0a) {
      nameStart = reader.readSpan(end);
      nameEnd = reader.spanEnd;
    } else if (tag === 0x12 || tag === 0x1a) {
      const from = reader.readSpan(end);
      const isRaw = tag === 0x1a;
      if (hasRawValue && !isRaw) continue;
      hasRawValue ||= isRaw && reader.spanEnd > from;
      if (isRaw && !hasRawValue) continue;
      valueStart = from;
      valueEnd = reader.spanEnd;
    } else {
      reader.skip(tag & 7, end);
    }
  }
  reader.finish(end);
  headers.push(nameStart, nameEnd, valueStart, valueEnd);
}
