import { equal } from '../../../base/text/equal.ts';
import { originOf } from './request-origin.ts';

/** The hidden field that every changing form has. */
export const FORM_TOKEN_FIELD = 'csrf';

/**
 * Why a POST is not taken as one from a page of this console; null when it is. The browser's own word for a request of
 * another site counts first, then the token that only our pages have.
 */
export function findForgery(request: Request, sent: string, expected: string): string | null {
  if (originOf(request) === 'other') return 'The form was sent from another site.';
  if (expected !== '' && equal(Buffer.from(sent), Buffer.from(expected))) return null;
  return 'The form does not belong to this session. Open its page again.';
}
