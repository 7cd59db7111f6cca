import { type Endpoint, signatureMethods } from '../../../model/endpoint.ts';
import { type Finding, findingsAbout } from '../../../base/finding.ts';
import { flagIn, isJsonObject, objectIn, textIn } from '../../../model/document/json.ts';
import { parsePathRule } from '../../../check/receive/path.ts';
import { compileEndpointTable } from '../../../check/route/endpoint-table.ts';
import type { Route } from './envoy-config.ts';
import { isOff, isOwn, leadsOn, overrideOf, type PosternChain, saysDeliberate } from './filter-chain.ts';

/**
 * Routes on which Postern sees no bodies, above endpoints that verify them: one that is announced by a length is
 * refused there, and one without only where the route says to Postern that it streams; it reaches the back end
 * unverified otherwise. `endpoints`: those of the store; null when they are unknown.
 */
export function inspectStreaming(chain: PosternChain, endpoints: readonly Endpoint[] | null): readonly Finding[] {
  const verifying = (endpoints ?? []).filter(
    ({ enabled, authentication }) => enabled && verifiesBodies(authentication),
  );
  return chain.manager.routes
    .filter((route) => !isOwn(route) && leadsOn(route) && streams(chain, route))
    .flatMap((route) => {
      const found = findingsAbout(`${chain.manager.name}: route ${route.name}`);
      const below = verifying.filter((endpoint) => isBelow(endpoint, route, endpoints ?? [])).map(({ id }) => id);
      const [s, verify] = below.length === 1 ? ['', 'verifies'] : ['s', 'verify'];
      const isDeclared = contextOf(route, 'body') !== null;
      const outcome = isDeclared
        ? 'it refuses every request there with 413, but those with content-length: 0'
        : 'one without a length (chunked, or over HTTP/2) reaches the back end unverified';
      found.faultIf(below.length > 0, {
        message: `endpoint${s} ${below.join(', ')} ${verify} bodies, and Postern sees none here: ${outcome}`,
        advice: 'let such endpoints have a route with the buffer, and stream only to open, key and oauth2 endpoints',
      });
      found.warnIf(below.length === 0 && saysDeliberate(route) && !isDeclared, {
        message:
          'Postern sees no bodies here, on purpose: to a method that verifies bodies, one without a length (chunked, or over HTTP/2) reaches the back end unverified',
        advice:
          'add body: streamed to the context_extensions of its check_settings: methods that verify bodies then refuse there',
      });
      return found.all;
    });
}

function verifiesBodies(authentication: Endpoint['authentication']): boolean {
  return signatureMethods.some((method) => method === authentication);
}

/** Whether no buffer holds bodies back on a route, and Postern does not get them. */
function streams({ checks, buffer }: PosternChain, route: Route): boolean {
  const check = checks.find((filter) => !isOff(route, filter));
  if (check === undefined || (buffer !== null && !isOff(route, buffer))) return false;
  return flagIn(overrideOf(route, check), 'check_settings', 'disable_request_body_buffering');
}

/** Whether an endpoint may decide about a request of a route; doubt counts as yes. */
function isBelow(endpoint: Endpoint, route: Route, endpoints: readonly Endpoint[]): boolean {
  const named = contextOf(route, 'endpoint');
  if (named !== null) return named === endpoint.id;
  const { hosts, paths, methods } = endpoint.match;
  if (hosts.length > 0 && !hosts.some((host) => route.domains.some((domain) => mayMeet(host, domain)))) return false;
  const match = objectIn(route.route, 'match');
  const exact = textIn(match, 'path');
  const start = exact ?? textIn(match, 'prefix') ?? textIn(match, 'path_separated_prefix') ?? '/';
  return paths.some((rule) => {
    const parsed = parsePathRule(rule);
    if ('reason' in parsed) return true;
    const { kind, comparable } = parsed;
    if (exact === null && comparable.startsWith(start.replace(/\/$/, ''))) return true;
    if (exact !== null && comparable === exact) return true;
    if (kind === 'exact' || !`${start}/`.startsWith(`${comparable}/`)) return false;
    // A wider endpoint gets only what no other one takes.
    const host = hosts[0]?.replace(/^\*/, 'any') ?? 'any.invalid';
    const found = compileEndpointTable(endpoints).find(host, start.replace(/(.)\/$/, '$1'), methods[0] ?? 'POST');
    return found?.id === endpoint.id;
  });
}

/** What a route says to Postern under a name, as the most specific level has it. */
function contextOf({ overrides }: Route, name: 'endpoint' | 'body'): string | null {
  for (const level of overrides) {
    for (const settings of Object.values(level).filter(isJsonObject)) {
      const text = textIn(settings, 'check_settings', 'context_extensions', name);
      if (text !== null) return text;
    }
  }
  return null;
}

/** Whether some host fits both an endpoint's pattern (`*.example.com`) and a domain of Envoy (also `api.*`). */
function mayMeet(host: string, domain: string): boolean {
  const name = domain.toLowerCase().replace(/:\d+$/, '');
  if (name === '*' || name.endsWith('*')) return true;
  const [mine, other] = [host.toLowerCase().replace(/^\*/, ''), name.replace(/^\*/, '')];
  return host.startsWith('*') || name.startsWith('*') ? mine.endsWith(other) || other.endsWith(mine) : mine === other;
}
