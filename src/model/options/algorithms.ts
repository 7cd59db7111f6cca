import { alternatives } from '../document/fields.ts';
import { type Place, placeIn, type ProblemLog } from '../document/problem-log.ts';
import { readList, subjectOf } from '../document/read-mapping.ts';
import { hmacAlgorithms } from './hmac-algorithms.ts';
import { httpSignatureAlgorithms } from './http-signature-algorithms.ts';

/** The algorithms that endpoints of each method may take, by its name. */
export const algorithmsOfMethods = {
  hmac: hmacAlgorithms,
  'http-message-signature': httpSignatureAlgorithms,
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Algorithms = typeof algorithmsOfMethods;
/** An algorithm of any method. */
export type Algorithm = Algorithms[keyof Algorithms][number];
/** The algorithms of one method; any where it is not known. */
export type AlgorithmOf<M> = M extends keyof Algorithms ? Algorithms[M][number] : Algorithm;

/**
 * Reads the algorithms that an endpoint takes, each once, and at least one; of any method where that of the endpoint is
 * not known.
 */
export function readAlgorithms(
  raw: unknown,
  place: Place,
  problems: ProblemLog,
  method: string | null,
): readonly Algorithm[] {
  const list = readList(raw, place, problems);
  if (list?.length === 0) problems.report(place, '"algorithms" is empty; remove the key for the default');
  const all = algorithmsFor(method);
  const algorithms = new Set<Algorithm>();
  for (const [index, item] of (list ?? []).entries()) {
    const at = placeIn(place, index);
    const algorithm = all.find((known) => known === item);
    if (algorithm === undefined) problems.report(at, `${subjectOf(at.path)} must be ${alternatives(all)}`);
    else if (algorithms.has(algorithm)) problems.report(at, `"${algorithm}" appears twice in this list`);
    else algorithms.add(algorithm);
  }
  return [...algorithms];
}

function algorithmsFor(method: string | null): readonly Algorithm[] {
  const ofMethods: Readonly<Partial<Record<string, readonly Algorithm[]>>> = algorithmsOfMethods;
  return (method === null ? undefined : ofMethods[method]) ?? Object.values(algorithmsOfMethods).flat();
}
