import { placeIn } from '../../document/problem-log.ts';
import {
  type Limit,
  type LimitScope,
  type LimitUnit,
  limitUnits,
  MAX_LIMIT_REQUESTS,
  unitSeconds,
} from '../../model/limit.ts';
import { quoted } from '../../document/problem.ts';
import type { FindingLog } from './finding.ts';
import type { ImportOptions } from './import-options.ts';
import type { KongConsumer, KongPlugin, KongRoute, KongService } from './kong-entities.ts';
import { hasValue, type KongReader, unknownKeys } from './kong-reader.ts';
import type { EffectivePlugins } from './plugins.ts';

/** What a rate limiting plugin allows. */
interface ImportedLimits {
  /** No two with the same unit. Empty when `fault` says why none can be taken over. */
  readonly limits: readonly Limit[];
  readonly per: LimitScope;
  /** In words that follow the plugin's name. */
  readonly fault: string | null;
  /** Whether all routes of one service are counted together, wherever the plugin stands. */
  readonly countsByService: boolean;
  readonly deniesOnFailure: boolean;
}

/** Kong's windows that Postern has not, with the days of the longest: a share for each day never sums up to more. */
const longerWindows = Object.entries({ month: 31, year: 366 }).filter(
  ([window]) => !limitUnits.some((unit) => unit === window),
);

const longestUnit = limitUnits.at(-1) ?? 'day';

/** The settings that are read, or that say where and how counts are kept. */
const knownKeys: Readonly<Record<string, ReadonlySet<string>>> = {
  'rate-limiting': new Set([
    ...['second', 'minute', 'hour', 'day', 'month', 'year', 'limit_by', 'header_name', 'path', 'policy', 'sync_rate'],
    ...['fault_tolerant', 'hide_client_headers', 'error_code', 'error_message', 'redis', 'redis_host', 'redis_port'],
    ...['redis_password', 'redis_username', 'redis_ssl', 'redis_ssl_verify', 'redis_server_name', 'redis_timeout'],
    'redis_database',
  ]),
  'rate-limiting-advanced': new Set([
    ...['limit', 'window_size', 'window_type', 'identifier', 'namespace', 'strategy', 'dictionary_name', 'sync_rate'],
    ...[
      'hide_client_headers',
      'retry_after_jitter_max',
      'header_name',
      'path',
      'redis',
      'disable_penalty',
      'error_code',
    ],
    ...['error_message', 'lock_dictionary_name', 'consumer_groups', 'enforce_consumer_groups'],
  ]),
};

/** Reads `rate-limiting` or `rate-limiting-advanced`. */
function importLimits(plugin: KongPlugin, reader: KongReader, findings: FindingLog): ImportedLimits {
  const imported =
    plugin.name === 'rate-limiting'
      ? readRateLimiting(plugin, reader, findings)
      : readAdvanced(plugin, reader, findings);
  const unknown = unknownKeys(plugin.config, knownKeys[plugin.name] ?? new Set());
  if (unknown.length === 0 || imported.fault !== null) return imported;
  return { ...imported, limits: [], fault: `has ${unknown.map(quoted).join(', ')}, which is not known here` };
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

function readRateLimiting({ config, name }: KongPlugin, reader: KongReader, findings: FindingLog): ImportedLimits {
  const subject = `plugin ${quoted(name)}`;
  const by = reader.text(config, 'limit_by') ?? 'consumer';
  const per = by === 'service' ? 'endpoint' : 'consumer';
  const limits: Limit[] = [];
  let fault = faultOfKey(by);
  const add = (requests: number, unit: LimitUnit): void => {
    limits.push({ requests: Math.min(requests, MAX_LIMIT_REQUESTS), unit, per });
  };
  for (const unit of limitUnits) {
    const requests = reader.number(config, unit);
    // Kong lets a request through while fewer than the limit were counted: half a request allows one.
    if (requests !== null) add(Math.max(1, Math.ceil(requests)), unit);
  }
  for (const [window, days] of longerWindows) {
    const requests = reader.number(config, window);
    if (requests === null) continue;
    const share = Math.floor(requests / days);
    if (share < 1) {
      fault ??= `allows ${String(requests)} requests a ${window}; the longest window of Postern is a ${longestUnit}`;
      continue;
    }
    add(share, 'day');
    findings.add('warning', placeIn(config.place, window), {
      subject,
      what: `allows ${String(requests)} requests a ${window}; the longest window of Postern is a ${longestUnit}: they became ${String(share)} a day, which never sums up to more`,
      instead: 'raise the day’s limit where callers have busy days, knowing that the month may then hold more',
    });
  }
  if (by === 'credential') {
    findings.add('warning', placeIn(config.place, 'limit_by'), {
      subject,
      what: 'counts each credential by itself; Postern counts each consumer, with all of its credentials together',
    });
  }
  if (hasValue(config, 'error_code') && reader.number(config, 'error_code') !== 429) {
    findings.add('warning', placeIn(config.place, 'error_code'), {
      subject,
      what: 'answers with a status of its own; Postern answers 429 RATE_LIMITED',
    });
  }
  if (limits.length === 0) fault ??= 'has no limit';
  return {
    limits: fault === null ? strictest(limits) : [],
    per,
    fault,
    countsByService: by === 'service',
    deniesOnFailure: !reader.flag(config, 'fault_tolerant', true),
  };
}

function readAdvanced({ config }: KongPlugin, reader: KongReader, findings: FindingLog): ImportedLimits {
  const by = reader.text(config, 'identifier') ?? 'consumer';
  const per = by === 'service' ? 'endpoint' : 'consumer';
  const numbers = (key: string): readonly number[] =>
    reader.items(config, key).flatMap(({ raw }) => (typeof raw === 'number' ? raw : []));
  const requests = numbers('limit');
  const windows = numbers('window_size').map((size) => limitUnits.find((unit) => unitSeconds[unit] === size));
  const limits = requests.flatMap((limit, index): readonly Limit[] => {
    const unit = windows[index];
    return unit === undefined || limit < 1
      ? []
      : [{ requests: Math.min(Math.floor(limit), MAX_LIMIT_REQUESTS), unit, per }];
  });
  let fault = faultOfKey(by);
  if ((reader.text(config, 'window_type') ?? 'sliding') !== 'fixed') {
    fault ??= 'has sliding windows; those of Postern are fixed, and twice the limit can pass around the border of two';
  }
  if (
    limits.length === 0 ||
    limits.length !== reader.items(config, 'limit').length ||
    requests.length !== windows.length
  ) {
    fault ??= 'has windows other than a second, a minute, an hour or a day';
  }
  const hasGroups = reader.items(config, 'consumer_groups').length > 0;
  if (hasGroups || reader.flag(config, 'enforce_consumer_groups', false)) fault ??= 'has limits for consumer groups';
  if (by === 'credential') {
    findings.add('warning', placeIn(config.place, 'identifier'), {
      subject: 'plugin "rate-limiting-advanced"',
      what: 'counts each credential by itself; Postern counts each consumer, with all of its credentials together',
    });
  }
  return {
    limits: fault === null ? strictest(limits) : [],
    per,
    fault,
    countsByService: by === 'service',
    deniesOnFailure: false,
  };
}

function faultOfKey(by: string): string | null {
  if (['consumer', 'credential', 'service'].includes(by)) return null;
  return `counts by ${['ip', 'header', 'path', 'consumer-group'].includes(by) ? by : 'a key of its own'}, which Postern does not`;
}

/** Limits of an endpoint or of one consumer on it. */
interface DecidedLimits {
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
