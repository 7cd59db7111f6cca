import { type Finding, findingsAbout } from '../../../base/finding.ts';
import { flagIn, type JsonObject, listIn, numberIn, objectIn, textIn, valueIn } from '../../../model/document/json.ts';
import type { Route } from './envoy-config.ts';
import { above, type Expectation, timed, unmet } from './expectation.ts';
import { ofMappers } from './mapper-expectations.ts';
import {
  bufferedBytes,
  CHECK_SERVICE,
  clustersOf,
  HTTP_OPTIONS,
  isOff,
  isOwn,
  leadsOn,
  type PosternChain,
  posternCluster,
} from './filter-chain.ts';

/** Offers of another protocol that clients send by themselves, as in envoy.yaml. */
const IGNORED_UPGRADES = '(?i)(tls|http|irc)/[0-9.]+|h2c?|h3';

const BOUNDED = 'callers can hold connections and memory for long';
const ONE_REPLICA = 'a request is not tried on another replica when one stops';
const SAME_REPLICA = 'a request can be tried again on the replica that is stopping';

const ofManager: readonly Expectation[] = [
  {
    setting: 'always_set_request_id_in_response: true',
    isMet: (settings) => flagIn(settings, 'always_set_request_id_in_response'),
    consequence: 'callers have no request id that logs could be searched by',
  },
  {
    setting: 'headers_with_underscores_action: ALLOW',
    isMet: (settings) =>
      (textIn(settings, 'common_http_protocol_options', 'headers_with_underscores_action') ?? 'ALLOW') === 'ALLOW',
    consequence: 'headers with underscores, which partners may sign, are dropped or refused',
  },
  timed('request_headers_timeout: 10s', BOUNDED),
  timed('request_timeout: 360s', BOUNDED),
  timed('stream_idle_timeout: 60s', BOUNDED),
  timed('common_http_protocol_options.idle_timeout: 300s', BOUNDED),
  ...['max_concurrent_streams', 'initial_stream_window_size', 'initial_connection_window_size'].map((name) =>
    above(0, `http2_protocol_options.${name}`, 'one HTTP/2 connection can make Envoy hold hundreds of megabytes'),
  ),
  {
    setting: 'http_protocol_options.ignore_http_11_upgrade',
    isMet: (settings) =>
      listIn(settings, 'http_protocol_options', 'ignore_http_11_upgrade').some(
        (each) => textIn(each, 'safe_regex', 'regex') === IGNORED_UPGRADES,
      ),
    consequence: 'good requests of clients that offer TLS or HTTP/2 in an Upgrade header get 403',
  },
  ...ofMappers,
];

const ofRetries: readonly Expectation[] = [
  {
    setting: 'retry_policy.retry_on: connect-failure,refused-stream,reset-before-request',
    isMet: (settings) => /connect-failure/.test(textIn(settings, 'retry_policy', 'retry_on') ?? ''),
    consequence: ONE_REPLICA,
  },
  above(0, 'retry_policy.num_retries', ONE_REPLICA),
  {
    setting: 'retry_policy.retry_host_predicate: previous_hosts',
    isMet: (settings) =>
      listIn(settings, 'retry_policy', 'retry_host_predicate').some((each) =>
        JSON.stringify(each).includes('PreviousHostsPredicate'),
      ),
    consequence: SAME_REPLICA,
  },
  above(1, 'retry_policy.host_selection_retry_max_attempts', SAME_REPLICA),
];

const ofOwnRoutes = [...ofRetries, timed('timeout: 5s', 'token requests wait for long while Postern hangs')];

const EXPLICIT_OPTIONS = [...HTTP_OPTIONS, 'explicit_http_config'];

const ofStaticClusters: readonly Expectation[] = [
  {
    setting: 'load_assignment with an address',
    isMet: (settings) =>
      listIn(settings, 'load_assignment', 'endpoints').some((each) =>
        listIn(each, 'lb_endpoints').some((endpoint) => valueIn(endpoint, 'endpoint', 'address') !== undefined),
      ),
    consequence: 'there is no address to call',
  },
  {
    setting: 'type: STRICT_DNS',
    isMet: (settings) => ['STRICT_DNS', 'STATIC', 'EDS'].includes(textIn(settings, 'type') ?? 'STATIC'),
    consequence: 'one replica at a time is called',
  },
  timed('connect_timeout: 1s', 'a replica that vanished holds requests for 5 s'),
  {
    setting: 'common_lb_config.healthy_panic_threshold: { value: 1 }',
    isMet: (settings) => {
      const percent = numberIn(settings, 'common_lb_config', 'healthy_panic_threshold', 'value') ?? 50;
      return percent > 0 && percent <= 1;
    },
    consequence: 'replicas that are not healthy get requests while others are, or none when all are',
  },
  {
    setting: 'health_checks with unhealthy_threshold: 2 and healthy_threshold: 1',
    isMet: (settings) =>
      listIn(settings, 'health_checks').every((each) =>
        ['unhealthy_threshold', 'healthy_threshold'].every((name) => (numberIn(each, name) ?? 0) > 0),
      ),
    consequence: 'one answer that is late takes a replica out of use',
  },
];

const ofGrpc: readonly Expectation[] = [
  {
    setting: `grpc_health_check.service_name: ${CHECK_SERVICE}`,
    isMet: (settings) => {
      const [check] = listIn(settings, 'health_checks');
      return check === undefined || textIn(check, 'grpc_health_check', 'service_name') === CHECK_SERVICE;
    },
    consequence: 'a replica that cannot look up credentials keeps its share of the requests',
  },
  ...['max_requests', 'max_pending_requests'].map((name) => ({
    setting: `circuit_breakers.thresholds ${name}: 2048`,
    isMet: (settings: JsonObject) =>
      (numberIn(listIn(settings, 'circuit_breakers', 'thresholds')[0], name) ?? 1024) > 1024,
    consequence: 'more than 1024 requests at once are refused with 503',
  })),
];

const ofStaticGrpc = ['interval', 'timeout'].map((name) =>
  timed(
    `http2_protocol_options.connection_keepalive.${name}`,
    'a connection whose other end vanished stays in use',
    ...EXPLICIT_OPTIONS,
  ),
);

const ofStaticHttp: readonly Expectation[] = [
  timed(
    'common_http_protocol_options.idle_timeout: 30s',
    'token requests are sent on connections that Postern is closing',
    ...HTTP_OPTIONS,
  ),
  {
    setting: 'health_checks with http_health_check: { path: /readyz }',
    isMet: (settings) =>
      listIn(settings, 'health_checks').some(
        (each) =>
          textIn(each, 'http_health_check', 'path') === '/readyz' &&
          Number.parseFloat(textIn(each, 'no_traffic_interval') ?? '0') > 0,
      ),
    consequence: 'a replica that starts or stops still gets token requests',
  },
];

const ofBackEnds: readonly Expectation[] = [
  timed(
    'common_http_protocol_options.idle_timeout: 4s',
    'requests are sent on connections that the back end is closing, and end in 503',
    ...HTTP_OPTIONS,
  ),
];

/** Settings of envoy.yaml whose absence opens no hole, but makes something worse. */
export function inspectSettings(chain: PosternChain): readonly Finding[] {
  const { manager, checks, config } = chain;
  const own = manager.routes.filter((route) => isOwn(route) && leadsOn(route));
  const grpc = posternCluster(chain);
  const others = new Set(manager.routes.filter((route) => !isOwn(route)).flatMap(clustersOf));
  const http = [...new Set(own.flatMap(clustersOf))].filter((name) => name !== grpc && !others.has(name));
  const routes = findingsAbout(`${manager.name}: routes`);
  routes.warnIf(own.length === manager.routes.length && (own.length > 0 || 'route_config' in manager.settings), {
    message: 'no route leads to a back end',
    advice: 'add yours, as the last one of envoy.yaml',
  });
  return [
    ...unmet(manager.name, manager.settings, ofManager),
    ...checks.flatMap(({ settings }) =>
      unmet(`${manager.name}: ext_authz: grpc_service`, objectIn(settings, 'grpc_service'), ofRetries),
    ),
    ...own.flatMap((route) => inspectOwnRoute(chain, route)),
    ...[...(grpc === null ? [] : [grpc]), ...http].flatMap((name) => {
      const cluster = config.clusters.get(name);
      return cluster === undefined ? [] : inspectOwnCluster(name, cluster, name === grpc);
    }),
    ...[...others].flatMap((name) => inspectBackEnd(name, config.clusters.get(name))),
    ...routes.all,
  ];
}

/** The cluster of a back end is the operator's; but its connections of HTTP/1.1 must not outlast the other end's. */
function inspectBackEnd(name: string, cluster: JsonObject | undefined): readonly Finding[] {
  if (cluster === undefined || isManaged(cluster) || isHttp2(cluster)) return [];
  return unmet(`cluster ${name}`, cluster, ofBackEnds);
}

/** Clusters of control planes have most settings from elsewhere. */
function isManaged(cluster: JsonObject): boolean {
  return textIn(cluster, 'type') === 'EDS';
}

function isHttp2(cluster: JsonObject): boolean {
  return (
    valueIn(cluster, ...EXPLICIT_OPTIONS, 'http2_protocol_options') !== undefined || 'http2_protocol_options' in cluster
  );
}

/** A token request is small: more than this need not be held for one, in bytes. */
const MOST_TOKEN_BYTES = 1_048_576;

function inspectOwnRoute({ manager, buffer }: PosternChain, route: Route): readonly Finding[] {
  const found = findingsAbout(`${manager.name}: route ${route.name}`);
  found.all.push(...unmet(`${manager.name}: route ${route.name}`, objectIn(route.route, 'route'), ofOwnRoutes));
  if (buffer === null || isOff(route, buffer)) return found.all;
  const bytes = bufferedBytes(route, buffer) ?? 0;
  found.warnIf(bytes > MOST_TOKEN_BYTES, {
    message: `Envoy holds up to ${String(bytes)} bytes for a token request, before the caller is authenticated`,
    advice: 'give the route a BufferPerRoute with max_request_bytes: 16384, as envoy.yaml does',
  });
  return found.all;
}

function inspectOwnCluster(name: string, cluster: JsonObject, isGrpc: boolean): readonly Finding[] {
  const found = findingsAbout(`cluster ${name}`);
  found.faultIf(isGrpc && !isHttp2(cluster), {
    message: 'it does not speak HTTP/2, which gRPC needs: every request gets 503',
    advice: 'set explicit_http_config: { http2_protocol_options: {} }',
  });
  const expectations = [
    ...(isManaged(cluster) ? [] : [...ofStaticClusters, ...(isGrpc ? ofStaticGrpc : ofStaticHttp)]),
    ...(isGrpc ? ofGrpc : []),
  ];
  return [...found.all, ...unmet(`cluster ${name}`, cluster, expectations)];
}
