import { findNearestName } from '../../document/nearest-name.ts';
import type { Place, ProblemLog } from '../../document/problem-log.ts';
import { quoted } from './finding.ts';

/** Finds an entity by a name or id that another one has; null, and a problem, when there is none: Kong refuses it too. */
export type FindByName<T> = (reference: string, place: Place, problems: ProblemLog, noun: string) => T | null;

/** References that lead nowhere beyond these are told without the nearest name, which takes a look at every name. */
const MAX_SUGGESTIONS = 20;

/** Finds entities by any of their names; of equal names the first. */
export function byName<T>(entities: readonly T[], namesOf: (entity: T) => readonly (string | null)[]): FindByName<T> {
  const known = new Map<string, T>();
  let suggestions = 0;
  for (const entity of entities) {
    for (const name of namesOf(entity)) if (name !== null && !known.has(name)) known.set(name, entity);
  }
  return (reference, place, problems, noun) => {
    const found = known.get(reference);
    if (found !== undefined) return found;
    problems.report(place, () => {
      suggestions += 1;
      const nearest = suggestions > MAX_SUGGESTIONS ? null : findNearestName(reference, [...known.keys()]);
      return `there is no ${noun} ${quoted(reference)} in this file${nearest === null ? '' : `; did you mean ${quoted(nearest)}?`}`;
    });
    return null;
  };
}
