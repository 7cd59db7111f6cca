import type { Endpoint } from '../model/endpoint.ts';
import type { Grant } from '../model/grant.ts';
import { findMatchCollisions } from '../route/collisions.ts';
import { ID_PATTERN } from '../document/fields.ts';
import { findNearestName } from '../document/nearest-name.ts';
import { describePlace, type Place, placeIn, type ProblemLog } from '../document/problem-log.ts';

/** Something with an id, faulty or not: a reference to a faulty one is not a second problem. */
export interface Declared {
  readonly id: string;
  readonly place: Place;
}

/** Reports every id but the first of equal ones; gives the ids with the place of the first. */
export function checkUniqueIds(declared: readonly Declared[], noun: string, problems: ProblemLog): Map<string, Place> {
  const firsts = new Map<string, Place>();
  for (const { id, place } of declared) {
    const first = firsts.get(id);
    if (first === undefined) firsts.set(id, place);
    else {
      const word = (): string =>
        `${ID_PATTERN.test(id) ? `the id "${id}"` : 'this id'} is taken by the ${noun} on ${describePlace(first, place)}`;
      problems.report(placeIn(place, 'id'), word);
    }
  }
  return firsts;
}

/** Reports every App Key but the first of equal ones, whatever the methods, without repeating it: it may be a secret. */
export function checkUniqueAppKeys(keys: readonly { appKeyHash: string; place: Place }[], problems: ProblemLog): void {
  const firsts = new Map<string, Place>();
  for (const { appKeyHash, place } of keys) {
    const first = firsts.get(appKeyHash);
    if (first === undefined) firsts.set(appKeyHash, place);
    else {
      const word = (): string =>
        `the credential on ${describePlace(first, place)} has this App Key already; an App Key belongs to one credential`;
      problems.report(placeIn(place, 'appKey'), word);
    }
  }
}

/** Dangling references beyond these are told without the nearest known id, which takes a look at every id. */
const MAX_SUGGESTIONS = 20;

/** What references may lead to. */
export interface KnownIds {
  has(id: string): boolean;
  keys(): Iterable<string>;
}

/** Reports references that lead nowhere. */
export function checkReferences(
  grants: readonly { readonly grant: Grant; readonly place: Place }[],
  endpoints: KnownIds,
  consumers: KnownIds,
  problems: ProblemLog,
): void {
  let suggestions = 0;
  const checkReference = (noun: string, id: string, known: KnownIds, place: Place): void => {
    if (known.has(id)) return;
    const word = (): string => {
      suggestions += 1;
      const nearest = suggestions > MAX_SUGGESTIONS ? null : findNearestName(id, wellFormed(known));
      const advice = nearest === null ? '' : `; did you mean ${JSON.stringify(nearest)}?`;
      return `there is no ${noun} ${JSON.stringify(id)}${advice}`;
    };
    problems.report(placeIn(place, noun), word, { absentFrom: 'document' });
  };
  for (const { grant, place } of grants) {
    checkReference('endpoint', grant.endpointId, endpoints, place);
    checkReference('consumer', grant.consumerId, consumers, place);
  }
}

/** Faulty ids are not repeated. */
function wellFormed(known: KnownIds): readonly string[] {
  return [...known.keys()].filter((id) => ID_PATTERN.test(id));
}

/** Reports second grants for the same endpoint and consumer. */
export function checkUniqueGrants(
  grants: readonly { readonly grant: Grant; readonly place: Place }[],
  problems: ProblemLog,
): void {
  const firsts = new Map<string, Place>();
  for (const { grant, place } of grants) {
    const pair = `${grant.endpointId} ${grant.consumerId}`;
    const first = firsts.get(pair);
    if (first === undefined) firsts.set(pair, place);
    else {
      const word = (): string =>
        `the grant on ${describePlace(first, place)} has the same endpoint and consumer; keep one`;
      problems.report(place, word);
    }
  }
}

/** Reports endpoints that claim the same requests as one before them, disabled ones too (spec §2.3). */
export function checkCollisions(
  endpoints: readonly { readonly endpoint: Endpoint; readonly place: Place }[],
  problems: ProblemLog,
): void {
  const places = new Map(endpoints.map(({ endpoint, place }) => [endpoint, place]));
  for (const { first, second, rule } of findMatchCollisions(endpoints.map(({ endpoint }) => endpoint))) {
    const firstPlace = places.get(first);
    const place = places.get(second);
    if (firstPlace === undefined || place === undefined) continue;
    const word = (): string =>
      `this takes the same requests as the endpoint "${first.id}" on ${describePlace(firstPlace, place)} (${rule}); change one of them`;
    problems.report(placeIn(place, 'match'), word);
  }
}
