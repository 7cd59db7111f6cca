import type { Endpoint } from '../model/endpoint.ts';
import { type Grant, type GroupGrant, isGroupGrant, rankOf } from '../model/grant.ts';
import type { Issuer } from '../model/issuer.ts';
import type { Material } from '../model/material.ts';
import type { Plan } from '../model/plan.ts';
import { grantId } from './grant.ts';
import { describeKnownBy } from './known-by.ts';
import { findMatchCollisions } from '../check/route/collisions.ts';
import { ID_PATTERN } from '../model/document/fields.ts';
import { findNearestName } from '../model/document/nearest-name.ts';
import {
  describePlace,
  type Place,
  type Placed,
  placeIn,
  type ProblemLog,
  reportRepeated,
} from '../model/document/problem-log.ts';

/** Something with an id, faulty or not: a reference to a faulty one is not a second problem. */
export interface Declared {
  readonly id: string | null;
  readonly place: Place;
}

/** Reports every id but the first of equal ones; gives the ids with the place of the first. */
export function checkUniqueIds(declared: readonly Declared[], noun: string, problems: ProblemLog): Map<string, Place> {
  const describe = ({ id }: Declared, first: string): string =>
    `${ID_PATTERN.test(id ?? '') ? `the id "${id ?? ''}"` : 'this id'} is taken by the ${noun} on ${first}`;
  return reportRepeated(declared, ({ id }) => id, 'id', describe, problems);
}

/**
 * Reports every App Key but the first of equal ones, whatever the methods, without repeating a possible secret; of
 * credentials without one, what they are known by.
 */
export function checkUniqueAppKeys(
  credentials: readonly {
    readonly appKeyHash: string | null;
    readonly value: { readonly material: Material<unknown> } | null;
    readonly place: Place;
  }[],
  problems: ProblemLog,
): void {
  const describe = ({ value }: (typeof credentials)[number], first: string): string => {
    const knownBy = value === null ? null : describeKnownBy(value.material);
    return knownBy === null
      ? `the credential on ${first} has this App Key already; an App Key belongs to one credential`
      : `the credential on ${first} is known by ${knownBy} already; no two credentials are known by the same`;
  };
  reportRepeated(credentials, ({ appKeyHash }) => appKeyHash, 'appKey', describe, problems);
}

/**
 * Reports second grants for the same endpoint and consumer or group, and second priorities on one endpoint: which of
 * two grants counts must never be open (spec §1).
 */
export function checkUniqueGrants(grants: readonly Placed<Grant>[], problems: ProblemLog): void {
  const describe = ({ value }: Placed<Grant>, first: string): string =>
    `the grant on ${first} has the same endpoint and ${isGroupGrant(value) ? 'consumerSelector' : 'consumer'}; keep one`;
  const firsts = reportRepeated(grants, ({ value }) => grantId(value), null, describe, problems);
  const groups = grants.filter((each): each is Placed<GroupGrant> => isGroupGrant(each.value));
  const unique = groups.filter(({ value, place }) => firsts.get(grantId(value)) === place);
  const describeRank = (_: unknown, first: string): string =>
    `the grant on ${first} has the same endpoint and priority; of the grants that fit a consumer the highest priority counts: give each another one`;
  reportRepeated(unique, ({ value }) => rankOf(value), 'priority', describeRank, problems);
}

/** Reports second priorities of plans: which of two plans counts must never be open (spec §1). */
export function checkUniquePriorities(plans: readonly Placed<Plan>[], problems: ProblemLog): void {
  const describe = (_: unknown, first: string): string =>
    `the plan on ${first} has the same priority; of the plans that cover a request the highest priority counts: give each another one`;
  reportRepeated(plans, ({ value }) => String(value.priority), 'priority', describe, problems);
}

/** Reports second issuers with the same `iss`: by which of them a token counts must never be open (spec §1). */
export function checkUniqueIssuers(issuers: readonly Placed<Issuer>[], problems: ProblemLog): void {
  const describe = (_: unknown, first: string): string =>
    `the issuer on ${first} has the same "issuer"; one is enough for all its consumers: keep one`;
  reportRepeated(issuers, ({ value }) => value.issuer, 'issuer', describe, problems);
}

/** Dangling references beyond these are reported without the nearest known id, whose search looks at every id. */
const MAX_SUGGESTIONS = 20;

/** What references may lead to, by id. */
export type KnownIds = Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'>;

/** Reports references that lead nowhere. */
export function checkReferences(
  grants: readonly Placed<Grant>[],
  endpoints: KnownIds,
  consumers: KnownIds,
  problems: ProblemLog,
): void {
  const checkReference = referenceChecker(problems);
  for (const { value, place } of grants) {
    checkReference('endpoint', value.endpointId, endpoints, placeIn(place, 'endpoint'));
    if (!isGroupGrant(value)) checkReference('consumer', value.consumerId, consumers, placeIn(place, 'consumer'));
  }
}

/** Reports endpoints that plans list and that are not there. */
export function checkPlanReferences(plans: readonly Placed<Plan>[], endpoints: KnownIds, problems: ProblemLog): void {
  const checkReference = referenceChecker(problems);
  for (const { value, place } of plans) {
    for (const [index, id] of (value.endpointIds ?? []).entries()) {
      checkReference('endpoint', id, endpoints, placeIn(place, 'endpoints', index));
    }
  }
}

/** Reports each reference that leads nowhere, the first with the nearest known id. */
export function referenceChecker(
  problems: ProblemLog,
): (noun: string, id: string, known: KnownIds, place: Place) => void {
  let suggestions = 0;
  return (noun, id, known, place) => {
    if (known.has(id)) return;
    const describe = (): string => {
      suggestions += 1;
      // Faulty ids are not repeated.
      const candidates = suggestions > MAX_SUGGESTIONS ? [] : [...known.keys()].filter((each) => ID_PATTERN.test(each));
      const nearest = findNearestName(id, candidates);
      const advice = nearest === null ? '' : `; did you mean ${JSON.stringify(nearest)}?`;
      return `there is no ${noun} ${JSON.stringify(id)}${advice}`;
    };
    problems.reportMissing(place, describe, 'document');
  };
}

/** Reports endpoints that claim the same requests as one before them, disabled ones too (spec §2.3). */
export function checkCollisions(endpoints: readonly Placed<Endpoint>[], problems: ProblemLog): void {
  const places = new Map(endpoints.map(({ value, place }) => [value, place]));
  for (const { first, second, rule } of findMatchCollisions(endpoints.map(({ value }) => value))) {
    const firstPlace = places.get(first);
    const place = places.get(second);
    if (firstPlace === undefined || place === undefined) continue;
    const describe = (): string =>
      `this takes the same requests as the endpoint "${first.id}" on ${describePlace(firstPlace, place)} (${rule}); change one of them`;
    problems.report(placeIn(place, 'match'), describe);
  }
}
