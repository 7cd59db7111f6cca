import { fault, type Finding, warning } from '../../finding.ts';
import { typeOf, type Route } from '../envoy-config.ts';
import type { PosternChain } from '../filter-chain.ts';
import { flagIn, type JsonObject, objectIn, textIn } from '../json-view.ts';

/** Paths that Postern's own HTTP listener serves: they authenticate their clients themselves. */
const OWN_PATHS = /^(\/oauth2(\/|$)|\/\.well-known\/oauth-authorization-server$)/;

const IDENTITY_HEADER = /^x[-_](consumer|credential|authenticated)[-_]/i;

/** Routes that go around a filter of the chain. */
export function inspectRoutes(chain: PosternChain): readonly Finding[] {
  return chain.manager.routes.flatMap((route) => inspectRoute(chain, route));
}

function inspectRoute(chain: PosternChain, route: Route): readonly Finding[] {
  const subject = `${chain.manager.name}: route ${route.name}`;
  const { extAuthz, buffer, unwrap, guard } = chain;
  if (isOwn(route) || 'redirect' in route.route || 'direct_response' in route.route) return [];
  const findings: Finding[] = [];
  const isUnchecked = isOff(route, extAuthz.name);
  const isUnguarded = guard === null || isOff(route, guard.name);
  if (isUnchecked && isUnguarded) {
    findings.push(
      fault(
        subject,
        'ext_authz and the guard are switched off here: its requests reach the back end unchecked, with any identity header',
        'remove both from typed_per_filter_config, or make it an open endpoint of Postern',
      ),
    );
  } else if (isUnchecked) {
    findings.push(
      warning(
        subject,
        'ext_authz is switched off here: the guard refuses all of its requests with 503',
        'remove ext_authz from typed_per_filter_config, or make it an open endpoint of Postern',
      ),
    );
  } else if (isUnguarded && guard !== null) {
    findings.push(
      fault(
        subject,
        'the guard is switched off here: a wrapper with App Key and signature can reach the back end',
        'remove the guard from typed_per_filter_config',
      ),
    );
  }
  if (unwrap !== null && isOff(route, unwrap.name)) {
    findings.push(warning(subject, 'the unwrap script is switched off here: JSON wrappers get 503', 'leave it on'));
  }
  if (buffer !== null && isOff(route, buffer.name)) {
    findings.push(
      fault(
        subject,
        'the buffer filter is switched off here: the end of an HTTP/2 body can reach the back end unchecked',
        'leave it on; raise its limit for the route instead',
      ),
    );
  }
  if (flagIn(overrideOf(route, extAuthz.name), 'check_settings', 'disable_request_body_buffering')) {
    findings.push(
      warning(
        subject,
        'request bodies are not sent to Postern here: methods that verify bodies refuse every one (413)',
        'remove disable_request_body_buffering, unless only key or oauth2 endpoints are behind it',
      ),
    );
  }
  if (route.headersToRemove.some((header) => IDENTITY_HEADER.test(header))) {
    findings.push(
      fault(
        subject,
        'request_headers_to_remove takes away the identity headers that Postern set: the back end does not learn who calls',
        'remove them in early_header_mutation_extensions instead, before Postern is asked',
      ),
    );
  }
  return findings;
}

function isOwn({ route }: Route): boolean {
  const match = objectIn(route, 'match');
  return OWN_PATHS.test(
    textIn(match, 'prefix') ?? textIn(match, 'path') ?? textIn(match, 'path_separated_prefix') ?? '',
  );
}

/** The most specific setting of a filter for a route, without the wrapper that can switch it off. */
function overrideOf(route: Route, filter: string): JsonObject {
  const found = route.overrides.map((level) => objectIn(level, filter)).find((level) => Object.keys(level).length > 0);
  return found ?? {};
}

function isOff(route: Route, filter: string): boolean {
  const override = overrideOf(route, filter);
  return (
    flagIn(override, 'disabled') || (typeOf(override) === 'FilterConfig' && flagIn(override, 'config', 'disabled'))
  );
}
