import { refuse, type Refusal } from '../refusal.ts';
import { isToken } from '../../base/text/http-grammar.ts';
import { isIdentityName } from '../../model/identity-names.ts';
import type { HttpRequest } from './http-request.ts';

const LOWER_X = 0x78;
/** The third and fourth letters of the names that {@link isIdentityName} knows, as one number. */
const BEGINNINGS: readonly number[] = ['co', 'cr', 'au', 'an'].map((two) => Buffer.from(two).readUInt16BE());
const SHORTEST_NAME = 'x-consumer-'.length;

/**
 * A name of each kind that {@link isIdentityName} knows, in different spellings: what drops these drops every such
 * name.
 */
export const identityNameSamples: readonly string[] = [
  'x-consumer-id',
  'x_consumer_id',
  'X-Credential-Identifier',
  'X-Authenticated-UserId',
  'x-anonymous-consumer',
];

/**
 * The names, as received, of headers that could pass for identity headers (spec §4.3). The answer names them for
 * removal, and Envoy takes only names of headers (RFC 9110 §5.1) there: any other refuses the request with
 * `MALFORMED_REQUEST`.
 */
export function findForgedHeaders(request: HttpRequest): readonly string[] | Refusal {
  const names = request.headers.namesWhere(looksLikeIdentity);
  return names.every(isToken) ? names : refuse('MALFORMED_REQUEST', 'the name of an identity header is not a token');
}

/** Looks at three bytes before it makes a text: most names end there. */
function looksLikeIdentity(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < SHORTEST_NAME || ((bytes[start] ?? 0) | 0x20) !== LOWER_X) return false;
  if (!BEGINNINGS.includes(((bytes[start + 2] ?? 0) << 8) | (bytes[start + 3] ?? 0) | 0x2020)) return false;
  let name = '';
  for (let at = start; at < end; at += 1) name += String.fromCharCode(bytes[at] ?? 0);
  return isIdentityName(name);
}
