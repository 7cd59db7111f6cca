import { isJsonObject } from '../../../model/document/json.ts';
import { quoted } from '../../../model/document/problem.ts';
import { placeIn, type Place, type ProblemLog } from '../../../model/document/problem-log.ts';
import type { YamlTree } from '../../../model/document/yaml-tree.ts';
import { foreignCredentials, readConsumers } from './consumers.ts';
import { isDoubtful } from './doubts.ts';
import type { ImportContext } from './import-context.ts';
import {
  type KongConfiguration,
  type KongPlugin,
  type KongRoute,
  type KongService,
  nameOfRoute,
} from './kong-entities.ts';
import { commonKeys, finderOf, KongMapping, PluginConfig } from './kong-mapping.ts';
import { importedMethods } from './plugin-kinds.ts';
import { doubtIn, type NestedPlugin, nestedPlugins, readPlugins } from './plugins.ts';
import { findPlaceholder } from './unresolved.ts';

/** The keys of a service (Kong's kong/db/schema/entities/services.lua), with what can be nested in it. */
const serviceKeys: ReadonlySet<string> = new Set([
  ...commonKeys,
  ...['name', 'retries', 'protocol', 'host', 'port', 'path', 'url', 'connect_timeout', 'write_timeout', 'read_timeout'],
  ...['client_certificate', 'tls_verify', 'tls_verify_depth', 'tls_sans', 'ca_certificates', 'enabled'],
  ...['routes', 'plugins', 'filter_chains'],
]);

/** Match conditions of a route that no endpoint has. `headers` is counted too, because Kong orders routes by it. */
const OTHER_CONDITIONS = ['headers', 'snis', 'sources', 'destinations', 'expression'];

/** The keys of a route (kong/db/schema/entities/routes.lua). */
const routeKeys: ReadonlySet<string> = new Set([
  ...commonKeys,
  ...['name', 'service', 'protocols', 'hosts', 'paths', 'methods', 'regex_priority', 'strip_path', 'path_handling'],
  ...['https_redirect_status_code', 'preserve_host', 'request_buffering', 'response_buffering'],
  ...['priority', 'plugins', 'filter_chains', ...OTHER_CONDITIONS],
]);
/** Those that may decide which requests a route takes, or what applies to it. */
const decisiveRouteKeys = ['id', 'name', 'protocols', 'hosts', 'paths', 'methods', ...OTHER_CONDITIONS];

/** The keys of the top of the file that are no lists, of Kong and decK. */
const headKeys = ['_format_version', '_transform', '_workspace', '_konnect', '_info', '_plugin_configs'];

/** Lists at the top of the file that are read. */
const readLists: ReadonlySet<string> = new Set([
  ...['services', 'routes', 'consumers', 'plugins', 'acls', 'consumer_groups', 'consumer_group_consumers'],
  ...['consumer_group_plugins', 'filter_chains'],
  ...importedMethods.map(({ credential }) => credential.list),
  ...headKeys,
]);

/** Lists about upstreams and certificates, whose place is Envoy's configuration. */
const envoyLists: ReadonlySet<string> = new Set([
  ...['upstreams', 'targets', 'certificates', 'ca_certificates', 'snis'],
]);

/** Lists of things that Postern has no use for. */
const idleLists: ReadonlySet<string> = new Set([
  ...['vaults', 'keys', 'key_sets', 'workspaces', 'parameters', 'clustering_data_planes', 'tags', 'licenses'],
  ...['rbac_roles', 'rbac_users', 'partials', 'plugins_partials', 'oauth2_authorization_codes', 'sni'],
]);

/** More plugins than these, which aliases can make of a short text, are not read. */
export const MAX_PLUGINS = 200_000;

const FORMATS = ['1.1', '2.1', '3.0'];

/** What a file says, flattened; null when it is no declarative configuration of Kong: then a problem says why. */
export function readConfiguration(tree: YamlTree, context: ImportContext): KongConfiguration | null {
  const { problems, options } = context;
  const root = KongMapping.read({ raw: tree.value, place: rootPlace(tree) }, problems);
  if (root === null) return null;
  const format = readFormat(root, problems);
  if (format === null) return null;
  refusePart(root, problems, options.isComplete);
  const doubts: KongPlugin[] = [];
  const addDoubt = (place: Place, service: KongService | null): void => {
    const config = new PluginConfig({}, place, problems, context.findings.about(place, 'doubt'));
    doubts.push(doubtIn({ place, config, service, route: null, consumer: null }));
  };
  if (reportOtherLists(root, context)) addDoubt(root.place, null);

  const nested: NestedPlugin[] = [...nestedPlugins(root, {})];
  const services: KongService[] = [];
  const routes: KongRoute[] = [];
  const addRoute = (entity: KongMapping, service: KongService | null): void => {
    const route = readRoute(entity, service, context);
    routes.push(route);
    nested.push(...nestedPlugins(entity, { route }));
  };
  for (const entity of root.mappings('services')) {
    const { service, doubt } = readService(entity, context);
    services.push(service);
    if (doubt !== null) addDoubt(entity.place, doubt === 'service' ? service : null);
    nested.push(...nestedPlugins(entity, { service }));
    for (const route of entity.mappings('routes')) addRoute(route, service);
  }
  const ofService = finderOf('service', services, ({ id, name }) => [id, name], problems);
  for (const entity of root.mappings('routes')) addRoute(entity, ofService.findIn(entity, null));
  const { consumers, consumerPlugins, nameOfGroup, doubtfulGroup } = readConsumers(root, context);
  if (doubtfulGroup !== null) addDoubt(doubtfulGroup, null);
  nested.push(...consumerPlugins);
  if (nested.length > MAX_PLUGINS) {
    problems.report(root.place, `there are more than ${String(MAX_PLUGINS)} plugins; divide the file`);
    return null;
  }
  const plugins = readPlugins(root, nested, { services, routes, consumers, nameOfGroup }, context);
  return { services, routes, plugins: [...plugins, ...doubts], consumers, marksRegexPaths: format === '3.0' };
}

function readFormat(root: KongMapping, problems: ProblemLog): string | null {
  const raw = root.raw['_format_version'];
  if (raw === undefined) {
    problems.report(
      root.place,
      `"_format_version" is missing; a declarative configuration of Kong has it (${FORMATS.join(', ')})`,
    );
    return null;
  }
  // Without quotes, YAML reads a number.
  const format = typeof raw === 'number' ? raw.toFixed(1) : raw;
  if (typeof format === 'string' && FORMATS.includes(format)) return format;
  problems.report(placeIn(root.place, '_format_version'), `"_format_version" must be one of ${FORMATS.join(', ')}`);
  return null;
}

/** The keys of decK's `_info`. */
const infoKeys: ReadonlySet<string> = new Set(['select_tags', 'default_lookup_tags', 'lookup_tags', 'defaults']);

/** A part of a configuration does not say what else applies to it: a global plugin may be missing. */
function refusePart(root: KongMapping, problems: ProblemLog, isComplete: boolean): void {
  const info = root.mapping('_info');
  if (info === null) return;
  for (const key of info.unknownKeys(infoKeys)) {
    problems.report(placeIn(info.place, key), `"_info" has ${quoted(key)}, which is unknown; correct or remove it`);
  }
  if (info.items('select_tags').length > 0 && !isComplete) {
    problems.report(
      placeIn(info.place, 'select_tags'),
      'this file holds only what has these tags, and plugins without them may apply to its routes: dump the whole configuration (deck gateway dump), or say with --complete that it is whole',
    );
  }
  const defaults = info.mapping('defaults');
  const decisive = [...OTHER_CONDITIONS, 'hosts', 'paths', 'methods', 'enabled', 'regex_priority'];
  for (const [kind, known] of [
    ['service', serviceKeys],
    ['route', routeKeys],
  ] as const) {
    const values = defaults?.mapping(kind) ?? null;
    const used = values === null ? [] : [...decisive.filter((key) => values.has(key)), ...values.unknownKeys(known)];
    if (values === null || used.length === 0) continue;
    const keys = used.map((key) => JSON.stringify(key)).join(', ');
    problems.report(values.place, `defaults for ${keys} are not filled in here; run "deck file render" first`);
  }
}

/** Whether there is a list that the importer does not know, such as a misspelt `plugins`. */
function reportOtherLists(root: KongMapping, { findings }: ImportContext): boolean {
  let isAnyUnknown = false;
  for (const key of root.unknownKeys(readLists)) {
    const report = findings.about(placeIn(root.place, key), `the list ${quoted(key)}`);
    if (idleLists.has(key)) continue;
    if (envoyLists.has(key)) {
      report('note', [], {
        what: 'is about connections, which Envoy handles',
        instead: 'write it as clusters, listeners and TLS of Envoy',
      });
    } else if (Object.hasOwn(foreignCredentials, key)) {
      report('error', [], {
        what: `holds credentials of ${foreignCredentials[key] ?? key}, which Postern cannot import`,
        instead: 'give these consumers a credential of another method: postern credential issue',
      });
    } else {
      isAnyUnknown = true;
      report('error', [], {
        what: 'is unknown to the importer and may keep requests out: every endpoint refuses everything',
        instead: 'correct it, or remove it; a list that only holds anchors can be named "_ignore"',
      });
    }
  }
  return isAnyUnknown;
}

/** `doubt`: what may be stricter than it looks; `everything` where routes may be hidden in the service. */
function readService(
  entity: KongMapping,
  { findings }: ImportContext,
): { readonly service: KongService; readonly doubt: 'service' | 'everything' | null } {
  const { place } = entity;
  const service = { place, id: entity.text('id'), name: entity.text('name'), isEnabled: entity.flag('enabled', true) };
  const report = findings.about(place, `service ${quoted(service.name ?? '')}`);
  const hidesRoutes = entity.unknownKeys(serviceKeys).some((key) => mayHoldRoutes(entity.raw[key]));
  const consequence = `${hidesRoutes ? 'every endpoint' : 'the endpoints of its routes'} refuse${hidesRoutes ? 's' : ''} everything`;
  const hasDoubts = isDoubtful(entity, report, { known: serviceKeys, decisive: ['id', 'name'], consequence });
  return { service, doubt: hidesRoutes ? 'everything' : hasDoubts ? 'service' : null };
}

/** Without its routes, their requests would belong to broader ones. A list of plugins has other keys. */
function mayHoldRoutes(value: unknown): boolean {
  if (typeof value === 'string') return findPlaceholder(value) !== null;
  if (typeof value !== 'object' || value === null) return false;
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return !items.every(
    (item) =>
      isJsonObject(item) && Object.hasOwn(item, 'name') && !Object.keys(item).some((key) => !pluginLike.has(key)),
  );
}

/** The keys of most plugins, none of which a route needs. */
const pluginLike: ReadonlySet<string> = new Set([...commonKeys, 'name', 'config', 'enabled', 'protocols']);

function readRoute(entity: KongMapping, service: KongService | null, { problems, findings }: ImportContext): KongRoute {
  const { place } = entity;
  const headers = entity.mapping('headers');
  const headerCount = headers === null ? 0 : Object.keys(headers.raw).length;
  const isPresent = (key: string): boolean =>
    key === 'headers' ? headerCount > 0 : key === 'expression' ? entity.has(key) : isFilled(entity, key);
  const names = { id: entity.text('id'), name: entity.text('name'), service };
  const report = findings.about(place, `route ${quoted(nameOfRoute(names))}`);
  const consequence = 'the endpoint refuses everything, and so do others that might take its requests';
  const hasDoubts = isDoubtful(entity, report, { known: routeKeys, decisive: decisiveRouteKeys, consequence });
  const route: KongRoute = {
    ...names,
    place,
    report,
    hosts: entity.texts('hosts'),
    paths: entity.texts('paths'),
    methods: entity.texts('methods'),
    protocols: entity.texts('protocols'),
    headerCount,
    otherConditions: OTHER_CONDITIONS.filter(isPresent),
    isDoubtful: hasDoubts,
    regexPriority: entity.number('regex_priority') ?? 0,
    stripsPath: entity.flag('strip_path', true),
    preservesHost: entity.flag('preserve_host', false),
    buffersRequest: entity.flag('request_buffering', true),
  };
  const { hosts, paths, methods, otherConditions, protocols } = route;
  const isHttp = protocols.length === 0 || protocols.some((protocol) => /^(?:http|grpc)s?$/.test(protocol));
  if (isHttp && !hasDoubts && hosts.length + paths.length + methods.length + otherConditions.length === 0) {
    problems.report(place, 'a route needs "hosts", "paths", "methods" or "headers", as in Kong');
  }
  return route;
}

/** A list with anything in it: `snis: []` is no condition. */
function isFilled({ raw }: KongMapping, key: string): boolean {
  const value: unknown = Object.hasOwn(raw, key) ? raw[key] : null;
  if (value === null || value === undefined) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** Where the top of the file is. */
export function rootPlace(tree: YamlTree): Place {
  return { tree, path: [] };
}
