import { readCurlRequest } from './curl-request.ts';
import { readHarRequest } from './har-request.ts';
import type { ReadProblem } from './problem.ts';
import { readRawRequest } from './raw-request.ts';
import type { ReadContext } from './read-context.ts';
import type { ReadRequest } from './read-result.ts';

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
