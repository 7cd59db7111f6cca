import type { KongRoute } from './kong-entities.ts';
import type { MatchPath } from './route-match.ts';

/** Where Kong puts one path of a route among all that match a request: compared number by number, the largest first. */
export type KongRank = readonly number[];

/** The rank of routes by expression: before all others. */
const EXPRESSION_WEIGHT = 99;

/**
 * Kong prefers routes with more kinds of conditions, then those whose hosts have no wildcard, then more headers, regular
 * expressions by priority, and longer paths (kong/router/transform.lua, get_priority). What is equal in all of it is not
 * ordered.
 */
export function kongRank(route: KongRoute, path: MatchPath): KongRank {
  const { hosts, methods, paths, headerCount, otherConditions } = route;
  if (otherConditions.includes('expression')) return [EXPRESSION_WEIGHT];
  const weight =
    Number(hosts.length > 0) + Number(methods.length > 0) + Number(paths.length > 0) + otherConditions.length;
  const isPlainHost = hosts.length > 0 && hosts.every((host) => !host.includes('*'));
  return [
    weight,
    Number(isPlainHost),
    headerCount,
    Number(path.isRegex),
    path.isRegex ? route.regexPriority : 0,
    path.length,
  ];
}

/** Whether Kong surely prefers the first of two that match the same request. */
export function isPreferred(first: KongRank, second: KongRank): boolean {
  for (let index = 0; index < Math.max(first.length, second.length); index += 1) {
    const difference = (first[index] ?? 0) - (second[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
