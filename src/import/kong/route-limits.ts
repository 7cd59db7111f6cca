import type { Limit } from '../../model/limit.ts';
import type { EffectivePlugins } from './effective-plugins.ts';
import { type FindingLog, quoted } from './finding.ts';
import type { ImportOptions } from './import-options.ts';
import type { KongConsumer, KongPlugin, KongRoute, KongService } from './kong-entities.ts';
import type { KongReader } from './kong-reader.ts';
import { importLimits, type ImportedLimits, strictest } from './read-limits.ts';

/** Limits of an endpoint or of one consumer on it. */
export interface DecidedLimits {
  readonly limits: readonly Limit[];
  /** Refuses everything, because a limit could not be taken over. */
  readonly isRefused: boolean;
  readonly deniesOnFailure: boolean;
}

/** What the rate limiting plugins mean for routes. */
export interface RouteLimits {
  ofRoute(route: KongRoute, isAuthenticated: boolean): DecidedLimits;
  /** The limits that Kong has for a single consumer on a route; null when they are those of everybody. */
  ofConsumer(route: KongRoute, consumer: KongConsumer): DecidedLimits | null;
}

const limitPlugins = ['rate-limiting', 'rate-limiting-advanced'] as const;

/** Reads all limits. A plugin that applies to several routes has one count for all of them; endpoints have one each. */
export function routeLimits(
  routes: readonly KongRoute[],
  effective: EffectivePlugins,
  options: ImportOptions,
  reader: KongReader,
  findings: FindingLog,
): RouteLimits {
  const read = new Map<KongPlugin, ImportedLimits>();
  const importedOf = (plugin: KongPlugin): ImportedLimits => {
    const known = read.get(plugin) ?? importLimits(plugin, reader, findings);
    read.set(plugin, known);
    return known;
  };
  const sharers = new Map<KongPlugin, Map<KongService | null, number>>();
  const count = (plugin: KongPlugin, { service }: KongRoute): void => {
    const group = importedOf(plugin).countsByService ? service : null;
    const counts = sharers.get(plugin) ?? new Map<KongService | null, number>();
    counts.set(group, (counts.get(group) ?? 0) + 1);
    sharers.set(plugin, counts);
  };
  const scoped = [...effective.byConsumer].filter(([, plugins]) =>
    plugins.some(({ name }) => limitPlugins.some((known) => known === name)),
  );
  for (const route of routes) {
    for (const name of limitPlugins) {
      const plugin = effective.forRoute(route).get(name);
      if (plugin !== undefined) count(plugin, route);
      for (const [consumer] of scoped) {
        const own = effective.forConsumer(name, route, consumer);
        if (own?.consumer === consumer) count(own, route);
      }
    }
  }

  const limitsOf = (plugin: KongPlugin, route: KongRoute, isAuthenticated: boolean): DecidedLimits => {
    const imported = importedOf(plugin);
    const { name, place } = plugin;
    const subject = `plugin ${quoted(name)}`;
    const refusing =
      plugin.consumer === null ? 'the endpoints it applies to refuse everything' : 'the consumer is disabled';
    const fault =
      imported.fault ??
      (imported.per === 'consumer' && !isAuthenticated
        ? 'counts addresses where nobody is authenticated, which Postern does not'
        : imported.per === 'endpoint' && plugin.consumer !== null
          ? 'counts a whole service for one consumer, which Postern does not'
          : imported.countsByService && route.service === null
            ? 'counts addresses on a route without service, which Postern does not'
            : null);
    const { deniesOnFailure } = imported;
    if (fault !== null) {
      const isElsewhere = options.elsewhere.has(name);
      findings.add(isElsewhere ? 'warning' : 'error', place, {
        subject,
        what: `${fault}${isElsewhere ? ': it was left out, because it was said that its work is done elsewhere' : `: ${refusing}`}`,
        instead: `limit by Envoy’s local or global rate limit filter; then import again with --elsewhere ${name}`,
      });
      return { limits: [], isRefused: !isElsewhere, deniesOnFailure };
    }
    const sharing = sharers.get(plugin)?.get(imported.countsByService ? route.service : null) ?? 1;
    if (sharing === 1) return { limits: imported.limits, isRefused: false, deniesOnFailure };
    const shared = `has one count for ${String(sharing)} routes; endpoints of Postern count by themselves`;
    if (options.sharedLimits === 'refuse') {
      findings.add('error', place, {
        subject,
        what: `${shared}: ${refusing}`,
        instead:
          'choose: --shared-limits each (every endpoint has the whole limit, together they allow more) or divide (each has its share)',
      });
      return { limits: [], isRefused: true, deniesOnFailure };
    }
    const isDivided = options.sharedLimits === 'divide';
    findings.add('warning', place, {
      subject,
      what: `${shared}, each with ${isDivided ? 'its share' : 'the whole limit'}`,
    });
    const limits = isDivided
      ? imported.limits.map((limit) => ({ ...limit, requests: Math.floor(limit.requests / sharing) }))
      : imported.limits;
    if (limits.every(({ requests }) => requests >= 1)) return { limits, isRefused: false, deniesOnFailure };
    findings.add('error', place, { subject, what: `allows less than one request for each of its routes: ${refusing}` });
    return { limits: [], isRefused: true, deniesOnFailure };
  };

  const join = (parts: readonly DecidedLimits[]): DecidedLimits => ({
    limits: strictest(parts.flatMap(({ limits }) => limits)),
    isRefused: parts.some(({ isRefused }) => isRefused),
    deniesOnFailure: parts.some(({ deniesOnFailure }) => deniesOnFailure),
  });
  return {
    ofRoute: (route, isAuthenticated) => {
      const plugins = effective.forRoute(route);
      return join(
        limitPlugins.flatMap((name) => {
          const plugin = plugins.get(name);
          return plugin === undefined ? [] : [limitsOf(plugin, route, isAuthenticated)];
        }),
      );
    },
    ofConsumer: (route, consumer) => {
      const plugins = limitPlugins.flatMap((name) => effective.forConsumer(name, route, consumer) ?? []);
      if (plugins.every((plugin) => plugin.consumer === null)) return null;
      const { limits, ...rest } = join(plugins.map((plugin) => limitsOf(plugin, route, true)));
      return { ...rest, limits: limits.filter(({ per }) => per === 'consumer') };
    },
  };
}
