import { isUtf8 } from 'node:buffer';
import type { ClientHeader, ClientRequest } from '../../check/signing/client-request.ts';
import { isToken } from '../../base/text/http-grammar.ts';
import { MAX_HMAC_BODY_BYTES } from '../../check/methods/hmac/signature.ts';
import { findUnseenEdge } from '../../base/text/unseen.ts';
import { UsageError } from '../failure.ts';
import { readBytes } from './read-bytes.ts';

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };

/** A request in curl's words. */
interface RequestArguments {
  readonly method: string;
  readonly url: string;
  /** `Name: value` each. */
  readonly headers: readonly string[];
  /** The body itself, `@FILE`, or `@-` for standard input; null for none. */
  readonly data: string | null;
}

/**
 * Builds the request that curl would send for these arguments: the target as it was typed, the authority without the
 * scheme's own port, and for a body without a type curl's own, `application/x-www-form-urlencoded`.
 * `origin` has scheme and authority of the URL. Throws {@link UsageError} for what is not a request.
 */
export function readRequestArguments({ method, url, headers, data }: RequestArguments): {
  readonly request: ClientRequest;
  readonly origin: string;
} {
  if (!isToken(method)) throw new UsageError(`"${method}" is not an HTTP method; the form is: postern sign METHOD URL`);
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
  if (!isToken(name) || /[\0\r\n]/.test(value)) throw new UsageError(`-H "${text}": the form is "Name: value"`);
  return [name, value];
}

function readData(data: string): Buffer {
  if (!data.startsWith('@')) return Buffer.from(data, 'utf8');
  const bytes = readBytes(data.slice(1), MAX_HMAC_BODY_BYTES);
  if (typeof bytes === 'string') throw new UsageError(`-d ${data}: the file cannot be read (${bytes})`);
  return bytes;
}

/**
 * Reads the secret that `--secret-from` names: `env:NAME`, `file:PATH`, or `-` for standard input (interfaces §5).
 * One trailing line feed is dropped. Other characters at the edges that nobody sees, and bytes that are not UTF-8, are
 * an error. Secrets are never arguments themselves, because `ps` shows those. Throws {@link UsageError}, which never
 * holds the text.
 *
 * @param flag its name in messages
 */
export function readSecretArgument(
  source: string,
  environment: Readonly<Record<string, string | undefined>>,
  flag = '--secret-from',
): string {
  const text = readSource(source, environment, flag);
  const value = text.endsWith('\n') ? text.slice(0, -1) : text;
  if (value === '') throw new UsageError(`${flag} ${source}: the secret is empty`);
  const edge = findUnseenEdge(value);
  if (edge !== null) throw new UsageError(`${flag} ${source}: the secret ${edge}`);
  return value;
}

function readSource(source: string, environment: Readonly<Record<string, string | undefined>>, flag: string): string {
  if (source.startsWith('env:')) {
    const name = source.slice('env:'.length);
    const text = environment[name];
    if (text === undefined) throw new UsageError(`${flag}: the environment variable ${name} is not set`);
    return text;
  }
  if (source === '-') return readText('-', 'standard input', flag);
  if (source.startsWith('file:')) return readText(source.slice('file:'.length), source.slice('file:'.length), flag);
  throw new UsageError(`${flag} takes env:NAME, file:PATH or - for standard input, never the secret itself`);
}

function readText(path: string, shown: string, flag: string): string {
  const bytes = readBytes(path);
  if (typeof bytes === 'string') throw new UsageError(`${flag}: ${shown} cannot be read (${bytes})`);
  // Decoding replaces what it cannot read: the secret would silently be another one than the partner's.
  if (!isUtf8(bytes)) throw new UsageError(`${flag}: ${shown} is not UTF-8 text`);
  return bytes.toString('utf8');
}
