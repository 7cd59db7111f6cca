import { type Finding, findingsAbout } from '../../../base/finding.ts';
import { flagIn } from '../../../model/document/json.ts';
import type { Route } from './envoy-config.ts';
import {
  clustersOf,
  isOff,
  isOwn,
  isUsed,
  leadsOn,
  matchedPath,
  overrideOf,
  type PosternChain,
  posternCluster,
  readGuard,
  saysDeliberate,
} from './filter-chain.ts';

/** Routes that go around a filter of the chain. */
export function inspectRoutes(chain: PosternChain): readonly Finding[] {
  return [...chain.manager.routes.flatMap((route) => inspectRoute(chain, route)), ...inspectOwnRoutes(chain)];
}

/**
 * The routes to Postern's HTTP listener, where ext_authz and the guard must be off, and which must lead nowhere else.
 */
function inspectOwnRoutes(chain: PosternChain): readonly Finding[] {
  const { manager, checks, guard } = chain;
  const own = manager.routes.filter((route) => isOwn(route) && leadsOn(route));
  const advice = 'copy the routes /oauth2/ and /.well-known/oauth-authorization-server from envoy.yaml';
  const missing = ['/oauth2/', '/.well-known/oauth-authorization-server'].filter(
    (path) =>
      !own.some((route) =>
        path === '/oauth2/' ? matchedPath(route).startsWith('/oauth2') : matchedPath(route) === path,
      ),
  );
  const found = findingsAbout(`${manager.name}: OAuth2 routes`);
  found.warnIf(manager.routes.length > 0 && missing.length > 0, {
    message: `no route leads ${missing.join(' and ')} to Postern's HTTP listener: partners get no OAuth2 tokens`,
    advice: `${advice}; without oauth2 endpoints leave it so`,
  });
  const others = new Set(manager.routes.filter((route) => !isOwn(route) && leadsOn(route)).flatMap(clustersOf));
  const passed = guard === null ? [] : readGuard(guard).clusters;
  for (const route of own) {
    const here = findingsAbout(`${manager.name}: route ${route.name}`);
    const clusters = clustersOf(route);
    const isUnchecked = checks.every((filter) => isOff(route, filter));
    const isUnguarded = guard === null || isOff(route, guard) || clusters.every((cluster) => passed.includes(cluster));
    here.faultIf(isUnchecked && clusters.some((cluster) => others.has(cluster) || cluster === posternCluster(chain)), {
      message: `it leads to ${clusters.join(', ')}, where other routes lead too: with ext_authz off its requests are not checked`,
      advice: 'let it lead to the cluster of POSTERN_HTTP_ADDRESS, and to nothing else',
    });
    here.warnIf(!isUnchecked || !isUnguarded, {
      message: isUnchecked
        ? 'the guard is on here: partners get 503 instead of OAuth2 tokens'
        : 'ext_authz is on here: partners get 404 instead of OAuth2 tokens',
      advice,
    });
    found.all.push(...here.all);
  }
  return found.all;
}

function inspectRoute(chain: PosternChain, route: Route): readonly Finding[] {
  const { checks, buffer, unwraps, guard } = chain;
  if (isOwn(route) || !leadsOn(route)) return [];
  const found = findingsAbout(`${chain.manager.name}: route ${route.name}`);
  const check = checks.find((filter) => !isOff(route, filter));
  // One that is off everywhere is reported once, with the chain.
  const isUnchecked = check === undefined && checks.some((filter) => isUsed(chain.manager, filter));
  const isUnguarded = guard === null || (isUsed(chain.manager, guard) && isOff(route, guard));
  const isDeliberate = saysDeliberate(route);
  const isOpen = isUnchecked && isUnguarded;
  found.faultIf(isOpen && !isDeliberate, {
    message:
      'ext_authz and the guard are switched off here: its requests reach the back end unchecked, with any identity header',
    advice: `remove both from typed_per_filter_config, make it an open endpoint of Postern, or ${SAY_DELIBERATE}`,
  });
  found.warnIf(isOpen && isDeliberate, {
    message: 'ext_authz and the guard are switched off here on purpose: its requests reach the back end unchecked',
    advice: 'see that the back end does not believe the identity headers of such requests',
  });
  found.warnIf(isUnchecked && !isUnguarded, {
    message: 'ext_authz is switched off here: the guard refuses all of its requests with 503',
    advice: 'remove ext_authz from typed_per_filter_config, or make it an open endpoint of Postern',
  });
  found.faultIf(!isUnchecked && isUnguarded && guard !== null, {
    message: 'the guard is switched off here: a wrapper with App Key and signature can reach the back end',
    advice: 'remove the guard from typed_per_filter_config',
  });
  const areUnwraps = unwraps.some((filter) => isUsed(chain.manager, filter));
  found.warnIf(areUnwraps && unwraps.every((filter) => isOff(route, filter)), {
    message: 'the unwrap script is switched off here: JSON wrappers get 503',
    advice: 'leave it on; in a policy of a route for Envoy Gateway, list it before your own scripts',
  });
  const isUnbuffered = buffer !== null && isUsed(chain.manager, buffer) && isOff(route, buffer);
  const isStreamed =
    check !== undefined && flagIn(overrideOf(route, check), 'check_settings', 'disable_request_body_buffering');
  found.faultIf(isUnbuffered && !(isDeliberate && (isStreamed || check === undefined)), {
    message: 'the buffer filter is switched off here: the end of an HTTP/2 body can reach the back end unchecked',
    advice: `leave it on and raise its limit for the route, or set disable_request_body_buffering and ${SAY_DELIBERATE}`,
  });
  found.warnIf(isStreamed && buffer !== null && !isOff(route, buffer), {
    message: 'request bodies are not sent to Postern here: methods that verify bodies refuse every one (413)',
    advice: 'remove disable_request_body_buffering, unless only key or oauth2 endpoints are behind it',
  });
  return found.all;
}

const SAY_DELIBERATE = 'say in its metadata that it is deliberate (docs/doctor.md)';
