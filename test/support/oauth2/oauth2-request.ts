import { type OAuth2Request } from '../../../src/gateway/oauth2/messages.ts';

/**
 * A request to an OAuth2 endpoint as the listener would hand it on; a form to `/oauth2/token` unless stated otherwise.
 */
export interface OAuth2RequestParts {
  readonly method?: string;
  readonly target?: string;
  /** With lower-case names; the content type is that of a form where there is none. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Buffer;
  readonly peerAddress?: string | null;
  /** Unless stated otherwise it is an Envoy. */
  readonly isPeerTrusted?: boolean;
}

/** Builds one. */
export function oauth2Request({
  method = 'POST',
  target = '/oauth2/token',
  headers = [],
  body = '',
  peerAddress = '192.0.2.1',
  isPeerTrusted = true,
}: OAuth2RequestParts = {}): OAuth2Request {
  const all = headers.some(([name]) => name === 'content-type') ? headers : [...headers, FORM];
  return {
    method,
    target,
    headerValues: (name) => all.filter(([found]) => found === name).map(([, value]) => value),
    body: Buffer.isBuffer(body) ? body : Buffer.from(body, 'utf8'),
    peerAddress,
    isPeerTrusted,
  };
}

const FORM = ['content-type', 'application/x-www-form-urlencoded'] as const;

/** `Authorization: Basic` as RFC 6749 §2.3.1 wants it: both parts form-encoded. */
export function basic(clientId: string, secret: string): readonly [name: string, value: string] {
  const encode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
  return ['authorization', `Basic ${Buffer.from(`${encode(clientId)}:${encode(secret)}`).toString('base64')}`];
}

/** A form body. */
export function form(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString();
}
