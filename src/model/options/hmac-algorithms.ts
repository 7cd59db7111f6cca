import { alternatives } from '../document/fields.ts';
import { type Place, placeIn, type ProblemLog } from '../document/problem-log.ts';
import { readList, subjectOf } from '../document/read-mapping.ts';

/** The algorithms of HMAC signatures (spec §3.2). */
export const hmacAlgorithms = ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'] as const;
export type HmacAlgorithm = (typeof hmacAlgorithms)[number];

/** Reads the algorithms that an endpoint takes, each once, and at least one. */
export function readAlgorithms(raw: unknown, place: Place, problems: ProblemLog): readonly HmacAlgorithm[] {
  const list = readList(raw, place, problems);
  if (list?.length === 0) problems.report(place, '"algorithms" is empty; remove the key for hmac-sha256');
  const algorithms = new Set<HmacAlgorithm>();
  for (const [index, item] of (list ?? []).entries()) {
    const at = placeIn(place, index);
    const algorithm = hmacAlgorithms.find((known) => known === item);
    if (algorithm === undefined) problems.report(at, `${subjectOf(at.path)} must be ${alternatives(hmacAlgorithms)}`);
    else if (algorithms.has(algorithm)) problems.report(at, `"${algorithm}" appears twice in this list`);
    else algorithms.add(algorithm);
  }
  return [...algorithms];
}
