import type { Limit } from '../../model/limit.ts';

/** A limit in the form in which it is given: `100/minute/consumer`. */
export function formatLimit({ requests, unit, per }: Limit): string {
  return `${String(requests)}/${unit}/${per}`;
}

/** Limits in a cell of a table; `-` for none. */
export function formatLimits(limits: readonly Limit[]): string {
  return limits.length === 0 ? '-' : limits.map(formatLimit).join(', ');
}

/** The limits of a grant in a cell: its own, those of the endpoint, or that it has none. */
export function formatGrantLimits(limits: readonly Limit[] | null): string {
  if (limits === null) return 'as the endpoint';
  return limits.length === 0 ? 'none' : limits.map(({ requests, unit }) => `${String(requests)}/${unit}`).join(', ');
}
