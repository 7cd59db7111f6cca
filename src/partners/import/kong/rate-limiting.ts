import { quoted } from '../../../model/document/problem.ts';
import type { PluginSettings } from '../../../check/methods/kong.ts';
import {
  type Limit,
  type LimitScope,
  type LimitUnit,
  limitUnits,
  MAX_LIMIT_REQUESTS,
  unitSeconds,
} from '../../../model/limit.ts';
import type { ImportContext } from './import-context.ts';
import type { KongConsumer, KongPlugin, KongRoute, KongService } from './kong-entities.ts';
import type { PluginConfig } from './kong-mapping.ts';
import { type EffectivePlugins, orMade } from './plugins.ts';

interface ImportedLimits {
  /** No two with the same unit. Empty when `fault` says why none can be imported. */
  readonly limits: readonly Limit[];
  /** `endpoint`: all routes of one service are counted together, wherever the plugin stands. */
  readonly per: LimitScope;
  /** In words that follow the plugin's name. */
  readonly fault: string | null;
  readonly deniesOnFailure: boolean;
}

/** How many requests a plugin allows in which windows, and why not all of it can be imported. */
interface Windows {
  readonly windows: readonly (readonly [requests: number, unit: LimitUnit])[];
  readonly fault: string | null;
}

interface LimitPlugin {
  /** The setting that says what is counted. */
  readonly keyedBy: string;
  /** The settings that are read, or that say where and how counts are kept. */
  readonly settings: ReadonlySet<string>;
  readonly readWindows: (config: PluginConfig) => Windows;
}

/** The plugins that limit rates (kong/plugins/rate-limiting/schema.lua; the other is of Kong Enterprise). */
const limitPlugins: Readonly<Record<string, LimitPlugin>> = {
  'rate-limiting': {
    keyedBy: 'limit_by',
    settings: new Set([
      ...['second', 'minute', 'hour', 'day', 'month', 'year', 'limit_by', 'header_name', 'path', 'policy', 'sync_rate'],
      ...['fault_tolerant', 'hide_client_headers', 'error_code', 'error_message', 'redis', 'redis_host', 'redis_port'],
      ...['redis_password', 'redis_username', 'redis_ssl', 'redis_ssl_verify', 'redis_server_name', 'redis_timeout'],
      'redis_database',
    ]),
    readWindows: readNamedWindows,
  },
  'rate-limiting-advanced': {
    keyedBy: 'identifier',
    settings: new Set([
      ...['limit', 'window_size', 'window_type', 'identifier', 'namespace', 'strategy', 'dictionary_name', 'sync_rate'],
      ...['hide_client_headers', 'retry_after_jitter_max', 'header_name', 'path', 'redis', 'disable_penalty'],
      ...['error_code', 'error_message', 'lock_dictionary_name', 'consumer_groups', 'enforce_consumer_groups'],
    ]),
    readWindows: readListedWindows,
  },
};
const limitNames = Object.keys(limitPlugins);

/** What `limit_by` and `identifier` can be besides a key that Postern does not know. */
const countedKeys = ['consumer', 'credential', 'service'];
const otherKeys = ['ip', 'header', 'path', 'consumer-group'];

function importLimits({ name, config }: KongPlugin): ImportedLimits {
  const kind = limitPlugins[name];
  if (kind === undefined) throw new Error('a plugin that limits nothing was read as a limit');
  const { keyedBy, settings, readWindows } = kind;
  const by = config.text(keyedBy) ?? 'consumer';
  const per: LimitScope = by === 'service' ? 'endpoint' : 'consumer';
  const { windows, fault: faultOfWindows } = readWindows(config);
  if (by === 'credential') {
    config.report('warning', [keyedBy], {
      what: 'counts each credential separately; Postern counts each consumer, with all of its credentials together',
    });
  }
  const unknown = config.unknownKeys(settings);
  const fault =
    (countedKeys.includes(by)
      ? null
      : `counts by ${otherKeys.includes(by) ? by : 'a key of its own'}, which Postern does not`) ??
    faultOfWindows ??
    (unknown.length > 0 ? `has ${unknown.map(quoted).join(', ')}, which is not known here` : null);
  const limits = windows.map(([requests, unit]) => ({ requests: Math.min(requests, MAX_LIMIT_REQUESTS), unit, per }));
  return {
    limits: fault === null ? strictest(limits) : [],
    per,
    fault,
    deniesOnFailure: !config.flag('fault_tolerant', true),
  };
}

/** The strictest limit of each unit, shortest unit first. */
function strictest(limits: readonly Limit[]): readonly Limit[] {
  const kept = new Map<string, Limit>();
  for (const limit of limits) {
    const key = `${limit.unit} ${limit.per}`;
    const other = kept.get(key);
    if (other === undefined || limit.requests < other.requests) kept.set(key, limit);
  }
  return [...kept.values()].sort((a, b) => limitUnits.indexOf(a.unit) - limitUnits.indexOf(b.unit));
}

const MONTHS_OF_A_YEAR = 12;

/** The windows of `rate-limiting`: a setting each. */
function readNamedWindows(config: PluginSettings): Windows {
  const windows = limitUnits.flatMap((unit): Windows['windows'] => {
    const requests = config.number(unit);
    // Kong lets a request through while fewer than the limit were counted: half a request allows one.
    return requests === null ? [] : [[Math.max(1, Math.ceil(requests)), unit]];
  });
  const shares: [number, LimitUnit][] = [];
  let fault: string | null = null;
  const ofYear = config.number('year');
  if (ofYear !== null) {
    const what = `allows ${String(ofYear)} requests a year; the longest window of Postern is a month`;
    const share = Math.floor(ofYear / MONTHS_OF_A_YEAR);
    if (share < 1) {
      fault = what;
    } else {
      shares.push([share, 'month']);
      config.report('warning', ['year'], {
        what: `${what}: they became ${String(share)} a month, which never adds up to more`,
        instead: 'raise the month’s limit where callers have busy months, knowing that the year may then hold more',
      });
    }
  }
  if ((config.number('error_code') ?? 429) !== 429) {
    config.report('warning', ['error_code'], {
      what: 'answers with a status of its own; Postern answers 429 RATE_LIMITED',
    });
  }
  const all = [...windows, ...shares];
  return { windows: all, fault: fault ?? (all.length === 0 ? 'has no limit' : null) };
}

/** The windows of `rate-limiting-advanced`: two lists of the same length. */
function readListedWindows(config: PluginConfig): Windows {
  const numbers = (key: string): readonly number[] =>
    config.items(key).flatMap(({ raw }) => (typeof raw === 'number' && Number.isFinite(raw) ? raw : []));
  // A month of the calendar has no fixed size.
  const units = numbers('window_size').map((size) =>
    limitUnits.find((unit) => unit !== 'month' && unitSeconds[unit] === size),
  );
  const requests = numbers('limit');
  const windows = requests.flatMap((limit, index): Windows['windows'] => {
    const unit = units[index];
    return unit === undefined || limit < 1 ? [] : [[Math.floor(limit), unit]];
  });
  const isWhole = windows.length === config.items('limit').length && requests.length === units.length;
  const hasGroups = config.items('consumer_groups').length > 0 || config.flag('enforce_consumer_groups', false);
  const fault =
    (config.text('window_type') ?? 'sliding') !== 'fixed'
      ? 'has sliding windows; those of Postern are fixed, and twice the limit can pass around the border of two'
      : windows.length === 0 || !isWhole
        ? 'has windows other than a second, a minute, an hour or a day'
        : hasGroups
          ? 'has limits for consumer groups'
          : null;
  return { windows, fault };
}

/** Limits of an endpoint or of one consumer on it. */
interface DecidedLimits {
  readonly limits: readonly Limit[];
  /** Refuses everything, because a limit could not be imported. */
  readonly isRefused: boolean;
  readonly deniesOnFailure: boolean;
}

/** The limits that endpoints get in the place of Kong's. */
export interface RouteLimits {
  ofRoute(route: KongRoute, isAuthenticated: boolean): DecidedLimits;
  /** The limits that Kong has for a single consumer on a route; null when they are those of every consumer. */
  ofConsumer(route: KongRoute, consumer: KongConsumer): DecidedLimits | null;
}

/** Reads all limits. A plugin that applies to several routes has one count for all of them; endpoints have one each. */
export function routeLimits(
  routes: readonly KongRoute[],
  effective: EffectivePlugins,
  { options, findings }: ImportContext,
): RouteLimits {
  const read = new Map<KongPlugin, ImportedLimits>();
  const importedOf = (plugin: KongPlugin): ImportedLimits => orMade(read, plugin, () => importLimits(plugin));
  /**
   * The routes that each count of a plugin is for; those of a service have a count of their own where it is counted.
   */
  const sharers = new Map<KongPlugin, Map<KongService | null, KongRoute[]>>();
  const sharersOf = (plugin: KongPlugin, { service }: KongRoute): KongRoute[] => {
    const groups = orMade(sharers, plugin, () => new Map<KongService | null, KongRoute[]>());
    return orMade(groups, importedOf(plugin).per === 'endpoint' ? service : null, () => []);
  };
  const limited = [...effective.byConsumer].filter(([, plugins]) =>
    plugins.some(({ name }) => limitNames.includes(name)),
  );
  for (const route of routes) {
    for (const name of limitNames) {
      const plugin = effective.forRoute(route).get(name);
      if (plugin !== undefined) sharersOf(plugin, route).push(route);
      for (const [consumer] of limited) {
        const own = effective.forConsumer(name, route, consumer);
        if (own?.consumer === consumer) sharersOf(own, route).push(route);
      }
    }
  }

  const limitsOf = (plugin: KongPlugin, route: KongRoute, isAuthenticated: boolean): DecidedLimits => {
    const imported = importedOf(plugin);
    const { name, place, consumer } = plugin;
    const { limits, deniesOnFailure } = imported;
    const report = findings.about(place, `plugin ${quoted(name)}`);
    const refusing = consumer === null ? 'the endpoints it applies to refuse everything' : 'the consumer is disabled';
    const refused = { limits: [], isRefused: true, deniesOnFailure };
    const fault = imported.fault ?? faultOn(route, plugin, imported.per, isAuthenticated);
    if (fault !== null) {
      const isElsewhere = options.elsewhere.has(name);
      report(isElsewhere ? 'warning' : 'error', [], {
        what: `${fault}: ${isElsewhere ? 'it was left out, because --elsewhere says that its work is done elsewhere' : refusing}`,
        instead: `limit by Envoy’s local or global rate limit filter; then import again with --elsewhere ${name}`,
      });
      return isElsewhere ? { ...refused, isRefused: false } : refused;
    }
    const sharing = sharersOf(plugin, route).length;
    if (sharing <= 1) return { limits, isRefused: false, deniesOnFailure };
    const shared = `has one count for ${String(sharing)} routes; each endpoint of Postern has a count of its own`;
    if (options.sharedLimits === 'refuse') {
      report('error', [], {
        what: `${shared}: ${refusing}`,
        instead:
          'choose: --shared-limits each (every endpoint has the whole limit, together they allow more) or divide (each has its share)',
      });
      return refused;
    }
    const isDivided = options.sharedLimits === 'divide';
    report('warning', [], { what: `${shared}, each with ${isDivided ? 'its share' : 'the whole limit'}` });
    const divisor = isDivided ? sharing : 1;
    const shares = limits.map((limit) => ({ ...limit, requests: Math.floor(limit.requests / divisor) }));
    if (shares.every(({ requests }) => requests >= 1)) return { limits: shares, isRefused: false, deniesOnFailure };
    report('error', [], { what: `allows less than one request for each of its routes: ${refusing}` });
    return refused;
  };

  const join = (parts: readonly DecidedLimits[]): DecidedLimits => ({
    limits: strictest(parts.flatMap(({ limits }) => limits)),
    isRefused: parts.some(({ isRefused }) => isRefused),
    deniesOnFailure: parts.some(({ deniesOnFailure }) => deniesOnFailure),
  });
  return {
    ofRoute: (route, isAuthenticated) => {
      const plugins = limitNames.flatMap((name) => effective.forRoute(route).get(name) ?? []);
      return join(plugins.map((plugin) => limitsOf(plugin, route, isAuthenticated)));
    },
    ofConsumer: (route, consumer) => {
      const plugins = limitNames.flatMap((name) => effective.forConsumer(name, route, consumer) ?? []);
      if (plugins.every((plugin) => plugin.consumer === null)) return null;
      const { limits, ...rest } = join(plugins.map((plugin) => limitsOf(plugin, route, true)));
      return { ...rest, limits: limits.filter(({ per }) => per === 'consumer') };
    },
  };
}

/** Why a limit cannot be imported on this route, in words that follow the plugin's name; null when it can. */
function faultOn(
  { service }: KongRoute,
  { consumer }: KongPlugin,
  per: LimitScope,
  isAuthenticated: boolean,
): string | null {
  if (per === 'consumer') {
    return isAuthenticated ? null : 'counts addresses where callers are not authenticated, which Postern does not';
  }
  if (consumer !== null) return 'counts a whole service for one consumer, which Postern does not';
  return service === null ? 'counts addresses on a route without service, which Postern does not' : null;
}
