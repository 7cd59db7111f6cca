import { quoted } from '../../../model/document/problem.ts';
import { placeIn } from '../../../model/document/problem-log.ts';
import type { ReportDifference } from '../../../check/methods/kong.ts';
import type { ImportContext } from './import-context.ts';
import type { KongConsumer, KongPlugin, KongRoute, KongService, PluginScope } from './kong-entities.ts';
import { commonKeys, finderOf, type KongMapping, PluginConfig } from './kong-mapping.ts';
import { kindOfPlugin } from './plugin-kinds.ts';
import { pathToPlaceholder, RENDER_FIRST } from './unresolved.ts';

/** The keys of a plugin that change nothing of when or how it decides, or are read. */
const pluginKeys: ReadonlySet<string> = new Set([
  ...commonKeys,
  ...['name', 'instance_name', 'route', 'service', 'consumer', 'consumer_group', 'config', 'protocols', 'enabled'],
  ...['run_on', 'ordering', 'partials', '_config'],
]);

/** What a plugin is nested in, and therefore applies to. */
interface Nesting extends Partial<PluginScope> {
  /** The consumer group of Kong Enterprise. */
  readonly group?: string;
}

/** A plugin as it stands in a configuration, with the entities around it. */
export interface NestedPlugin {
  readonly entity: KongMapping;
  readonly nesting: Nesting;
  /** The entity is a chain of WebAssembly filters, which counts as a plugin of this name. */
  readonly isFilterChain: boolean;
}

/** The name under which chains of WebAssembly filters are reported. */
const FILTER_CHAINS = 'filter_chains';

/** The plugins in an entity, or at the top of the file. */
export function nestedPlugins(parent: KongMapping, nesting: Nesting): readonly NestedPlugin[] {
  return [
    ...parent.mappings('plugins').map((entity) => ({ entity, nesting, isFilterChain: false })),
    ...parent.mappings(FILTER_CHAINS).map((entity) => ({ entity, nesting, isFilterChain: true })),
  ];
}

interface Targets {
  readonly services: readonly KongService[];
  readonly routes: readonly KongRoute[];
  readonly consumers: readonly KongConsumer[];
  /** The name of a consumer group that is given by name or id; null when there is none. */
  readonly nameOfGroup: (reference: string) => string | null;
}

/**
 * The plugins that are enabled, with what they apply to. Kong does not look at disabled ones, so that a plugin with a
 * wider scope applies in their place. One of a consumer group is repeated for each of its consumers.
 */
export function readPlugins(
  root: KongMapping,
  nested: readonly NestedPlugin[],
  { services, routes, consumers, nameOfGroup }: Targets,
  { problems, findings }: ImportContext,
): readonly KongPlugin[] {
  const ofService = finderOf('service', services, ({ id, name }) => [id, name], problems);
  const ofRoute = finderOf('route', routes, ({ id, name }) => [id, name], problems);
  const ofConsumer = finderOf('consumer', consumers, ({ id, username }) => [id, username], problems);
  const shared = root.mapping('_plugin_configs');

  /** The `config` of a plugin, over the one that deck's `_config` names. */
  const configOf = (entity: KongMapping, subject: string): PluginConfig => {
    const { raw, place } = entity.mapping('config') ?? { raw: {}, place: placeIn(entity.place, 'config') };
    const name = entity.text('_config');
    const common = name === null ? null : (shared?.mapping(name) ?? null);
    if (name !== null && common === null) {
      problems.report(placeIn(entity.place, '_config'), `there is no ${quoted(name)} in "_plugin_configs"`);
    }
    return new PluginConfig({ ...common?.raw, ...raw }, place, problems, findings.about(place, subject));
  };

  const isRepeated = repetitionFinder();
  return nested.flatMap(({ entity, nesting, isFilterChain }): readonly KongPlugin[] => {
    const { place, raw } = entity;
    const name = isFilterChain ? FILTER_CHAINS : entity.text('name');
    if (name === null) {
      problems.report(place, '"name" is missing; a plugin needs it');
      return [];
    }
    const subject = `plugin ${quoted(name)}`;
    const report = findings.about(place, subject);
    const isEnabled = entity.flag('enabled', true);
    const plugin = {
      place,
      name,
      config: isFilterChain ? new PluginConfig(raw, place, problems, report) : configOf(entity, subject),
      service: ofService.findIn(entity, nesting.service ?? null),
      route: ofRoute.findIn(entity, nesting.route ?? null),
      consumer: ofConsumer.findIn(entity, nesting.consumer ?? null),
      isDoubtful: false,
    };
    const reference = nesting.group ?? entity.reference('consumer_group');
    if (!isEnabled) return [];
    const found = !isFilterChain && reportDoubts(plugin, entity, report) ? doubtIn(plugin) : plugin;
    if (reference === null) {
      if (!isRepeated(plugin) || kindOfPlugin(name).kind === 'bystander') return [found];
      report('error', [], {
        what: `stands twice for the same service, route and consumer: ${REFUSING}`,
        instead: 'remove one: Kong refuses a plugin that is there twice',
      });
      return [doubtIn(plugin)];
    }
    const group = nameOfGroup(reference);
    if (group === null) {
      problems.report(placeIn(place, 'consumer_group'), `there is no consumer group ${quoted(reference)} in this file`);
    }
    return consumers
      .filter(({ consumerGroups }) => group !== null && consumerGroups.has(group))
      .map((member) => ({ ...found, consumer: member }));
  });
}

/** Under this name of a plugin, which none of Kong has, stands what may keep requests out and could not be read. */
const DOUBT = '(doubt)';

/** Keeps everything out in a scope: something that could not be read may do so in Kong. */
export function doubtIn(plugin: Omit<KongPlugin, 'name' | 'isDoubtful'>): KongPlugin {
  return { ...plugin, name: DOUBT, isDoubtful: true };
}

/** Finds plugins that stand once more in the same scope: which of them Kong means is open. */
function repetitionFinder(): (plugin: KongPlugin) => boolean {
  const known = new Map<string, Map<KongRoute | null, Map<KongService | null, Set<KongConsumer | null>>>>();
  return ({ name, route, service, consumer }) => {
    const routes = orMade(
      known,
      name,
      () => new Map<KongRoute | null, Map<KongService | null, Set<KongConsumer | null>>>(),
    );
    const services = orMade(routes, route, () => new Map<KongService | null, Set<KongConsumer | null>>());
    const consumers = orMade(services, service, () => new Set<KongConsumer | null>());
    if (consumers.has(consumer)) return true;
    consumers.add(consumer);
    return false;
  };
}

const REFUSING = 'what the plugin may apply to refuses everything';

/** Reports what of a plugin is unknown or not filled in, and may make it stricter than it looks. */
function reportDoubts({ name, config }: KongPlugin, entity: KongMapping, report: ReportDifference): boolean {
  const unknown = entity.unknownKeys(pluginKeys);
  for (const key of unknown) {
    report('error', [key], {
      what: `has ${quoted(key)}, which the importer does not know: ${REFUSING}`,
      instead: 'correct it: Kong refuses keys that it does not know',
    });
  }
  const { kind } = kindOfPlugin(name);
  const isDecisive = kind.endsWith('authentication') || kind === 'acl';
  const ofEntity = entity.placeholderIn(['name']);
  const ofConfig = isDecisive ? pathToPlaceholder(config.raw) : null;
  const words = { what: `has a placeholder: ${REFUSING}`, instead: RENDER_FIRST };
  if (ofEntity !== null) report('error', ofEntity, words);
  if (ofConfig !== null) config.report('error', ofConfig, words);
  return unknown.length > 0 || ofEntity !== null || ofConfig !== null;
}

/** Finds which configuration of a plugin Kong uses. */
export interface EffectivePlugins {
  /** The names of the plugins that apply to a route for every caller, each with its configuration. */
  forRoute(route: KongRoute): ReadonlyMap<string, KongPlugin>;
  /** The configuration for one consumer on a route; null when none applies. */
  forConsumer(name: string, route: KongRoute, consumer: KongConsumer): KongPlugin | null;
  /** Plugins that apply to single consumers only, by consumer. */
  readonly byConsumer: ReadonlyMap<KongConsumer, readonly KongPlugin[]>;
}

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
  /** A route without service, or a caller that is no consumer, makes some of the scopes equal. */
  const find = (name: string, route: KongRoute, caller: KongConsumer | null): KongPlugin | null => {
    const { service: own } = route;
    for (const [ofRoute, ofService, ofConsumer] of [
      [route, own, caller],
      [route, null, caller],
      [null, own, caller],
      [route, own, null],
      [null, null, caller],
      [route, null, null],
      [null, own, null],
      [null, null, null],
    ] as const) {
      const plugin = scopes.get(name)?.get(ofRoute)?.get(ofService)?.get(ofConsumer);
      if (plugin !== undefined) return plugin;
    }
    return null;
  };
  const ofRoutes = new Map<KongRoute, ReadonlyMap<string, KongPlugin>>();
  return {
    byConsumer,
    forRoute: (route) =>
      orMade(ofRoutes, route, () => {
        const found = [...scopes.keys()].map((name) => [name, find(name, route, null)] as const);
        return new Map(found.filter((entry): entry is [string, KongPlugin] => entry[1] !== null));
      }),
    forConsumer: find,
  };
}

/** The value of a key; a missing one is made and kept. */
export function orMade<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
