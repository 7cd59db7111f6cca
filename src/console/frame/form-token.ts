import { equal } from '../../signing/equal.ts';

/** The hidden field that every changing form has. */
export const FORM_TOKEN_FIELD = 'csrf';

/**
 * Why a POST is not taken as one from a page of this console; null when it is. The browser's own word for a request of
 * another site counts first (Fetch Metadata; RFC 6454 for older ones), then the token that only our pages have.
 */
export function findForgery(request: Request, sent: string, expected: string): string | null {
  if (isOfOtherSite(request.headers)) return 'The form was sent from another site.';
  if (expected !== '' && equal(Buffer.from(sent), Buffer.from(expected))) return null;
  return 'The form does not belong to this session. Open its page again.';
}

function isOfOtherSite(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site !== 'same-origin' && site !== 'none';
  const origin = headers.get('origin');
  return origin !== null && hostOf(origin) !== headers.get('host');
}

/** Null for `null`, and for what is no address. */
function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
