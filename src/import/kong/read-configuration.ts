import { quoted } from '../../document/problem.ts';
import { placeIn, type Place, type ProblemLog } from '../../document/problem-log.ts';
import type { YamlTree } from '../../document/yaml-tree.ts';
import { foreignCredentials, readConsumers } from './consumers.ts';
import type { ImportContext } from './import-context.ts';
import { type KongConfiguration, type KongRoute, type KongService, nameOfRoute } from './kong-entities.ts';
import { commonKeys, finderOf, KongMapping } from './kong-mapping.ts';
import { importedMethods } from './plugin-kinds.ts';
import { type NestedPlugin, nestedPlugins, readPlugins } from './plugins.ts';

/** The keys of a service (Kong's kong/db/schema/entities/services.lua), with what can be nested in it. */
const serviceKeys: ReadonlySet<string> = new Set([
  ...commonKeys,
  ...['name', 'retries', 'protocol', 'host', 'port', 'path', 'url', 'connect_timeout', 'write_timeout', 'read_timeout'],
  ...['client_certificate', 'tls_verify', 'tls_verify_depth', 'tls_sans', 'ca_certificates', 'enabled'],
  ...['routes', 'plugins', 'filter_chains'],
]);

/**
 * The keys of a route (kong/db/schema/entities/routes.lua) that say nothing about which requests it takes, or are read.
 */
const routeKeys: ReadonlySet<string> = new Set([
  ...commonKeys,
  ...['name', 'service', 'protocols', 'hosts', 'paths', 'methods', 'regex_priority', 'strip_path', 'path_handling'],
  ...['https_redirect_status_code', 'preserve_host', 'request_buffering', 'response_buffering'],
  ...['headers', 'priority', 'plugins', 'filter_chains'],
]);

/** Lists at the top of the file that are read. */
const readLists: ReadonlySet<string> = new Set([
  ...['services', 'routes', 'consumers', 'plugins', 'acls', 'consumer_groups', 'consumer_group_consumers'],
  ...['consumer_group_plugins', 'filter_chains'],
  ...importedMethods.map(({ credential }) => credential.list),
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

/** Match conditions of a route that no endpoint has. `headers` is counted too, because Kong orders routes by it. */
const OTHER_CONDITIONS = ['headers', 'snis', 'sources', 'destinations', 'expression'];

/** What a file says, flattened; null when it is no declarative configuration of Kong: then a problem says why. */
export function readConfiguration(tree: YamlTree, context: ImportContext): KongConfiguration | null {
  const { problems, options } = context;
  const root = KongMapping.read({ raw: tree.value, place: rootPlace(tree) }, problems);
  if (root === null) return null;
  const format = readFormat(root, problems);
  if (format === null) return null;
  refusePart(root, problems, options.isComplete);
  reportOtherLists(root, context);

  const nested: NestedPlugin[] = [...nestedPlugins(root, {})];
  const services: KongService[] = [];
  const routes: KongRoute[] = [];
  const addRoute = (entity: KongMapping, service: KongService | null): void => {
    const route = readRoute(entity, service, context);
    routes.push(route);
    nested.push(...nestedPlugins(entity, { route }));
  };
  for (const entity of root.mappings('services')) {
    const service = readService(entity, context);
    services.push(service);
    nested.push(...nestedPlugins(entity, { service }));
    for (const route of entity.mappings('routes')) addRoute(route, service);
  }
  const ofService = finderOf('service', services, ({ id, name }) => [id, name], problems);
  for (const entity of root.mappings('routes')) addRoute(entity, ofService.findIn(entity, null));
  const { consumers, consumerPlugins, nameOfGroup } = readConsumers(root, context);
  nested.push(...consumerPlugins);
  if (nested.length > MAX_PLUGINS) {
    problems.report(root.place, `there are more than ${String(MAX_PLUGINS)} plugins; divide the file`);
    return null;
  }
  const plugins = readPlugins(root, nested, { services, routes, consumers, nameOfGroup }, context);
  return { services, routes, plugins, consumers, marksRegexPaths: format === '3.0' };
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

/** A part of a configuration does not say what else applies to it: a global plugin may be missing. */
function refusePart(root: KongMapping, problems: ProblemLog, isComplete: boolean): void {
  const info = root.mapping('_info');
  if (info === null) return;
  if (info.items('select_tags').length > 0 && !isComplete) {
    problems.report(
      placeIn(info.place, 'select_tags'),
      'this file holds only what has these tags, and plugins without them may apply to its routes: dump the whole configuration (deck gateway dump), or say with --complete that it is whole',
    );
  }
  const defaults = info.mapping('defaults');
  const decisive = [...OTHER_CONDITIONS, 'hosts', 'paths', 'methods', 'enabled', 'regex_priority'];
  for (const kind of ['service', 'route']) {
    const values = defaults?.mapping(kind) ?? null;
    const used = values === null ? [] : decisive.filter((key) => values.has(key));
    if (values === null || used.length === 0) continue;
    const keys = used.map((key) => JSON.stringify(key)).join(', ');
    problems.report(values.place, `defaults for ${keys} are not filled in here; run "deck file render" first`);
  }
}

function reportOtherLists(root: KongMapping, { findings }: ImportContext): void {
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
      report('error', [], {
        what: 'is unknown to the importer and was left out',
        instead: 'check whether it decides who gets in',
      });
    }
  }
}

function readService(entity: KongMapping, { findings }: ImportContext): KongService {
  const { place } = entity;
  const service = { place, id: entity.text('id'), name: entity.text('name'), isEnabled: entity.flag('enabled', true) };
  const report = findings.about(place, `service ${quoted(service.name ?? '')}`);
  for (const key of entity.unknownKeys(serviceKeys)) {
    report('warning', [key], { what: `has ${quoted(key)}, which the importer does not know and left out` });
  }
  return service;
}

function readRoute(entity: KongMapping, service: KongService | null, { problems, findings }: ImportContext): KongRoute {
  const { place } = entity;
  const headers = entity.mapping('headers');
  const headerCount = headers === null ? 0 : Object.keys(headers.raw).length;
  const isPresent = (key: string): boolean =>
    key === 'headers' ? headerCount > 0 : key === 'expression' ? entity.has(key) : isFilled(entity, key);
  const names = { id: entity.text('id'), name: entity.text('name'), service };
  const route: KongRoute = {
    ...names,
    place,
    report: findings.about(place, `route ${quoted(nameOfRoute(names))}`),
    hosts: entity.texts('hosts'),
    paths: entity.texts('paths'),
    methods: entity.texts('methods'),
    protocols: entity.texts('protocols'),
    headerCount,
    otherConditions: [
      ...OTHER_CONDITIONS.filter(isPresent),
      ...entity.unknownKeys(routeKeys).filter((key) => !OTHER_CONDITIONS.includes(key)),
    ],
    regexPriority: entity.number('regex_priority') ?? 0,
    stripsPath: entity.flag('strip_path', true),
  };
  const { hosts, paths, methods, otherConditions, protocols } = route;
  const isHttp = protocols.length === 0 || protocols.some((protocol) => /^(?:http|grpc)s?$/.test(protocol));
  if (isHttp && hosts.length + paths.length + methods.length + otherConditions.length === 0) {
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
