import { isRequestId } from '../../receive/request-id.ts';
import { readCurlRequest } from './curl-request.ts';
import { readHarRequest } from './har-request.ts';
import { readRawRequest } from './raw-request.ts';
import type { ReadContext, ReadProblem, ReadRequest } from './read-result.ts';

const BYTE_ORDER_MARK = '\xef\xbb\xbf';
const CURL_COMMAND = /^\s*(?:[$#] )?(?:[^\n]*\|\s*(?:\\\r?\n\s*)?)?(?:\S*[/\\])?curl(?:\.exe)?\s/;

/**
 * Reads a request from a text of whatever form: HAR when it begins like JSON, a `curl` command when its first line is
 * one, otherwise raw HTTP. Never throws.
 */
export function readRequest(bytes: Buffer, context: ReadContext): ReadRequest | ReadProblem {
  const all = bytes.toString('latin1');
  const text = all.startsWith(BYTE_ORDER_MARK) ? all.slice(BYTE_ORDER_MARK.length) : all;
  if (text.trim() === '') return { problem: 'there is no text' };
  if (/^\s*[{[]/.test(text)) return readHarRequest(text, context.entry);
  const start = text.replace(/^\s+/, '');
  return CURL_COMMAND.test(start) ? readCurlRequest(start, context) : readRawRequest(text);
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
