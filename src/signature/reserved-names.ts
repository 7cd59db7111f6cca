import type { Span } from './parameters.ts';

/** The parameters that authentication itself reads (interface document, Authentication). */
export const RESERVED_NAMES = ['appKey', 'sign', 'apiTimestamp'] as const;
export type ReservedName = (typeof RESERVED_NAMES)[number];

const NAMES_BY_LENGTH: ReadonlyMap<number, ReservedName> = new Map(RESERVED_NAMES.map((name) => [name.length, name]));

/** Which reserved name a decoded parameter has; null for a parameter of the business. Names compare exactly. */
export function findReservedName(decoded: Buffer, span: Span): ReservedName | null {
  const candidate = NAMES_BY_LENGTH.get(span.nameEnd - span.start);
  if (candidate === undefined) return null;
  return decoded.toString('latin1', span.start, span.nameEnd) === candidate ? candidate : null;
}
