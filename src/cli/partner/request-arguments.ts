import { readFileSync } from 'node:fs';
import type { ClientHeader, ClientRequest } from '../../signing/client-request.ts';
import { UsageError } from './usage-error.ts';

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };
const STANDARD_INPUT = 0;

/** A request as `postern sign` is given it, in curl's words. */
export interface RequestArguments {
  readonly method: string;
  readonly url: string;
  /** `Name: value` each. */
  readonly headers: readonly string[];
  /** The body itself, `@FILE`, or `@-` for standard input; null for none. */
  readonly data: string | null;
}

/** The request to be signed, and how to send it. */
export interface RequestToSign {
  readonly request: ClientRequest;
  /** Scheme and authority of the URL, such as `http://127.0.0.1:10000`. */
  readonly origin: string;
}

/**
 * Builds the request that curl would send for these arguments: the target as it was typed, the authority without the
 * scheme's own port, and for a body without a type curl's own, `application/x-www-form-urlencoded`.
 * Throws {@link UsageError} for what is no request.
 */
export function readRequestArguments({ method, url, headers, data }: RequestArguments): RequestToSign {
  if (!TOKEN.test(method)) throw new UsageError(`"${method}" is no HTTP method; the form is: postern sign METHOD URL`);
  const match = /^(https?):\/\/([^/?#]+)([^#]*)$/.exec(url);
  if (match === null || !VISIBLE_ASCII.test(url)) {
    throw new UsageError(
      'the URL must be like http://127.0.0.1:10000/orders?x=1, without "#", percent-encoded where needed',
    );
  }
  const [, scheme = '', authority = '', rest = ''] = match;
  const body = data === null ? Buffer.alloc(0) : readData(data);
  const given = headers.map(readHeader);
  const isTyped = given.some(([name]) => name.toLowerCase() === 'content-type');
  const typed: readonly ClientHeader[] =
    body.length === 0 || isTyped ? given : [...given, ['Content-Type', 'application/x-www-form-urlencoded']];
  const port = DEFAULT_PORTS[scheme] ?? '';
  const host = typed.find(([name]) => name.toLowerCase() === 'host')?.[1];
  return {
    origin: `${scheme}://${authority}`,
    request: {
      method,
      path: rest.startsWith('/') ? rest : `/${rest}`,
      authority: host ?? (authority.endsWith(port) ? authority.slice(0, -port.length) : authority),
      headers: typed,
      body,
    },
  };
}

function readHeader(text: string): ClientHeader {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(colon, 0));
  const value = Buffer.from(text.slice(colon + 1).trim(), 'utf8').toString('latin1');
  if (!TOKEN.test(name) || /[\0\r\n]/.test(value)) throw new UsageError(`-H "${text}": the form is "Name: value"`);
  return [name, value];
}

function readData(data: string): Buffer {
  if (!data.startsWith('@')) return Buffer.from(data, 'utf8');
  const path = data.slice(1);
  try {
    return readFileSync(path === '-' ? STANDARD_INPUT : path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new UsageError(`-d ${data}: the file cannot be read (${code})`, { cause: error });
  }
}
