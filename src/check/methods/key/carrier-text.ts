import type { KeyCarrier } from '../../../model/endpoint.ts';

/** The forms of a carrier in one word. */
export const carrierForms = ['header:NAME', 'header:NAME:SCHEME', 'query:NAME'] as const;

/**
 * Reads a carrier in one word; null for another form. Only its names are left to check. No name of a header holds a
 * colon, so the second one ends it.
 */
export function parseCarrier(text: string): KeyCarrier | null {
  const [kind, name, ...rest] = text.split(':');
  if (name === undefined) return null;
  if (kind === 'query') return { query: [name, ...rest].join(':') };
  if (kind !== 'header') return null;
  return rest.length === 0 ? { header: name } : { header: name, scheme: rest.join(':') };
}

/** A carrier in the form that {@link parseCarrier} reads. */
export function formatCarrier(carrier: KeyCarrier): string {
  if ('query' in carrier) return `query:${carrier.query}`;
  return `header:${carrier.header}${carrier.scheme === undefined ? '' : `:${carrier.scheme}`}`;
}
