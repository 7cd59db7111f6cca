import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { CheckRequest } from '../../../src/gen/envoy/service/auth/v3/external_auth.ts';
import { HttpRequest } from '../../../src/check/receive/http-request.ts';

/** A header as on the wire. Text is one character a byte (latin1). */
export type HeaderLine = readonly [name: string, value: string];

/** What a caller sends, and how Envoy hands it on. Everything has a default: `GET /orders` to `api.example.com`. */
export interface RequestParts {
  readonly method?: string;
  /** The raw `:path`, one character a byte. */
  readonly path?: string;
  readonly authority?: string;
  readonly protocol?: string;
  /** Without the pseudo-headers, which are made of the parts above. */
  readonly headers?: readonly HeaderLine[];
  /** Leaves header names as given. Envoy makes them lower case, and so does this builder otherwise. */
  readonly keepCase?: boolean;
  readonly body?: Uint8Array | string;
  /** The size that Envoy gives; the body's own when omitted. */
  readonly size?: number;
  /** `context_extensions["endpoint"]` of the Envoy route. */
  readonly endpoint?: string;
  /** `context_extensions["body"]` of the Envoy route. */
  readonly bodyExtension?: string;
  /**
   * `raw`: `header_map` with raw bytes (the committed `envoy.yaml`). `map`: `headers`, repeats joined by `,`, bytes
   * above 0x7F as `!`.
   */
  readonly headerForm?: 'raw' | 'map';
  /** `raw`: `raw_body`. `text`: `body`. */
  readonly bodyForm?: 'raw' | 'text';
  /** `source.address.socket_address.address`: who is connected to Envoy. */
  readonly peer?: string;
  /** `source.certificate`: PEM, which is percent-encoded here as Envoy does it. */
  readonly certificate?: string;
}

export const headerForms = ['raw', 'map'] as const;
export const bodyForms = ['raw', 'text'] as const;

/** The bytes of a `CheckRequest`, as Envoy would send them. */
export function checkRequest(parts: RequestParts = {}): Buffer {
  const message = CheckRequest.encode(checkRequestMessage(parts)).finish();
  return Buffer.concat([message, ...sourceOf(parts)]);
}

/** `attributes` with nothing but a `source`, which the generated messages leave out; a reader joins it to the others. */
function sourceOf({ peer: address, certificate }: RequestParts): readonly Uint8Array[] {
  if (address === undefined && certificate === undefined) return [];
  const peer = new BinaryWriter();
  if (address !== undefined) {
    const socketAddress = new BinaryWriter()
      .uint32(0x0a)
      .bytes(new BinaryWriter().uint32(0x12).string(address).uint32(0x18).uint32(40_000).finish());
    peer.uint32(0x0a).bytes(socketAddress.finish());
  }
  if (certificate !== undefined) peer.uint32(0x2a).string(percentEncoded(certificate));
  const attributes = new BinaryWriter().uint32(0x0a).bytes(peer.finish()).finish();
  return [new BinaryWriter().uint32(0x0a).bytes(attributes).finish()];
}

/** As Envoy writes PEM into `source.certificate`: these characters and no others are encoded. */
export function percentEncoded(pem: string): string {
  return pem.replace(
    /[\n +/=]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** The request as the pipeline sees it. */
export function httpRequest(parts: RequestParts = {}): HttpRequest {
  const request = HttpRequest.parse(checkRequest(parts));
  if (request === null) throw new Error('the message of the test is no CheckRequest');
  return request;
}

/** The message itself, for tests that change it before they encode it. */
export function checkRequestMessage({
  method = 'GET',
  path = '/orders',
  authority = 'api.example.com',
  protocol = 'HTTP/1.1',
  headers = [],
  keepCase = false,
  body = '',
  size,
  endpoint,
  bodyExtension,
  headerForm = 'raw',
  bodyForm = 'raw',
}: RequestParts = {}): CheckRequest {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : Buffer.from(body);
  const lines: readonly HeaderLine[] = [
    [':authority', authority],
    [':path', path],
    [':method', method],
    [':scheme', 'http'],
    ...headers.map(([name, value]): HeaderLine => [keepCase ? name : name.toLowerCase(), value]),
  ];
  const isRaw = headerForm === 'raw';
  return CheckRequest.fromPartial({
    attributes: {
      request: {
        http: {
          id: '4711',
          method,
          path: shown(path),
          host: shown(authority),
          scheme: 'http',
          protocol,
          size: size ?? bytes.length,
          ...(bodyForm === 'raw' ? { rawBody: bytes } : { body: bytes.toString('utf8') }),
          ...(isRaw ? { headerMap: { headers: lines.map(rawHeader) } } : { headers: joinHeaders(lines) }),
        },
      },
      contextExtensions: new Map([
        ...(endpoint === undefined ? [] : [['endpoint', endpoint] as const]),
        ...(bodyExtension === undefined ? [] : [['body', bodyExtension] as const]),
      ]),
    },
  });
}

function rawHeader([name, value]: HeaderLine): { key: string; rawValue: Uint8Array } {
  return { key: name, rawValue: Buffer.from(value, 'latin1') };
}

function joinHeaders(lines: readonly HeaderLine[]): Map<string, string> {
  const joined = new Map<string, string>();
  for (const [key, value] of lines) {
    const former = joined.get(key);
    joined.set(key, former === undefined ? shown(value) : `${former},${shown(value)}`);
  }
  return joined;
}

/** Bytes that Envoy cannot show in a proto3 string. */
function shown(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '!');
}
