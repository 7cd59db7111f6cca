import { fault, type Finding, findingsAbout } from '../../../base/finding.ts';
import { type JsonObject, objectIn, textIn } from '../../../model/document/json.ts';
import type { HttpManager } from './envoy-config.ts';
import { isOff, overrideOf, type PosternChain, serviceOf } from './filter-chain.ts';

/** Routes for which ext_authz asks another service: Envoy looks at the most specific `check_settings` only. */
export function inspectServices({ manager, checks, extAuthz }: PosternChain): readonly Finding[] {
  const own = serviceOf(objectIn(extAuthz.settings, 'grpc_service'));
  return manager.routes.flatMap((route) => {
    const check = checks.find((filter) => !isOff(route, filter));
    if (check === undefined) return [];
    const chosen = otherService(overrideOf(route, check));
    const found = findingsAbout(`${manager.name}: route ${route.name}`);
    found.faultIf(chosen !== null && (chosen.kind === 'http_service' || chosen.name !== own), {
      message: `check_settings.${chosen?.kind ?? ''} asks another service (${chosen?.name ?? ''}) here: Postern does not decide these requests`,
      advice: 'remove it from typed_per_filter_config; check_settings may name an endpoint',
    });
    return found.all;
  });
}

function otherService(settings: JsonObject | null): { readonly kind: string; readonly name: string } | null {
  const asked = objectIn(settings, 'check_settings');
  if ('grpc_service' in asked) return { kind: 'grpc_service', name: serviceOf(objectIn(asked, 'grpc_service')) };
  if (!('http_service' in asked)) return null;
  const name = textIn(asked, 'http_service', 'server_uri', 'cluster') ?? 'without a cluster';
  return { kind: 'http_service', name };
}

/** Says of listeners that ask over HTTP that this cannot be Postern. */
export function inspectHttpServices(managers: readonly HttpManager[]): readonly Finding[] {
  return managers
    .filter(({ filters }) => filters.some(({ type, settings }) => type === 'ExtAuthz' && 'http_service' in settings))
    .map(({ name }) => {
      const message =
        'http_service asks over HTTP, and Postern speaks gRPC: every request is refused, or another service decides';
      return fault(`${name}: ext_authz`, message, 'replace http_service by grpc_service, as in envoy.yaml');
    });
}
