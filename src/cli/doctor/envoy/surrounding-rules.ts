import { type Finding, findingsAbout, warning } from '../../../base/finding.ts';
import { flagIn, isJsonObject, type JsonObject, listIn, objectIn } from '../../../model/document/json.ts';
import type { EnvoyConfig, HttpFilter } from './envoy-config.ts';
import { clustersOf, isBefore, isOff, isOwn, isUsed, leadsOn, type PosternChain } from './filter-chain.ts';

/** What stands beside the filters of Postern, and changes what they see or decide. */
export function inspectSurroundings(chain: PosternChain): readonly Finding[] {
  return [...inspectEarlierFilters(chain), ...inspectOtherChecks(chain), ...inspectRedirects(chain)];
}

type Changes = (settings: JsonObject) => boolean;

const always: Changes = () => true;

/** Filters that change the headers or bodies of requests, by type: with which settings. */
const changing: Readonly<Record<string, Changes>> = {
  Decompressor: always,
  Lua: always,
  ExternalProcessor: always,
  Wasm: always,
  DynamicModuleFilter: always,
  GrpcJsonTranscoder: always,
  GrpcWeb: always,
  OAuth2: always,
  CredentialInjector: always,
  AwsRequestSigning: always,
  TransformConfig: always,
  HeaderMutation: (settings) => listIn(settings, 'mutations', 'request_mutations').length > 0,
  // Without `forward` the token is taken out.
  JwtAuthentication: (settings) =>
    Object.values(objectIn(settings, 'providers')).some((provider) => !flagIn(provider, 'forward')),
};

function inspectEarlierFilters(chain: PosternChain): readonly Finding[] {
  const { manager, extAuthz, unwrap } = chain;
  const found = findingsAbout(`${manager.name}: filter chain`);
  for (const filter of manager.filters) {
    if (filter === unwrap || !isBefore(chain, filter, extAuthz) || !isUsed(manager, filter)) continue;
    const ofRoutes = manager.routes.flatMap(({ overrides }) => overrides.map((level) => level[filter.name]));
    const changes = changing[filter.type];
    found.warnIf(changes !== undefined && [filter.settings, ...ofRoutes.filter(isJsonObject)].some(changes), {
      message: `the filter ${filter.name} before ext_authz can change headers or bodies: Postern then sees others than partners signed, and refuses them`,
      advice: 'put it between the guard and the router, or leave it so where it changes nothing that is signed',
    });
  }
  return found.all;
}

/** Two that decide about the same request write one namespace of metadata, which the guard looks at. */
function inspectOtherChecks({ manager }: PosternChain): readonly Finding[] {
  const all = manager.filters.filter(({ type }) => type === 'ExtAuthz');
  const routes = manager.routes.filter(leadsOn);
  const areBothOn = (first: HttpFilter, second: HttpFilter): boolean =>
    routes.length === 0
      ? !first.isDisabled && !second.isDisabled
      : routes.some((route) => !isOff(route, first) && !isOff(route, second));
  const found = findingsAbout(`${manager.name}: filter chain`);
  for (const [index, first] of all.entries()) {
    for (const second of all.slice(index + 1)) {
      found.warnIf(areBothOn(first, second), {
        message: `the filters ${first.name} and ${second.name} both write the metadata envoy.filters.http.ext_authz, where the later one wins: the other service can make the guard pass or refuse a request`,
        advice: 'keep one of them on each route, or see that the other service answers without metadata',
      });
    }
  }
  return found.all;
}

function inspectRedirects({ manager }: PosternChain): readonly Finding[] {
  return manager.routes.flatMap((route) => {
    const found = findingsAbout(`${manager.name}: route ${route.name}`);
    found.warnIf(!isOwn(route) && 'internal_redirect_policy' in objectIn(route.route, 'route'), {
      message:
        'internal_redirect_policy asks Postern again, without the credentials that it hid and with a body that it replaced: such requests are refused',
      advice: 'remove internal_redirect_policy, so that the caller follows the redirect with a request of its own',
    });
    return found.all;
  });
}

/** Ways to the back ends behind Postern that have no HTTP filters at all. */
export function inspectTcpProxies({ tcpProxies }: EnvoyConfig, chains: readonly PosternChain[]): readonly Finding[] {
  return tcpProxies.flatMap(({ name, clusters }) => {
    for (const { manager } of chains) {
      const behind = manager.routes.filter((route) => leadsOn(route) && !isOwn(route)).flatMap(clustersOf);
      const shared = clusters.filter((cluster) => behind.includes(cluster));
      if (shared.length === 0) continue;
      const message = `leads to ${shared.join(', ')} by tcp_proxy, where ${manager.name} leads too: what comes this way is not checked`;
      return [warning(name, message, 'if partners can reach it, remove it, or give it the filter chain of envoy.yaml')];
    }
    return [];
  });
}
