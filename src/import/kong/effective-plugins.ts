import type { KongConsumer, KongPlugin, KongRoute, KongService } from './kong-entities.ts';

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
