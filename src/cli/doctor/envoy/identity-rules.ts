import { identityHeaders, isIdentityHeader } from '../../../check/respond/answer-fields.ts';
import { type Finding, findingsAbout } from '../../../base/finding.ts';
import { isJsonObject, type JsonObject, listIn, objectIn } from '../../../model/document/json.ts';
import { type HttpFilter, readFilter, type Route, typeOf } from './envoy-config.ts';
import { clustersOf, HTTP_OPTIONS, isOff, isOwn, isUsed, leadsOn, type PosternChain } from './filter-chain.ts';
import { changesHeader } from './header-mutations.ts';

/** What takes away or replaces the identity headers that Postern set, on their way from ext_authz to the back end. */
export function inspectIdentity(chain: PosternChain): readonly Finding[] {
  const { manager, config, checks } = chain;
  const behind = filtersBehind(chain);
  const routes = manager.routes.filter(
    (route) => leadsOn(route) && !isOwn(route) && checks.some((check) => !isOff(route, check)),
  );
  return [
    ...inspectFilters(`${manager.name}: identity headers`, behind),
    ...routes.flatMap((route) => inspectRoute(`${manager.name}: route ${route.name}`, route, behind)),
    ...[...new Set(routes.flatMap(clustersOf))].flatMap((name) =>
      inspectFilters(`cluster ${name}`, filtersOf(config.clusters.get(name))),
    ),
  ];
}

/** The filters that a request passes after Postern decided, those of upgrades too. */
function filtersBehind(chain: PosternChain): readonly HttpFilter[] {
  return [chain.manager.filters, ...chain.manager.upgrades.map(({ filters }) => filters)].flatMap((filters) =>
    filters
      .slice(filters.findIndex(({ type }) => type === 'ExtAuthz') + 1)
      .filter((filter) => isUsed(chain.manager, filter)),
  );
}

/** The filters that a cluster has for itself. */
function filtersOf(cluster: JsonObject | undefined): readonly HttpFilter[] {
  return listIn(cluster, ...HTTP_OPTIONS, 'http_filters').map((filter) => readFilter(filter, new Map()));
}

function inspectFilters(subject: string, filters: readonly HttpFilter[]): readonly Finding[] {
  const found = findingsAbout(subject);
  for (const { name, type, settings } of filters) addChanges(found, name, changedBy(type, settings));
  return found.all;
}

function inspectRoute(subject: string, route: Route, behind: readonly HttpFilter[]): readonly Finding[] {
  const found = findingsAbout(subject);
  found.faultIf(route.headersToRemove.some(isIdentityHeader), {
    message:
      'request_headers_to_remove removes the identity headers that Postern set: the back end does not learn who calls',
    advice: 'remove them in early_header_mutation_extensions instead, before Postern is asked',
  });
  const added = route.headersToAdd.filter(isIdentityHeader);
  found.faultIf(added.length > 0, {
    message: `request_headers_to_add sets ${added.join(', ')} after Postern did: the back end takes callers for others`,
    advice: 'give the header another name, or leave it to Postern',
  });
  for (const { name, type } of behind) {
    const own = route.overrides.map((level) => level[name]).filter(isJsonObject);
    addChanges(found, name, [...new Set(own.flatMap((settings) => changedBy(type, unwrapped(settings))))]);
  }
  return found.all;
}

/** Settings of a filter on a route without the wrapper that can switch it off. */
function unwrapped(settings: JsonObject): JsonObject {
  return typeOf(settings) === 'FilterConfig' ? objectIn(settings, 'config') : settings;
}

function changedBy(type: string, settings: JsonObject): readonly string[] {
  return identityHeaders.filter((header) => changesHeader(type, settings, header));
}

function addChanges(found: ReturnType<typeof findingsAbout>, filter: string, headers: readonly string[]): void {
  found.faultIf(headers.length > 0, {
    message: `the filter ${filter} behind Postern removes or overwrites ${headers.join(', ')}: the back end does not learn who calls, or takes callers for others`,
    advice: 'let it use other headers, or put it before ext_authz: Postern then sets them last',
  });
}
