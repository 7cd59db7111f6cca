import { type ClientHeader, headerOf } from '../../../check/signing/client-request.ts';
import { TOKEN_CHARACTER } from '../../../base/text/http-grammar.ts';
import { parseImfFixdate } from '../../../check/signing/signed-time.ts';
import { isBodyLeftOut, type LeftOut, maskedNames } from './left-out.ts';
import { BODY_NOT_THERE, holdsBody, maskedNotes, type ReadProblem, type ReadRequest, splitUrl } from './read-result.ts';

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
  const length = find('content-length');
  const held = readBody(rest, length, find('transfer-encoding'));
  const request = {
    method,
    path: absolute?.target ?? written,
    authority: find('host') ?? pseudo.get(':authority') ?? absolute?.authority ?? '',
    headers,
    body: held.bytes,
  };
  const isHeld = /[^\r\n]/.test(rest);
  const isCut = isHeld && length === null ? held.isCut : isBodyLeftOut(request);
  if (given !== null && isHeld && !isCut) return holdsBody;
  const body = given === null ? held : cutBody(given.toString('latin1'), length);
  const masked = maskedNames(request);
  const leftOut: LeftOut = { body: given === null && isCut, headers: 'none', isMasked: masked.length > 0 };
  return {
    form: 'raw',
    request: { ...request, body: body.bytes },
    sentAtSeconds: isVerbose ? parseImfFixdate(RESPONSE_DATE.exec(text)?.[1] ?? '') : null,
    leftOut,
    notes: [...(body.note === null ? (leftOut.body ? [BODY_NOT_THERE] : []) : [body.note]), ...maskedNotes(masked)],
  };
}

/** A body as a text holds it. */
interface HeldBody {
  readonly bytes: Buffer;
  readonly note: string | null;
  /** Whether its end is missing, as far as its framing says. */
  readonly isCut: boolean;
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

function readBody(rest: string, contentLength: string | null, transferEncoding: string | null): HeldBody {
  const bytes = Buffer.from(rest, 'latin1');
  if (transferEncoding !== null && /\bchunked\b/i.test(transferEncoding)) {
    const unchunked = readChunks(bytes);
    if (unchunked !== null) return { bytes: unchunked, note: null, isCut: false };
    if (bytes.length === 0) return { bytes, note: null, isCut: true };
    const note = 'The body is not in chunks, although Transfer-Encoding says so; it was taken as it stands.';
    return { bytes, note, isCut: true };
  }
  return cutBody(rest, contentLength);
}

/** The body as far as `Content-Length` says. */
function cutBody(rest: string, contentLength: string | null): HeldBody {
  const bytes = Buffer.from(rest, 'latin1');
  const length = contentLength !== null && /^\d{1,15}$/.test(contentLength) ? Number(contentLength) : null;
  if (length === null || length === bytes.length) return { bytes, note: null, isCut: false };
  if (length > bytes.length) {
    return {
      bytes,
      note: `Content-Length says ${String(length)} bytes, but there are ${String(bytes.length)} bytes of body.${bytes.length === 0 ? ' --body FILE gives it.' : ''}`,
      isCut: true,
    };
  }
  const isOnlyLineEnd = /^[\r\n]+$/.test(rest.slice(length));
  return {
    bytes: bytes.subarray(0, length),
    note: isOnlyLineEnd ? null : `What follows the ${String(length)} bytes of Content-Length was left out.`,
    isCut: false,
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
