import { type ClientHeader, headerOf } from '../../../check/signing/client-request.ts';
import { TOKEN_CHARACTER } from '../../../base/text/http-grammar.ts';
import { parseImfFixdate } from '../../../check/signing/signed-time.ts';
import { holdsBody, type ReadProblem, type ReadRequest, splitUrl } from './read-result.ts';

const REQUEST_LINE = new RegExp(`^(${TOKEN_CHARACTER}+) (\\S+)(?: HTTP/\\d(?:\\.\\d)?)?$`);
const VERBOSE_LINE = /^> ?(.*)$/;
const RESPONSE_DATE = /^< date: ([^\r\n]*)/im;

/**
 * Reads a request as it stands on the wire, one character a byte: request line, headers, a blank line, the body; line
 * ends are CRLF or LF. Also what `curl -v` shows (`> ` before each line, `:method: …` for a request line), and an
 * absolute target. A `Content-Length` ends the body, so that a line feed of an editor at the end is not taken for it.
 * `given` is the body that the text does not hold; null for none.
 */
export function readRawRequest(text: string, given: Buffer | null = null): ReadRequest | ReadProblem {
  const isVerbose = /^> (?:\S+ \S+ HTTP\/|:method: )/m.test(text);
  const { lines, body: rest } = isVerbose ? verboseParts(text) : plainParts(text);
  const requestLine = REQUEST_LINE.exec(lines[0] ?? '');
  const headers: ClientHeader[] = [];
  const pseudo = new Map<string, string>();
  for (const line of requestLine === null ? lines : lines.slice(1)) {
    const [, name = '', value = ''] = /^(:?[^\s:]+):(.*)$/.exec(line) ?? [];
    if (name === '') return { problem: `"${shown(line)}" is neither a request line nor a header` };
    if (name.startsWith(':')) pseudo.set(name, trimBlanks(value).trimEnd());
    else headers.push([name, trimBlanks(value)]);
  }
  const method = requestLine?.[1] ?? pseudo.get(':method');
  const written = requestLine?.[2] ?? pseudo.get(':path');
  if (method === undefined || written === undefined) {
    return { problem: 'there is no request line such as "GET /orders HTTP/1.1"' };
  }
  const absolute = /^https?:\/\//i.test(written) ? splitUrl(written) : null;
  const find = (name: string): string | null => headerOf({ headers }, name);
  if (given !== null && /[^\r\n]/.test(rest)) return holdsBody;
  const length = find('content-length');
  const body =
    given === null ? readBody(rest, length, find('transfer-encoding')) : cutBody(given.toString('latin1'), length);
  return {
    form: 'raw',
    request: {
      method,
      path: absolute?.target ?? written,
      authority: find('host') ?? pseudo.get(':authority') ?? absolute?.authority ?? '',
      headers,
      body: body.bytes,
    },
    sentAtSeconds: isVerbose ? parseImfFixdate(RESPONSE_DATE.exec(text)?.[1] ?? '') : null,
    notes: body.note === null ? [] : [body.note],
  };
}

interface Parts {
  readonly lines: readonly string[];
  readonly body: string;
}

function plainParts(text: string): Parts {
  const start = text.replace(/^[\r\n]+/, '');
  const end = /\r?\n\r?\n/.exec(start);
  const head = end === null ? start : start.slice(0, end.index);
  return {
    lines: head.split(/\r?\n/).filter((line) => line.trim() !== ''),
    body: end === null ? '' : start.slice(end.index + end[0].length),
  };
}

function verboseParts(text: string): Parts {
  const lines: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const sent = VERBOSE_LINE.exec(line)?.[1];
    if (sent === undefined) continue;
    // An empty line ends the headers; what curl shows after it belongs to another request.
    if (sent.trim() === '') break;
    lines.push(sent);
  }
  return { lines, body: '' };
}

function readBody(
  rest: string,
  contentLength: string | null,
  transferEncoding: string | null,
): { readonly bytes: Buffer; readonly note: string | null } {
  const bytes = Buffer.from(rest, 'latin1');
  if (transferEncoding !== null && /\bchunked\b/i.test(transferEncoding)) {
    const unchunked = readChunks(bytes);
    return unchunked === null
      ? { bytes, note: 'The body is not in chunks, although Transfer-Encoding says so; it was taken as it stands.' }
      : { bytes: unchunked, note: null };
  }
  return cutBody(rest, contentLength);
}

/** The body as far as `Content-Length` says. */
function cutBody(rest: string, contentLength: string | null): { readonly bytes: Buffer; readonly note: string | null } {
  const bytes = Buffer.from(rest, 'latin1');
  const length = contentLength !== null && /^\d{1,15}$/.test(contentLength) ? Number(contentLength) : null;
  if (length === null || length === bytes.length) return { bytes, note: null };
  if (length > bytes.length) {
    return {
      bytes,
      note: `Content-Length says ${String(length)} bytes, but there are ${String(bytes.length)} bytes of body.${bytes.length === 0 ? ' --body FILE gives it.' : ''}`,
    };
  }
  const isOnlyLineEnd = /^[\r\n]+$/.test(rest.slice(length));
  return {
    bytes: bytes.subarray(0, length),
    note: isOnlyLineEnd ? null : `What follows the ${String(length)} bytes of Content-Length was left out.`,
  };
}

function trimBlanks(value: string): string {
  return value.replace(/^[ \t]+/, '').replace(/(?<![ \t\r])[ \t\r]+$/, '');
}

function shown(line: string): string {
  const visible = line.slice(0, 40).replace(/[^\x20-\x7e]/g, '?');
  return line.length > 40 ? `${visible}…` : visible;
}

/** Takes a chunked body apart (RFC 9112 §7.1), line ends CRLF or LF; null when it is not chunked. */
function readChunks(bytes: Buffer): Buffer | null {
  const pieces: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\n', at);
    if (lineEnd === -1) return null;
    const size = /^([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?\r?$/.exec(bytes.toString('latin1', at, lineEnd))?.[1];
    if (size === undefined) return null;
    const start = lineEnd + 1;
    const end = start + parseInt(size, 16);
    if (end === start) return Buffer.concat(pieces);
    if (end > bytes.length) return null;
    pieces.push(bytes.subarray(start, end));
    at = bytes.toString('latin1', end, end + 2) === '\r\n' ? end + 2 : end + 1;
  }
}
