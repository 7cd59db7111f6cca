import { type HttpFilter, type Route, typeOf } from './envoy-config.ts';
import { flagIn, type JsonObject, objectIn, textIn } from './json-view.ts';

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

/** Whether a route leads to Postern's own HTTP listener. */
export function isOwn({ route }: Route): boolean {
  const match = objectIn(route, 'match');
  return OWN_PATHS.test(
    textIn(match, 'prefix') ?? textIn(match, 'path') ?? textIn(match, 'path_separated_prefix') ?? '',
  );
}

/** Whether a route leads to a back end, and not to an answer of Envoy itself. */
export function leadsOn({ route }: Route): boolean {
  return !('redirect' in route) && !('direct_response' in route);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
