import { type HttpFilter, type Route, typeOf } from './envoy-config.ts';
import { flagIn, type JsonObject, listIn, objectIn, textIn } from './json-view.ts';

/** Paths that Postern's own HTTP listener serves: they authenticate their clients themselves. */
const OWN_PATHS = /^(\/oauth2(\/|$)|\/\.well-known\/oauth-authorization-server$)/;

/** The most specific setting of a filter for a route, without the wrapper that can switch it off; null without one. */
export function overrideOf(route: Route, filter: HttpFilter): JsonObject | null {
  return route.overrides.map((level) => level[filter.name]).find((level) => isObject(level)) ?? null;
}

/** Whether a filter does nothing for the requests of a route. */
export function isOff(route: Route, filter: HttpFilter): boolean {
  const override = overrideOf(route, filter);
  if (override === null) return filter.isDisabled;
  return (
    flagIn(override, 'disabled') || (typeOf(override) === 'FilterConfig' && flagIn(override, 'config', 'disabled'))
  );
}

/** The path or the beginning of one that a route matches; empty for other kinds of matches. */
export function matchedPath({ route }: Route): string {
  const match = objectIn(route, 'match');
  return textIn(match, 'prefix') ?? textIn(match, 'path') ?? textIn(match, 'path_separated_prefix') ?? '';
}

/** Whether a route is for what Postern's own HTTP listener serves. */
export function isOwn(route: Route): boolean {
  return OWN_PATHS.test(matchedPath(route));
}

/** The names of the clusters that a route leads to. */
export function clustersOf({ route }: Route): readonly string[] {
  const weighted = listIn(route, 'route', 'weighted_clusters', 'clusters').map((each) => textIn(each, 'name'));
  return [textIn(route, 'route', 'cluster'), ...weighted].filter((name) => name !== null);
}

/** Whether a route leads to a back end, and not to an answer of Envoy itself. */
export function leadsOn({ route }: Route): boolean {
  return !('redirect' in route) && !('direct_response' in route);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
