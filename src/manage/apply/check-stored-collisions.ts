import type { Placed } from '../../resources/parse-document.ts';
import { placeIn, type ProblemLog } from '../../document/problem-log.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { findMatchCollisions } from '../../route/collisions.ts';

/** Reports declared endpoints that claim the same requests as stored ones which the document does not name (spec §2.3). */
export function checkStoredCollisions(
  declared: readonly Placed<Endpoint>[],
  stored: readonly Endpoint[],
  problems: ProblemLog,
): void {
  const places = new Map(declared.map(({ value, place }) => [value.id, place]));
  const others = stored.filter(({ id }) => !places.has(id));
  for (const { first, second, rule } of findMatchCollisions([...others, ...declared.map(({ value }) => value)])) {
    const place = places.get(second.id);
    if (place === undefined) continue;
    const word = `this takes the same requests as the endpoint "${first.id}" in the store (${rule}); change one of them`;
    problems.report(placeIn(place, 'match'), word);
  }
}
