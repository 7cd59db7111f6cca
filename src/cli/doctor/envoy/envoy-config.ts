import { flagIn, type JsonObject, listIn, objectIn, textIn, textsIn, valueIn } from '../../../model/document/json.ts';

/** A filter of an HTTP connection manager. */
export interface HttpFilter {
  readonly name: string;
  /** The last part of its type: `ExtAuthz`. */
  readonly type: string;
  readonly settings: JsonObject;
  /** Off unless a route says otherwise, as Envoy Gateway writes its filters. */
  readonly isDisabled: boolean;
}

/** One route with all that overrides filters for it, the most specific first. */
export interface Route {
  /** `apis: prefix /oauth2/` */
  readonly name: string;
  readonly route: JsonObject;
  /** Per-route settings of filters by their name: of the route, its weighted clusters, virtual host and table. */
  readonly overrides: readonly JsonObject[];
  /** What a rate limit filter counts here, whichever level says so. */
  readonly rateLimits: readonly JsonObject[];
  /** Hosts that the virtual host takes, such as `*.example.com`. */
  readonly domains: readonly string[];
  /** Headers that are set on the way to the back end, after every filter. */
  readonly headersToAdd: readonly string[];
  /** Headers that are taken out on the way to the back end. */
  readonly headersToRemove: readonly string[];
}

/** A protocol, such as `websocket`, that a request may ask to go on with. */
export interface Upgrade {
  readonly type: string;
  readonly isOn: boolean;
  /** What stands in for the filters of the listener; empty when those work here too. */
  readonly filters: readonly HttpFilter[];
}

/** One HTTP connection manager with its chain and routes. */
export interface HttpManager {
  /** `listener partners` */
  readonly name: string;
  readonly settings: JsonObject;
  /** The `DownstreamTlsContext` of its filter chain; null where callers speak no TLS, or this Envoy does not end it. */
  readonly tls: JsonObject | null;
  readonly filters: readonly HttpFilter[];
  readonly upgrades: readonly Upgrade[];
  readonly routes: readonly Route[];
}

/** What of Envoy's configuration decides whether Postern can be gone around. */
export interface EnvoyConfig {
  readonly managers: readonly HttpManager[];
  /** Listeners that lead on without a look at HTTP, and the clusters they lead to. */
  readonly tcpProxies: readonly { readonly name: string; readonly clusters: readonly string[] }[];
  readonly clusters: ReadonlyMap<string, JsonObject>;
  /** Endpoints that a control plane sent, by the name of the cluster or what the cluster calls them by. */
  readonly endpoints: ReadonlyMap<string, JsonObject>;
  readonly admin: JsonObject;
  /** What was sent by SDS, by name, without private keys. */
  readonly secrets: ReadonlyMap<string, JsonObject>;
}

/** Addresses that only this machine reaches. */
export const LOOPBACK_ADDRESS = /^(127\.|::1$|localhost$)/;

const MANAGER_TYPE = 'HttpConnectionManager';

/** Reads the answer of Envoy's admin address `/config_dump`, static and dynamic parts alike. Never throws. */
export function readConfigDump(dump: unknown): EnvoyConfig {
  const parts = listIn(dump, 'configs');
  const tables = new Map<string, JsonObject>();
  for (const table of entriesOf(parts, 'RoutesConfigDump', ['static_route_configs', 'dynamic_route_configs'])) {
    const config = objectIn(table, 'route_config');
    tables.set(textIn(config, 'name') ?? '', config);
  }
  const listeners = entriesOf(parts, 'ListenersConfigDump', ['static_listeners', 'dynamic_listeners']).map((entry) => {
    const active = objectIn(entry, 'active_state', 'listener');
    return Object.keys(active).length > 0 ? active : objectIn(entry, 'listener');
  });
  const clusters = entriesOf(parts, 'ClustersConfigDump', ['static_clusters', 'dynamic_active_clusters']).map((entry) =>
    objectIn(entry, 'cluster'),
  );
  const discovered = new Map<string, JsonObject>();
  for (const entry of entriesOf(parts, 'EcdsConfigDump', ['ecds_filters'])) {
    const filter = objectIn(entry, 'ecds_filter');
    discovered.set(textIn(filter, 'name') ?? '', settingsIn(filter, 'typed_config'));
  }
  const endpoints = new Map<string, JsonObject>();
  for (const entry of entriesOf(parts, 'EndpointsConfigDump', [
    'static_endpoint_configs',
    'dynamic_endpoint_configs',
  ])) {
    const config = objectIn(entry, 'endpoint_config');
    endpoints.set(textIn(config, 'cluster_name') ?? '', config);
  }
  const secrets = new Map<string, JsonObject>();
  for (const entry of entriesOf(parts, 'SecretsConfigDump', ['static_secrets', 'dynamic_active_secrets'])) {
    secrets.set(textIn(entry, 'name') ?? '', objectIn(entry, 'secret'));
  }
  return {
    managers: listeners.flatMap((listener) => managersOf(listener, tables, discovered)),
    tcpProxies: listeners.flatMap(tcpProxiesOf),
    endpoints,
    secrets,
    clusters: new Map(clusters.map((cluster) => [textIn(cluster, 'name') ?? '', cluster])),
    admin: objectIn(
      parts.find((part) => typeOf(part) === 'BootstrapConfigDump'),
      'bootstrap',
      'admin',
    ),
  };
}

/** The last part of a protobuf type: `ExtAuthz` of `type.googleapis.com/…v3.ExtAuthz`. */
export function typeOf(value: JsonObject): string {
  return (textIn(value, '@type') ?? '').split('.').at(-1) ?? '';
}

/** Settings of an extension; a `TypedStruct`, which patches of control planes write, stands for what it holds. */
function settingsIn(value: unknown, ...steps: readonly string[]): JsonObject {
  const settings = objectIn(value, ...steps);
  if (typeOf(settings) !== 'TypedStruct') return settings;
  return { ...objectIn(settings, 'value'), '@type': textIn(settings, 'type_url') ?? '' };
}

function entriesOf(parts: readonly JsonObject[], type: string, names: readonly string[]): readonly JsonObject[] {
  return parts.filter((part) => typeOf(part) === type).flatMap((part) => names.flatMap((name) => listIn(part, name)));
}

function managersOf(
  listener: JsonObject,
  tables: ReadonlyMap<string, JsonObject>,
  discovered: ReadonlyMap<string, JsonObject>,
): readonly HttpManager[] {
  const name = nameOf(listener);
  return networkFilters(listener)
    .filter(({ settings }) => typeOf(settings) === MANAGER_TYPE)
    .map(({ settings, tls }) => ({
      name,
      settings,
      tls,
      filters: listIn(settings, 'http_filters').map((filter) => readFilter(filter, discovered)),
      upgrades: listIn(settings, 'upgrade_configs').map((upgrade) => ({
        type: textIn(upgrade, 'upgrade_type') ?? '',
        isOn: valueIn(upgrade, 'enabled') !== false,
        filters: listIn(upgrade, 'filters').map((filter) => readFilter(filter, discovered)),
      })),
      routes: routesOf(
        tables.get(textIn(settings, 'rds', 'route_config_name') ?? ' ') ?? objectIn(settings, 'route_config'),
      ),
    }));
}

function nameOf(listener: JsonObject): string {
  return `listener ${textIn(listener, 'name') ?? 'without a name'}`;
}

/** The settings of the network filters of a listener, in each of its chains, with the TLS that callers speak there. */
function networkFilters(
  listener: JsonObject,
): readonly { readonly settings: JsonObject; readonly tls: JsonObject | null }[] {
  return [...listIn(listener, 'filter_chains'), objectIn(listener, 'default_filter_chain')].flatMap((chain) => {
    const tls = tlsOf(settingsIn(chain, 'transport_socket', 'typed_config'));
    return listIn(chain, 'filters').map((filter) => ({ settings: settingsIn(filter, 'typed_config'), tls }));
  });
}

function tlsOf(transport: JsonObject): JsonObject | null {
  if (typeOf(transport) === 'DownstreamTlsContext') return transport;
  return typeOf(transport) === 'QuicDownstreamTransport' ? objectIn(transport, 'downstream_tls_context') : null;
}

function tcpProxiesOf(listener: JsonObject): EnvoyConfig['tcpProxies'] {
  return networkFilters(listener)
    .filter(({ settings }) => typeOf(settings) === 'TcpProxy')
    .map(({ settings }) => ({
      name: nameOf(listener),
      clusters: [settings, ...listIn(settings, 'weighted_clusters', 'clusters')].flatMap(
        (each) => textIn(each, 'cluster') ?? textIn(each, 'name') ?? [],
      ),
    }));
}

/** A filter with its settings beside it, or sent by a control plane under its name. */
export function readFilter(filter: JsonObject, discovered: ReadonlyMap<string, JsonObject>): HttpFilter {
  const name = textIn(filter, 'name') ?? '';
  const sent = 'config_discovery' in filter ? discovered.get(name) : undefined;
  const settings = sent ?? settingsIn(filter, 'typed_config');
  return { name, type: typeOf(settings), settings, isDisabled: flagIn(filter, 'disabled') };
}

function routesOf(table: JsonObject): readonly Route[] {
  return listIn(table, 'virtual_hosts').flatMap((host) =>
    listIn(host, 'routes').map((route) => {
      const weighted = listIn(route, 'route', 'weighted_clusters', 'clusters');
      const levels = [...weighted, route, host, table];
      const overrides = levels.map((level) => {
        const settings = objectIn(level, 'typed_per_filter_config');
        return Object.fromEntries(Object.keys(settings).map((filter) => [filter, settingsIn(settings, filter)]));
      });
      return {
        name: `${textIn(host, 'name') ?? ''}: ${describeMatch(objectIn(route, 'match'))}`,
        route,
        overrides,
        rateLimits: [objectIn(route, 'route'), host, ...overrides.flatMap((each) => Object.values(each))].flatMap(
          (level) => listIn(level, 'rate_limits'),
        ),
        domains: textsIn(host, 'domains'),
        headersToAdd: levels
          .flatMap((level) => listIn(level, 'request_headers_to_add'))
          .flatMap((each) => textIn(each, 'header', 'key') ?? []),
        headersToRemove: levels.flatMap((level) => textsIn(level, 'request_headers_to_remove')),
      };
    }),
  );
}

function describeMatch(match: JsonObject): string {
  for (const kind of ['prefix', 'path', 'path_separated_prefix']) {
    const text = textIn(match, kind);
    if (text !== null) return `${kind} ${text}`;
  }
  return Object.keys(match)[0] ?? 'any path';
}
