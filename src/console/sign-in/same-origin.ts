/**
 * Whether a page of this host made a request, by what browsers say and pages cannot change: `Sec-Fetch-Site` (Fetch
 * Metadata), which they send to hosts with TLS and to loopback, and `Origin` (RFC 6454 §7) from those that do not know
 * it. A request with neither does not come from a browser's form.
 */
export function isFromOwnPage({ headers }: Request): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin');
  return origin !== null && URL.canParse(origin) && new URL(origin).host === headers.get('host');
}
