import { placeIn } from '../../document/problem-log.ts';
import { quoted } from './finding.ts';
import type { KongConsumer, KongPlugin, KongRoute, KongService, PluginScope } from './kong-entities.ts';
import { type KongMapping, unknownKeys } from './kong-reader.ts';
import { pluginKeys } from './known-keys.ts';
import type { ReadingContext } from './read-configuration.ts';
import { byName } from './references.ts';

/** What a plugin is nested in, and therefore applies to. */
export interface Nesting extends Partial<PluginScope> {
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
export const FILTER_CHAINS = 'filter_chains';

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
