import type { DocumentPath } from '../../../model/document/problem.ts';
import type { RouteDecision } from './route-decision.ts';
import { orMade } from './plugins.ts';
import type { KongRoute } from './kong-entities.ts';
import type { MatchHost, MatchPath, RouteMatch } from './route-match.ts';

/** One host and one path of a route: what both gateways choose by. */
export interface MatchCell {
  readonly draft: EndpointDraft;
  readonly host: MatchHost;
  readonly path: MatchPath;
  /** Empty for any. */
  readonly methods: readonly string[];
  readonly rank: KongRank;
  /** Whether the endpoint of the route has it. */
  readonly isCarried: boolean;
}

/** A route on its way to an endpoint. */
export interface EndpointDraft {
  readonly id: string;
  readonly route: KongRoute;
  readonly match: RouteMatch;
  readonly decision: RouteDecision;
  /** Paths that the endpoint goes without: another one has them, or they are beyond what a store may have. */
  readonly droppedPaths: Set<MatchPath>;
  /** Refuses everything because it would take requests that Kong gives to a stricter route. */
  isClosed: boolean;
}

/** The paths that the endpoint of a draft has. */
export function carriedPaths({ match, droppedPaths }: EndpointDraft): readonly MatchPath[] {
  return match.isCarried ? match.paths.filter((path) => path.rule !== null && !droppedPaths.has(path)) : [];
}

/** Whether the document has an endpoint for a route. */
export function isEmitted(draft: EndpointDraft): boolean {
  return carriedPaths(draft).length > 0 && draft.match.hosts.some(({ isCarried }) => isCarried);
}

/** Where findings about what a route matches point to, from the route. */
export function pathOfMatch({ paths }: KongRoute): DocumentPath {
  return paths.length > 0 ? ['paths'] : [];
}

/** Every host and path of a draft. */
export function cellsOf(draft: EndpointDraft): readonly MatchCell[] {
  const { match, route, droppedPaths } = draft;
  return match.paths.flatMap((path) =>
    match.hosts.map((host) => ({
      draft,
      host,
      path,
      methods: match.methods,
      rank: kongRank(route, path),
      isCarried: match.isCarried && host.isCarried && path.rule !== null && !droppedPaths.has(path),
    })),
  );
}

/** Whether some request has a method that both take. */
export function shareMethods(a: MatchCell, b: MatchCell): boolean {
  return a.methods.length === 0 || b.methods.length === 0 || a.methods.some((method) => b.methods.includes(method));
}

/** Whether some host is taken by both. */
export function shareHosts({ host: a }: MatchCell, { host: b }: MatchCell): boolean {
  return (
    containsHost(a, b) ||
    containsHost(b, a) ||
    (!a.isCarried && b.isCarried ? meets(a, b) : !b.isCarried && meets(b, a))
  );
}

/** Whether every host of the second is one of the first. */
export function containsHost(outer: MatchHost, inner: MatchHost): boolean {
  if (!outer.isCarried) return false;
  if (outer.pattern === null) return true;
  if (!inner.isCarried || inner.pattern === null) return false;
  if (outer.pattern === inner.pattern) return true;
  return outer.pattern.startsWith('*.') && inner.pattern.endsWith(outer.pattern.slice(1));
}

/** Whether a host that is not carried may be one of the other's: it begins as a name, or the name is a wildcard. */
function meets({ prefix }: MatchHost, { pattern }: MatchHost): boolean {
  return pattern === null || pattern.startsWith('*.') || pattern.startsWith(prefix ?? '');
}

/** Where Kong puts one path of a route among all that match a request: compared number by number, the largest first. */
type KongRank = readonly number[];

/** The rank of routes by expression, and of those that are not known for sure: before all others. */
const EXPRESSION_WEIGHT = 99;

/**
 * Kong prefers routes with more kinds of conditions, then those whose hosts have no wildcard, then more headers,
 * regular expressions by priority, and longer paths (kong/router/transform.lua, get_priority). What is equal in all of
 * it is not ordered.
 */
function kongRank(route: KongRoute, path: MatchPath): KongRank {
  const { hosts, methods, paths, headerCount, otherConditions } = route;
  if (route.isDoubtful || otherConditions.includes('expression')) return [EXPRESSION_WEIGHT];
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

/** Finds cells by path, so that not every one has to be compared with every other. */
export interface PathIndex {
  /** All cells whose paths in Kong may meet those of an endpoint's rule. */
  meeting(comparable: string): Iterable<MatchCell>;
  /** All rules of endpoints that have this path, or one above it. */
  above(path: string): Iterable<MatchCell>;
}

/** Builds the index. Paths are short, so that their beginnings are few. */
export function pathIndex(cells: readonly MatchCell[]): PathIndex {
  const sorted = [...cells].sort(({ path: a }, { path: b }) =>
    a.literal < b.literal ? -1 : Number(a.literal > b.literal),
  );
  const byLiteral = groupBy(cells, ({ path }) => path.literal);
  const rules = cells.filter(({ isCarried }) => isCarried);
  const byRule = groupBy(rules, ({ path }) => path.rule?.comparable ?? '');
  return {
    *meeting(comparable) {
      for (let length = 1; length <= comparable.length; length += 1) {
        yield* byLiteral.get(comparable.slice(0, length)) ?? [];
      }
      for (let at = firstAbove(sorted, comparable); at < sorted.length; at += 1) {
        const cell = sorted[at];
        if (cell?.path.literal.startsWith(comparable) !== true) return;
        yield cell;
      }
    },
    *above(path) {
      yield* byRule.get('') ?? [];
      for (let slash = path.indexOf('/', 1); slash !== -1; slash = path.indexOf('/', slash + 1)) {
        yield* byRule.get(path.slice(0, slash)) ?? [];
      }
      if (path !== '') yield* byRule.get(path) ?? [];
    },
  };
}

/** The first cell whose literal is longer than this text and does not sort before it. */
function firstAbove(sorted: readonly MatchCell[], text: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.path.literal ?? '') <= text) low = middle + 1;
    else high = middle;
  }
  return low;
}

function groupBy(
  cells: readonly MatchCell[],
  keyOf: (cell: MatchCell) => string,
): ReadonlyMap<string, readonly MatchCell[]> {
  const groups = new Map<string, MatchCell[]>();
  for (const cell of cells) orMade(groups, keyOf(cell), (): MatchCell[] => []).push(cell);
  return groups;
}
