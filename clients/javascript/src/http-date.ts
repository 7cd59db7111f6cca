const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The milliseconds since 1970 of an HTTP date (RFC 9110 §5.6.7) as servers write it; null for anything else. */
export function parseHttpDate(text: string | null): number | null {
  if (text === null || !IMF_FIXDATE.test(text)) return null;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? null : milliseconds;
}
