import { fault, type Finding, warning } from '../../finding.ts';
import { flagIn, type JsonObject, listIn, numberIn, objectIn, type Route, textIn, valueIn } from './envoy-config.ts';
import { clustersOf, isOff, isOwn, leadsOn, overrideOf, type PosternChain, posternCluster } from './filter-chain.ts';

/** A setting that envoy.yaml has and that nothing else of the chain depends on: without it something gets worse quietly. */
interface Expectation {
  /** As in envoy.yaml, for people. */
  readonly setting: string;
  readonly isMet: (settings: JsonObject) => boolean;
  /** What happens otherwise. */
  readonly consequence: string;
}

type IsMet = Expectation['isMet'];

/** Whether a time that is not zero stands there. */
function hasTime(...steps: readonly string[]): IsMet {
  return (settings) => Number.parseFloat(textIn(settings, ...steps) ?? '0') > 0;
}

/** Whether a number above this one stands there. */
function hasMoreThan(least: number, ...steps: readonly string[]): IsMet {
  return (settings) => (numberIn(settings, ...steps) ?? least) > least;
}

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
  { setting: 'request_headers_timeout: 10s', isMet: hasTime('request_headers_timeout'), consequence: BOUNDED },
  { setting: 'request_timeout: 60s', isMet: hasTime('request_timeout'), consequence: BOUNDED },
  { setting: 'stream_idle_timeout: 60s', isMet: hasTime('stream_idle_timeout'), consequence: BOUNDED },
  {
    setting: 'common_http_protocol_options.idle_timeout: 300s',
    isMet: hasTime('common_http_protocol_options', 'idle_timeout'),
    consequence: BOUNDED,
  },
  ...['max_concurrent_streams', 'initial_stream_window_size', 'initial_connection_window_size'].map((name) => ({
    setting: `http2_protocol_options.${name}`,
    isMet: hasMoreThan(0, 'http2_protocol_options', name),
    consequence: 'one HTTP/2 connection can make Envoy hold hundreds of megabytes',
  })),
  hasMapper('BODY_TOO_LARGE', "response.code_details == 'request_payload_too_large'", null),
  hasMapper(
    'UNAVAILABLE',
    "response.code_details == 'ext_authz_error' || response.code_details.startsWith('rbac_access_denied')",
    503,
  ),
  hasMapper('GATEWAY_ERROR', "response.code_details != 'ext_authz_denied'", null),
];

/** The mapper that gives answers of Envoy itself this code, and this status where it is not Envoy's own. */
function hasMapper(code: string, expression: string, status: number | null): Expectation {
  const isRight = (mapper: JsonObject): boolean => {
    const body = objectIn(mapper, 'body_format_override', 'json_format');
    return (
      textIn(mapper, 'filter', 'extension_filter', 'typed_config', 'expression') === expression &&
      textIn(body, 'code') === code &&
      textIn(body, 'message') !== null &&
      textIn(body, 'requestId') === '%REQ(X-REQUEST-ID)%' &&
      numberIn(mapper, 'status_code') === status
    );
  };
  return {
    setting: `the mapper of local_reply_config for ${code}`,
    isMet: (settings) => listIn(settings, 'local_reply_config', 'mappers').some(isRight),
    consequence: "Envoy's own answers do not have the form and the status of Postern's refusals",
  };
}

const ofRetries: readonly Expectation[] = [
  {
    setting: 'retry_policy.retry_on: connect-failure,refused-stream,reset-before-request',
    isMet: (settings) => /connect-failure/.test(textIn(settings, 'retry_policy', 'retry_on') ?? ''),
    consequence: ONE_REPLICA,
  },
  {
    setting: 'retry_policy.num_retries',
    isMet: hasMoreThan(0, 'retry_policy', 'num_retries'),
    consequence: ONE_REPLICA,
  },
  {
    setting: 'retry_policy.retry_host_predicate: previous_hosts',
    isMet: (settings) =>
      listIn(settings, 'retry_policy', 'retry_host_predicate').some((each) =>
        JSON.stringify(each).includes('PreviousHostsPredicate'),
      ),
    consequence: SAME_REPLICA,
  },
  {
    setting: 'retry_policy.host_selection_retry_max_attempts',
    isMet: hasMoreThan(1, 'retry_policy', 'host_selection_retry_max_attempts'),
    consequence: SAME_REPLICA,
  },
];

const ofOwnRoutes: readonly Expectation[] = [
  ...ofRetries,
  {
    setting: 'timeout: 5s',
    isMet: hasTime('timeout'),
    consequence: 'token requests wait for long while Postern hangs',
  },
];

const HTTP_OPTIONS = ['typed_extension_protocol_options', 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions'];
const HTTP2_OPTIONS = [...HTTP_OPTIONS, 'explicit_http_config', 'http2_protocol_options'];

/** Of clusters that this file says; those of control planes have theirs from elsewhere. */
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
  {
    setting: 'connect_timeout: 1s',
    isMet: hasTime('connect_timeout'),
    consequence: 'a replica that vanished holds requests for 5 s',
  },
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

const CHECK_SERVICE = 'envoy.service.auth.v3.Authorization';

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

const ofStaticGrpc: readonly Expectation[] = ['interval', 'timeout'].map((name) => ({
  setting: `http2_protocol_options.connection_keepalive.${name}`,
  isMet: hasTime(...HTTP2_OPTIONS, 'connection_keepalive', name),
  consequence: 'a connection whose other end vanished stays in use',
}));

const ofStaticHttp: readonly Expectation[] = [
  {
    setting: 'common_http_protocol_options.idle_timeout: 30s',
    isMet: hasTime(...HTTP_OPTIONS, 'common_http_protocol_options', 'idle_timeout'),
    consequence: 'token requests are sent on connections that Postern is closing',
  },
  {
    setting: 'health_checks with http_health_check: { path: /readyz }',
    isMet: (settings) =>
      listIn(settings, 'health_checks').some(
        (each) => textIn(each, 'http_health_check', 'path') === '/readyz' && hasTime('no_traffic_interval')(each),
      ),
    consequence: 'a replica that starts or stops still gets token requests',
  },
];

/** Settings of envoy.yaml whose absence opens no hole, but makes something worse. */
export function inspectSettings(chain: PosternChain): readonly Finding[] {
  const { manager, checks, config } = chain;
  const own = manager.routes.filter((route) => isOwn(route) && leadsOn(route));
  const grpc = posternCluster(chain);
  const others = new Set(manager.routes.filter((route) => !isOwn(route)).flatMap(clustersOf));
  const http = [...new Set(own.flatMap(clustersOf))].filter((name) => name !== grpc && !others.has(name));
  return [
    ...unmet(manager.name, manager.settings, ofManager),
    ...checks.flatMap(({ settings }) =>
      unmet(`${manager.name}: ext_authz: grpc_service`, objectIn(settings, 'grpc_service'), ofRetries),
    ),
    ...own.flatMap((route) => {
      const subject = `${manager.name}: route ${route.name}`;
      return [
        ...unmet(subject, objectIn(route.route, 'route'), ofOwnRoutes),
        ...inspectTokenBodies(subject, route, chain),
      ];
    }),
    ...[...(grpc === null ? [] : [grpc]), ...http].flatMap((name) => {
      const cluster = config.clusters.get(name);
      if (cluster === undefined) return [];
      const isSent = textIn(cluster, 'type') === 'EDS';
      return [
        ...unmet(`cluster ${name}`, cluster, isSent ? [] : ofStaticClusters),
        ...(name === grpc
          ? [
              ...inspectProtocol(name, cluster),
              ...unmet(`cluster ${name}`, cluster, isSent ? ofGrpc : [...ofGrpc, ...ofStaticGrpc]),
            ]
          : unmet(`cluster ${name}`, cluster, isSent ? [] : ofStaticHttp)),
      ];
    }),
    ...(own.length === manager.routes.length && (own.length > 0 || 'route_config' in manager.settings)
      ? [warning(`${manager.name}: routes`, 'no route leads to a back end', 'add yours, as the last one of envoy.yaml')]
      : []),
  ];
}

/** A token request is small: more than this need not be held for one, in bytes. */
const MOST_TOKEN_BYTES = 1_048_576;

function inspectTokenBodies(subject: string, route: Route, { buffer }: PosternChain): readonly Finding[] {
  if (buffer === null || isOff(route, buffer)) return [];
  const bytes =
    numberIn(overrideOf(route, buffer), 'buffer', 'max_request_bytes') ??
    numberIn(buffer.settings, 'max_request_bytes');
  if (bytes === null || bytes <= MOST_TOKEN_BYTES) return [];
  const message = `Envoy holds up to ${String(bytes)} bytes for a token request, before the caller is authenticated`;
  return [
    warning(subject, message, 'give the route a BufferPerRoute with max_request_bytes: 16384, as envoy.yaml does'),
  ];
}

function inspectProtocol(name: string, cluster: JsonObject): readonly Finding[] {
  const http2 = valueIn(cluster, ...HTTP2_OPTIONS);
  if (http2 !== undefined || valueIn(cluster, 'http2_protocol_options') !== undefined) return [];
  const message = 'it does not speak HTTP/2, which gRPC needs: every request gets 503';
  return [fault(`cluster ${name}`, message, 'set explicit_http_config: { http2_protocol_options: {} }')];
}

function unmet(subject: string, settings: JsonObject, expectations: readonly Expectation[]): readonly Finding[] {
  return expectations
    .filter(({ isMet }) => !isMet(settings))
    .map(({ setting, consequence }) =>
      warning(subject, `${setting} is missing or different: ${consequence}`, 'copy it from envoy.yaml'),
    );
}
