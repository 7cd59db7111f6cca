import {
  flagIn,
  isJsonObject,
  type JsonObject,
  listIn,
  numberIn,
  objectIn,
  textIn,
  valueIn,
} from '../../../model/document/json.ts';
import { type EnvoyConfig, type HttpFilter, type HttpManager, type Route, typeOf } from './envoy-config.ts';

/** The filters that make Postern safe, found in one chain; null for one that is not there. */
export interface PosternChain {
  readonly config: EnvoyConfig;
  readonly manager: HttpManager;
  /** The first of `checks`. */
  readonly extAuthz: HttpFilter;
  /** Every ext_authz filter that asks over gRPC: Envoy Gateway makes one for each policy, and routes choose. */
  readonly checks: readonly HttpFilter[];
  readonly buffer: HttpFilter | null;
  /** The first of `unwraps`. */
  readonly unwrap: HttpFilter | null;
  /** Every filter with the unwrap script: Envoy Gateway makes one for each policy, and routes choose. */
  readonly unwraps: readonly HttpFilter[];
  readonly guard: HttpFilter | null;
}

/** The chain of a connection manager that asks an external authorization service over gRPC; null when it asks none. */
export function findPosternChain(config: EnvoyConfig, manager: HttpManager): PosternChain | null {
  const checks = likeliest(
    manager.filters.filter(({ type, settings }) => type === 'ExtAuthz' && 'grpc_service' in settings),
    config,
  );
  const [extAuthz] = checks;
  if (extAuthz === undefined) return null;
  const unwraps = manager.filters.filter(({ type, settings }) => type === 'Lua' && mentionsBodyState(settings));
  return {
    config,
    manager,
    extAuthz,
    checks,
    buffer: manager.filters.find(({ type }) => type === 'Buffer') ?? null,
    unwrap: unwraps[0] ?? null,
    unwraps,
    guard: manager.filters.find(({ type, settings }) => type === 'RBAC' && mentionsBodyState(settings)) ?? null,
  };
}

/** Of several that ask over gRPC those that ask Postern, as far as can be told; all where none is more likely. */
function likeliest(checks: readonly HttpFilter[], { clusters }: EnvoyConfig): readonly HttpFilter[] {
  const likelihoods = checks.map(({ name, settings }) => {
    const service = serviceOf(objectIn(settings, 'grpc_service'));
    const checksHealth = listIn(clusters.get(service), 'health_checks').some(
      (each) => textIn(each, 'grpc_health_check', 'service_name') === CHECK_SERVICE,
    );
    if (checksHealth || /postern/i.test(`${name} ${service}`)) return 2;
    return 'with_request_body' in settings ? 1 : 0;
  });
  const most = Math.max(...likelihoods);
  return checks.filter((_, index) => likelihoods[index] === most);
}

/** The service of Postern's gRPC listener, whose health Envoy asks for. */
export const CHECK_SERVICE = 'envoy.service.auth.v3.Authorization';

/** Whether a request passes the first filter before the second. */
export function isBefore({ manager }: PosternChain, first: HttpFilter, second: HttpFilter): boolean {
  return manager.filters.indexOf(first) < manager.filters.indexOf(second);
}

function mentionsBodyState(settings: unknown): boolean {
  return JSON.stringify(settings).includes(BODY_STATE);
}

/** What a `grpc_service` asks: the name of a cluster, or the address that Google's client calls. */
export function serviceOf(service: JsonObject): string {
  return textIn(service, 'envoy_grpc', 'cluster_name') ?? textIn(service, 'google_grpc', 'target_uri') ?? '';
}

/** Where a cluster has its options of HTTP. */
export const HTTP_OPTIONS: readonly string[] = [
  'typed_extension_protocol_options',
  'envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
];

/** The name of the cluster that Postern's gRPC listener stands behind; null when Envoy calls it another way. */
export function posternCluster({ extAuthz }: PosternChain): string | null {
  return textIn(extAuthz.settings, 'grpc_service', 'envoy_grpc', 'cluster_name');
}

/** Paths that Postern's own HTTP listener serves: they authenticate their clients themselves. */
const OWN_PATHS = /^(\/oauth2(\/|$)|\/\.well-known\/oauth-authorization-server$)/;

/** The most specific setting of a filter for a route, out of the wrapper unless that switches it off; null without. */
export function overrideOf(route: Route, filter: HttpFilter): JsonObject | null {
  const override = route.overrides.map((level) => level[filter.name]).find((level) => isJsonObject(level)) ?? null;
  if (override === null || typeOf(override) !== 'FilterConfig' || flagIn(override, 'disabled')) return override;
  return objectIn(override, 'config');
}

/** Whether a filter does nothing for the requests of a route. */
export function isOff(route: Route, filter: HttpFilter): boolean {
  const override = overrideOf(route, filter);
  if (override === null) return filter.isDisabled;
  if (typeOf(override) === 'RBACPerRoute') return letsMorePass(filter, override);
  return flagIn(override, 'disabled');
}

/** Whether rules that a route has instead of the guard's let more pass; without any, Envoy skips the filter. */
function letsMorePass(filter: HttpFilter, override: JsonObject): boolean {
  const { passesMore, clusters } = readGuard({ ...filter, settings: objectIn(override, 'rbac') });
  return passesMore || clusters.length > 0;
}

/** Whether the route's own metadata says that it goes around filters on purpose: that is a warning then, no fault. */
export function saysDeliberate({ route }: Route): boolean {
  return flagIn(route, 'metadata', 'filter_metadata', 'postern.doctor', 'deliberate');
}

/** Whether a filter is on for any request at all. */
export function isUsed({ routes }: HttpManager, filter: HttpFilter): boolean {
  return !filter.isDisabled || routes.some((route) => !isOff(route, filter));
}

/** How many bytes of a body a buffer filter takes on a route; null when neither says so. */
export function bufferedBytes(route: Route, buffer: HttpFilter): number | null {
  const own = numberIn(overrideOf(route, buffer), 'buffer', 'max_request_bytes');
  return own ?? numberIn(buffer.settings, 'max_request_bytes');
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

/** The names of the clusters that a route sends to: one, or several with weights. */
export function clustersOf({ route }: Route): readonly string[] {
  const weighted = listIn(route, 'route', 'weighted_clusters', 'clusters').map((each) => textIn(each, 'name'));
  return [textIn(route, 'route', 'cluster'), ...weighted].filter((name) => name !== null);
}

/** Whether a route leads to a back end, and not to an answer of Envoy itself. */
export function leadsOn({ route }: Route): boolean {
  return !('redirect' in route) && !('direct_response' in route);
}

/** The metadata that says how a body is forwarded: Postern and the unwrap script write it, the guard looks at it. */
const BODY_STATE = 'postern.body';

const DECIDED: readonly string[] = ['original', 'replaced'];

interface GuardPolicies {
  /** Whether all that Postern decided passes: bodies as they came, and those that were replaced. */
  readonly passesDecided: boolean;
  readonly clusters: readonly string[];
  readonly passesMore: boolean;
}

/** Reads an RBAC filter as a guard. What cannot be read counts as letting more pass. */
export function readGuard({ settings }: HttpFilter): GuardPolicies {
  const policies = Object.values(objectIn(settings, 'rules', 'policies')).map((policy) => objectIn(policy));
  const clusters = policies.map((policy) => clusterOf(policy));
  const others = policies.filter((_, index) => clusters[index] === null);
  // In a file also as a number.
  const isAllow = [undefined, 'ALLOW', 0].some((action) => action === valueIn(settings, 'rules', 'action'));
  return {
    passesDecided:
      others.some(passesDecided) && DECIDED.every((state) => JSON.stringify(others).includes(`"${state}"`)),
    clusters: clusters.filter((name) => name !== null),
    passesMore: !isAllow || !('rules' in settings) || !others.every(passesDecided),
  };
}

function passesDecided(policy: JsonObject): boolean {
  const permissions = listIn(policy, 'permissions');
  return permissions.length > 0 && permissions.every(isOfDecision);
}

/** Whether a permission is met only by what Postern decided. */
function isOfDecision(permission: JsonObject): boolean {
  const either = listIn(permission, 'or_rules', 'rules');
  if (either.length > 0) return either.every(isOfDecision);
  if (listIn(permission, 'and_rules', 'rules').some(isOfDecision)) return true;
  const sourced = objectIn(permission, 'sourced_metadata');
  const isOfRequest = (textIn(sourced, 'metadata_source') ?? 'DYNAMIC') === 'DYNAMIC';
  const matcher = 'metadata' in permission ? objectIn(permission, 'metadata') : objectIn(sourced, 'metadata_matcher');
  const path = listIn(matcher, 'path').map((step) => textIn(step, 'key'));
  return (
    isOfRequest &&
    textIn(matcher, 'filter') === 'envoy.filters.http.ext_authz' &&
    path.length === 1 &&
    path[0] === BODY_STATE &&
    valueIn(matcher, 'invert') !== true &&
    isDecided(objectIn(matcher, 'value'))
  );
}

function isDecided(value: JsonObject): boolean {
  const either = listIn(value, 'or_match', 'value_matchers');
  if (either.length > 0) return either.every(isDecided);
  return DECIDED.includes(textIn(value, 'string_match', 'exact') ?? '');
}

/** The cluster of a policy with the condition `xds.cluster_name == "…"`; null for any other. */
function clusterOf(policy: JsonObject): string | null {
  const call = objectIn(policy, 'condition', 'call_expr');
  const [name, text] = listIn(call, 'args');
  const isClusterName =
    textIn(call, 'function') === '_==_' &&
    textIn(name, 'select_expr', 'operand', 'ident_expr', 'name') === 'xds' &&
    textIn(name, 'select_expr', 'field') === 'cluster_name';
  return isClusterName ? textIn(text, 'const_expr', 'string_value') : null;
}
