import { createHash, createHmac } from 'node:crypto';
import { type PlainRequest } from '../http/http-client.ts';
import { type Fields } from '../http/http-message.ts';
import { acme } from './signature-document.ts';

/** A request that a partner signs by hmac. Text is one character a byte; everything has a default: `GET /hmac`, now. */
export interface HmacParts {
  readonly method?: string;
  readonly target?: string;
  readonly host?: string;
  /** Beside `Date`, `Digest` and `Authorization`. */
  readonly headers?: Fields;
  readonly body?: string | Buffer;
  /** The names in the `headers` list; `date request-line`, and `digest` with a body, unless given. */
  readonly signed?: readonly string[];
  /** The values that are signed for headers which do not arrive as they are sent. */
  readonly signedValues?: Readonly<Record<string, string>>;
  /** In place of the current time, in seconds since the epoch. */
  readonly dateSeconds?: number;
  /** The whole `Date`. */
  readonly date?: string;
  /** The whole `Digest`; null for none. */
  readonly digest?: string | null;
  readonly algorithm?: string;
  readonly version?: string;
  readonly appKey?: string;
  readonly secret?: string;
  /** Writes the `Authorization` another way. */
  readonly authorization?: (parts: AuthorizationParts) => string;
}

/** What an `Authorization` is made of. */
export interface AuthorizationParts {
  readonly appKey: string;
  readonly algorithm: string;
  readonly headers: string;
  readonly signature: string;
}

/** The time by the clock of this machine, which Postern's is too. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** An `Authorization` as partners write it. */
export function authorizationOf({ appKey, algorithm, headers, signature }: AuthorizationParts): string {
  return `hmac appkey="${appKey}", algorithm="${algorithm}", headers="${headers}", signature="${signature}"`;
}

/** The `Digest` of a body. */
export function digestText(body: string | Buffer): string {
  return `SHA-256=${createHash('sha256').update(toBytes(body)).digest('base64')}`;
}

/** Signs as a partner's program does, from the interface document alone: no code of the product. */
export function signedByHmac(parts: HmacParts = {}): PlainRequest & { readonly headers: Fields } {
  const { method = 'GET', target = '/hmac', host = 'api.example.com', headers = [], body = '' } = parts;
  const { algorithm = 'hmac-sha256', version = 'HTTP/1.1', appKey = acme.appKey, secret = acme.secret } = parts;
  const date = parts.date ?? new Date((parts.dateSeconds ?? nowSeconds()) * 1000).toUTCString();
  const digest = parts.digest === undefined ? (body.length === 0 ? null : digestText(body)) : parts.digest;
  const names = parts.signed ?? ['date', 'request-line', ...(digest === null ? [] : ['digest'])];
  const own: Fields = [...headers, ['Date', date], ...(digest === null ? [] : [['Digest', digest] as const])];

  const lines = names.map((name) => {
    if (name === 'request-line') return `${method} ${target} ${version}`;
    const values = own.filter(([header]) => header.toLowerCase() === name).map(([, value]) => value);
    return `${name}: ${parts.signedValues?.[name] ?? (name === 'host' ? host : values.join(', '))}`;
  });
  const text = Buffer.from(lines.join('\n'), 'latin1');
  const signature = createHmac(algorithm.replace('hmac-', ''), secret).update(text).digest('base64');
  const authorization = (parts.authorization ?? authorizationOf)({
    appKey,
    algorithm,
    headers: names.join(' '),
    signature,
  });
  return {
    method,
    target,
    host,
    headers: [...own, ['Authorization', authorization]],
    ...(body.length === 0 ? {} : { body: toBytes(body) }),
  };
}

function toBytes(body: string | Buffer): Buffer {
  return typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
}
