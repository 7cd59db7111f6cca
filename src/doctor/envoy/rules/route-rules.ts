import { fault, type Finding, warning } from '../../finding.ts';
import type { HttpFilter, Route } from '../envoy-config.ts';
import type { PosternChain } from '../filter-chain.ts';
import { flagIn } from '../json-view.ts';
import { isOff, isOwn, leadsOn, overrideOf } from '../route-filters.ts';

const IDENTITY_HEADER = /^x[-_](consumer|credential|authenticated)[-_]/i;

/** Routes that go around a filter of the chain. */
export function inspectRoutes(chain: PosternChain): readonly Finding[] {
  return chain.manager.routes.flatMap((route) => inspectRoute(chain, route));
}

function inspectRoute(chain: PosternChain, route: Route): readonly Finding[] {
  const subject = `${chain.manager.name}: route ${route.name}`;
  const { checks, buffer, unwrap, guard } = chain;
  if (isOwn(route) || !leadsOn(route)) return [];
  const findings: Finding[] = [];
  const check = checks.find((filter) => !isOff(route, filter));
  // One that is off everywhere is told of once, with the chain.
  const isUnchecked = check === undefined && checks.some((filter) => isUsed(chain, filter));
  const isUnguarded = guard === null || (isUsed(chain, guard) && isOff(route, guard));
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
  if (unwrap !== null && isUsed(chain, unwrap) && isOff(route, unwrap)) {
    findings.push(warning(subject, 'the unwrap script is switched off here: JSON wrappers get 503', 'leave it on'));
  }
  if (buffer !== null && isUsed(chain, buffer) && isOff(route, buffer)) {
    findings.push(
      fault(
        subject,
        'the buffer filter is switched off here: the end of an HTTP/2 body can reach the back end unchecked',
        'leave it on; raise its limit for the route instead',
      ),
    );
  }
  if (check !== undefined && flagIn(overrideOf(route, check), 'check_settings', 'disable_request_body_buffering')) {
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

/** Whether a filter is on for any request at all. */
function isUsed({ manager }: PosternChain, filter: HttpFilter): boolean {
  return !filter.isDisabled || manager.routes.some((route) => !isOff(route, filter));
}
