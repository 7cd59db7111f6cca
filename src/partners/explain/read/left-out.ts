import { digestOf } from '../../../check/methods/hmac/digest.ts';
import { type ClientRequest, headerOf } from '../../../check/signing/client-request.ts';
import { queryOf } from '../../../check/signing/signable-request.ts';

/** What a request had when it was sent, and its text does not show: no mistake can be read from its absence. */
export interface LeftOut {
  /** The body, or its end. */
  readonly body: boolean;
  /** Headers: a browser leaves `Authorization` out of a HAR, and sometimes all of them. */
  readonly headers: 'none' | 'authorization' | 'all';
  /** A value of a header or parameter, which a person or a tool masked. */
  readonly isMasked: boolean;
}

/** Of a text that shows the whole request. */
export const nothingLeftOut: LeftOut = { body: false, headers: 'none', isMasked: false };

const NO_BODY_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'TRACE'];

/**
 * Whether a request was sent with more of a body than its text shows, as `curl -v`, logs and some HAR files do:
 * `Content-Length` says so, or, without one, a header that describes a body which is not there. Without any header,
 * nothing says that there was none.
 */
export function isBodyLeftOut(request: Pick<ClientRequest, 'method' | 'headers' | 'body'>): boolean {
  const { method, headers, body } = request;
  const length = headerOf(request, 'content-length');
  if (length !== null) return /^\d{1,15}$/.test(length) && Number(length) > body.length;
  if (body.length > 0) return false;
  if (headerOf(request, 'transfer-encoding') !== null) return true;
  if (NO_BODY_METHODS.includes(method)) return false;
  const digest = headerOf(request, 'digest');
  const isDescribed = headerOf(request, 'content-type') !== null;
  return headers.length === 0 || isDescribed || (digest !== null && digest !== digestOf(Buffer.alloc(0)));
}

/** What people and tools write in the place of a value that nobody should see; one character a byte. */
const MASKED =
  /^(?:[[<({]+(?:redacted|masked|hidden|removed|filtered|omitted)[\])>}]+|redacted|[*x]{3,}|\.{3}|\xe2\x80\xa6)$/i;
const QUOTED = /"([^"]*)"/g;
const SCHEME = /^[\w-]+ +/;

/**
 * The names of the headers and query parameters whose value, or a quoted part of it, was masked. Cookies, which
 * authenticate nobody here, are passed over.
 */
export function maskedNames({ path, headers }: Pick<ClientRequest, 'path' | 'headers'>): readonly string[] {
  const query = queryOf(path)
    .split('&')
    .map((pair): readonly [string, string] => {
      const [name = '', value = ''] = pair.split('=', 2);
      return [name, value.replaceAll(/%2a/gi, '*')];
    });
  const fields = headers.filter(([name]) => name.toLowerCase() !== 'cookie');
  return [...fields, ...query].flatMap(([name, value]) => (isMasked(value) ? [name] : []));
}

function isMasked(value: string): boolean {
  const quoted = Array.from(value.matchAll(QUOTED), ([, part = '']) => part);
  return [value, value.replace(SCHEME, ''), ...quoted].some((part) => MASKED.test(part));
}
