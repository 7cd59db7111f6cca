import { refuse, type Refusal } from '../refusal.ts';
import { isToken } from './http-grammar.ts';
import type { SignableRequest } from './signable-request.ts';

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
/** What Envoy writes in the map form of headers for a byte that it cannot show. */
const LOSS_MARK = '!';

/**
 * Checks that method and path can stand in a request line without doubt, and that no byte of the path was lost
 * (spec §2.1: on signature endpoints a `!` cannot be trusted in the map form). Null, or `MALFORMED_REQUEST`.
 */
export function checkTarget(request: SignableRequest): Refusal | null {
  const { method, path } = request;
  if (!isToken(method) || !VISIBLE_ASCII.test(path)) {
    return refuse('MALFORMED_REQUEST', 'the method or the path holds bytes that cannot stand in a request line');
  }
  if (mayHaveLostBytes(request, path)) {
    return refuse('MALFORMED_REQUEST', 'the path has a "!", which may stand for a byte that Envoy could not show');
  }
  return null;
}

/** Tells whether a text of this request may have lost bytes on its way from Envoy. */
export function mayHaveLostBytes(request: SignableRequest, text: string): boolean {
  return !request.hasRawHeaders && text.includes(LOSS_MARK);
}
