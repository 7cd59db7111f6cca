import { placeIn } from '../../document/problem-log.ts';
import { quoted } from '../../document/problem.ts';
import type { KongConsumer, KongPlugin, KongRoute, KongService, PluginScope } from './kong-entities.ts';
import { byName, commonKeys, type KongMapping, unknownKeys } from './kong-reader.ts';
import type { ReadingContext } from './read-configuration.ts';

/** The keys of a plugin that change nothing of when or how it decides, or are read. */
const pluginKeys: ReadonlySet<string> = new Set([
  ...commonKeys,
  ...['name', 'instance_name', 'route', 'service', 'consumer', 'consumer_group', 'config', 'protocols', 'enabled'],
  ...['run_on', 'ordering', 'partials'],
]);

/** What a plugin is nested in, and therefore applies to. */
interface Nesting extends Partial<PluginScope> {
  /** The consumer group of Kong Enterprise. */
  readonly group?: string;
}

/** A plugin where it was found. */
export interface NestedPlugin {
  readonly entity: KongMapping;
  readonly nesting: Nesting;
  /** The entity is a chain of WebAssembly filters, which counts as a plugin of this name. */
  readonly isFilterChain: boolean;
}

/** The name under which chains of WebAssembly filters are told. */
const FILTER_CHAINS = 'filter_chains';

/** The plugins in an entity, or at the top of the file. */
export function nestedPlugins(
  parent: KongMapping,
  nesting: Nesting,
  { reader }: ReadingContext,
): readonly NestedPlugin[] {
  return [
    ...reader.mappings(parent, 'plugins').map((entity) => ({ entity, nesting, isFilterChain: false })),
    ...reader.mappings(parent, FILTER_CHAINS).map((entity) => ({ entity, nesting, isFilterChain: true })),
  ];
}

/** Entities that plugins can refer to. */
interface Targets {
  readonly services: readonly KongService[];
  readonly routes: readonly KongRoute[];
  readonly consumers: readonly KongConsumer[];
  /** The name of a consumer group that is given by name or id. */
  readonly nameOfGroup: (reference: string) => string;
}

/**
 * The plugins that are enabled, with what they apply to. Kong does not look at disabled ones, so that a plugin with a
 * wider scope applies in their place. One of a consumer group stands once for each of its consumers.
 */
export function readPlugins(
  root: KongMapping,
  nested: readonly NestedPlugin[],
  { services, routes, consumers, nameOfGroup }: Targets,
  context: ReadingContext,
): readonly KongPlugin[] {
  const { reader, problems, findings } = context;
  const findService = byName(services, ({ id, name }) => [id, name]);
  const findRoute = byName(routes, ({ id, name }) => [id, name]);
  const findConsumer = byName(consumers, ({ id, username }) => [id, username]);
  const shared = reader.mappingIn(root, '_plugin_configs');

  return nested.flatMap(({ entity, nesting, isFilterChain }): readonly KongPlugin[] => {
    const { place } = entity;
    const name = isFilterChain ? FILTER_CHAINS : reader.text(entity, 'name');
    if (name === null) {
      problems.report(place, '"name" is missing; a plugin needs it');
      return [];
    }
    const isEnabled = reader.flag(entity, 'enabled', true);
    const at = (key: string): Parameters<typeof findService>[1] => placeIn(place, key);
    const service = reader.reference(entity, 'service');
    const route = reader.reference(entity, 'route');
    const consumer = reader.reference(entity, 'consumer');
    const plugin = {
      place,
      name,
      config: isFilterChain ? entity : configOf(entity, shared, context),
      service: service === null ? (nesting.service ?? null) : findService(service, at('service'), problems, 'service'),
      route: route === null ? (nesting.route ?? null) : findRoute(route, at('route'), problems, 'route'),
      consumer:
        consumer === null ? (nesting.consumer ?? null) : findConsumer(consumer, at('consumer'), problems, 'consumer'),
    };
    if (!isEnabled) return [];
    if (!isFilterChain) {
      for (const key of unknownKeys(entity, pluginKeys)) {
        findings.add('warning', placeIn(place, key), {
          subject: `plugin ${quoted(name)}`,
          what: `has ${quoted(key)}, which is not known here: the plugin counts as if it always applied`,
        });
      }
    }
    const group = nesting.group ?? reader.reference(entity, 'consumer_group');
    if (group === null) return [plugin];
    return consumers
      .filter(({ consumerGroups }) => consumerGroups.has(nameOfGroup(group)))
      .map((member) => ({ ...plugin, consumer: member }));
  });
}

/** The `config` of a plugin, over the one that deck's `_config` names. */
function configOf(entity: KongMapping, shared: KongMapping | null, { reader, problems }: ReadingContext): KongMapping {
  const own = reader.mappingIn(entity, 'config') ?? { raw: {}, place: placeIn(entity.place, 'config') };
  const name = reader.text(entity, '_config');
  if (name === null) return own;
  const common = shared === null ? null : reader.mappingIn(shared, name);
  if (common === null) {
    problems.report(placeIn(entity.place, '_config'), `there is no ${quoted(name)} in "_plugin_configs"`);
    return own;
  }
  return { raw: { ...common.raw, ...own.raw }, place: own.place };
}

/** Finds which configuration of a plugin Kong uses. */
export interface EffectivePlugins {
  /** The names of the plugins that apply to a route whoever calls, each with its configuration. */
  forRoute(route: KongRoute): ReadonlyMap<string, KongPlugin>;
  /** The configuration for one consumer on a route; null when none applies. */
  forConsumer(name: string, route: KongRoute, consumer: KongConsumer): KongPlugin | null;
  /** Plugins that apply to single consumers only, by consumer. */
  readonly byConsumer: ReadonlyMap<KongConsumer, readonly KongPlugin[]>;
}

type Scope = readonly [KongRoute | null, KongService | null, KongConsumer | null];

/** Configurations of one plugin by what they apply to. */
type Scopes = Map<KongRoute | null, Map<KongService | null, Map<KongConsumer | null, KongPlugin>>>;

/**
 * Of a plugin that is configured several times, Kong takes the one with the narrowest scope: route with service and
 * consumer, route with consumer, service with consumer, route with service, consumer, route, service, everything
 * (kong/runloop/plugins_iterator.lua, lookup_cfg).
 */
export function effectivePlugins(plugins: readonly KongPlugin[]): EffectivePlugins {
  const scopes = new Map<string, Scopes>();
  const byConsumer = new Map<KongConsumer, KongPlugin[]>();
  for (const plugin of plugins) {
    const { name, route, service, consumer } = plugin;
    const routes = orMade(scopes, name, (): Scopes => new Map());
    const services = orMade(routes, route, () => new Map<KongService | null, Map<KongConsumer | null, KongPlugin>>());
    const consumers = orMade(services, service, () => new Map<KongConsumer | null, KongPlugin>());
    if (!consumers.has(consumer)) consumers.set(consumer, plugin);
    if (consumer !== null) orMade(byConsumer, consumer, () => [] as KongPlugin[]).push(plugin);
  }
  const find = (name: string, order: readonly Scope[]): KongPlugin | null => {
    const routes = scopes.get(name);
    for (const [route, service, consumer] of order) {
      const plugin = routes?.get(route)?.get(service)?.get(consumer);
      if (plugin !== undefined) return plugin;
    }
    return null;
  };
  const ofRoutes = new Map<KongRoute, ReadonlyMap<string, KongPlugin>>();
  return {
    byConsumer,
    forRoute: (route) => {
      const known = ofRoutes.get(route);
      if (known !== undefined) return known;
      const { service } = route;
      const order: readonly Scope[] = [
        [route, service, null],
        [route, null, null],
        [null, service, null],
        [null, null, null],
      ];
      const found = new Map<string, KongPlugin>();
      for (const name of scopes.keys()) {
        const plugin = find(name, order);
        if (plugin !== null) found.set(name, plugin);
      }
      ofRoutes.set(route, found);
      return found;
    },
    forConsumer: (name, route, consumer) => {
      const { service } = route;
      return find(name, [
        ...(service === null ? [] : [[route, service, consumer] as const]),
        [route, null, consumer],
        ...(service === null
          ? []
          : ([
              [null, service, consumer],
              [route, service, null],
            ] as const)),
        [null, null, consumer],
        [route, null, null],
        ...(service === null ? [] : [[null, service, null] as const]),
        [null, null, null],
      ]);
    },
  };
}

function orMade<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
