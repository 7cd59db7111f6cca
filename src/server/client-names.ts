import type { X509Certificate } from 'node:crypto';

/** One name of the text of all: `DNS:a.example.com`, `URI:spiffe://…`; Node quotes values with special characters as JSON does. */
const NAME = /([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/y;

/**
 * Whether a certificate is for one of these names: DNS names and URIs, compared as they are with its subject alternative
 * names (RFC 5280 §4.2.1.6), without wildcards and without its common name. What cannot be read is for nobody.
 */
export function isForOneOf(certificate: X509Certificate | undefined, names: readonly string[]): boolean {
  const held = namesOf(certificate?.subjectAltName ?? '');
  return names.some((name) => held.has(name.includes('://') ? `URI:${name}` : `DNS:${name.toLowerCase()}`));
}

function namesOf(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  NAME.lastIndex = 0;
  while (NAME.lastIndex < text.length) {
    const match = NAME.exec(text);
    if (match === null) return new Set();
    const [, kind = '', value = ''] = match;
    // What Node quotes holds what no name of ours can.
    if (!value.startsWith('"')) names.add(`${kind}:${kind === 'DNS' ? value.toLowerCase() : value}`);
  }
  return names;
}
