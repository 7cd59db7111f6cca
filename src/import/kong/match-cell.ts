import type { RouteDecision } from './decide-route.ts';
import type { KongRoute } from './kong-entities.ts';
import { type KongRank, kongRank } from './kong-order.ts';
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
  /** Paths that another endpoint has instead. */
  readonly droppedPaths: Set<MatchPath>;
  /** Refuses everything because it would take requests that Kong gives to a stricter route. */
  isClosed: boolean;
}

/** The paths that the endpoint of a draft has. */
export function carriedPaths({ match, droppedPaths }: EndpointDraft): readonly MatchPath[] {
  return match.isCarried ? match.paths.filter((path) => path.rule !== null && !droppedPaths.has(path)) : [];
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
