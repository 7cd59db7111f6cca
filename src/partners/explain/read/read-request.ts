import { isRequestId } from '../../../check/receive/request-id.ts';
import { isCurl, PROMPT, readCurlRequest } from './curl-request.ts';
import { readHarRequest } from './har-request.ts';
import { readRawRequest } from './raw-request.ts';
import type { ReadContext, ReadProblem, ReadRequest } from './read-result.ts';

const BYTE_ORDER_MARK = '\xef\xbb\xbf';
/** The program of a command, up to its first blank. */
const PROGRAM = /^\s*(?:\\\r?\n\s*)?([^\s|]+)(?=\s)/;

/**
 * Reads a request from a text of whatever form: HAR when it begins like JSON, a `curl` command when its first line is
 * one, otherwise raw HTTP. Never throws, and takes time in proportion to the text.
 */
export function readRequest(bytes: Buffer, context: ReadContext): ReadRequest | ReadProblem {
  const all = bytes.toString('latin1');
  const text = all.startsWith(BYTE_ORDER_MARK) ? all.slice(BYTE_ORDER_MARK.length) : all;
  if (text.trim() === '') return { problem: 'there is no text' };
  if (/^\s*[{[]/.test(text)) return readHarRequest(text, context);
  const start = text.replace(/^\s+/, '');
  return isCurlCommand(start) ? readCurlRequest(start, context) : readRawRequest(text, context.body);
}

/** Whether curl is the program of the first line, or of a command after a `|` in it. */
function isCurlCommand(text: string): boolean {
  const [line = ''] = text.split('\n', 1);
  for (let at = PROMPT.exec(text)?.[0].length ?? 0; ; ) {
    if (isCurl(PROGRAM.exec(text.slice(at))?.[1] ?? '')) return true;
    const pipe = line.indexOf('|', at);
    if (pipe === -1) return false;
    at = pipe + 1;
  }
}

/** The body of a refusal as Postern writes it, also inside the text of a HAR. */
const REFUSAL_BODY =
  /\\?"code\\?":\s*\\?"[A-Z_]+\\?",\s*\\?"message\\?":\s*\\?"[^"\\]*\\?",\s*\\?"requestId\\?":\s*\\?"([^"\\]*)\\?"/g;
/** As `curl -v` shows an answer. */
const VERBOSE_HEADER = /^< x-request-id:[ \t]*(\S+)[ \t]*\r?$/gim;

/**
 * The `requestId` of the refusal that a text holds beside the request: its body, or the `x-request-id` that `curl -v`
 * shows. Null when it holds none, or several that differ.
 */
export function findRefusalRequestId(text: string): string | null {
  const found = [REFUSAL_BODY, VERBOSE_HEADER].flatMap((pattern) =>
    Array.from(text.matchAll(pattern), ([, id = '']) => id),
  );
  const [first, ...others] = new Set(found.filter(isRequestId));
  return first === undefined || others.length > 0 ? null : first;
}
