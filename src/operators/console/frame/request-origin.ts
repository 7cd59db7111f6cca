/**
 * Where a request comes from, by what browsers say and pages cannot change: `own` for a page of this host, `other` for
 * any other page, and `unknown` where no page is named: an address that a person typed, or a client that is no browser.
 *
 * `Sec-Fetch-Site` (Fetch Metadata) counts first; browsers send it to hosts with TLS and to loopback. `Origin` (RFC
 * 6454 §7) counts for browsers that do not know it.
 *
 * A form with a token of the session is refused from `other` only: the token proves the rest. The sign-in form has no
 * token yet, so it is taken from `own` only.
 */
export function originOf({ headers }: Request): 'own' | 'other' | 'unknown' {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin' ? 'own' : site === 'none' ? 'unknown' : 'other';
  const origin = headers.get('origin');
  if (origin === null) return 'unknown';
  return URL.canParse(origin) && new URL(origin).host === headers.get('host') ? 'own' : 'other';
}
