import { placeIn } from '../../document/problem-log.ts';
import {
  type Limit,
  type LimitScope,
  type LimitUnit,
  limitUnits,
  MAX_LIMIT_REQUESTS,
  unitSeconds,
} from '../../model/limit.ts';
import { type FindingLog, quoted } from './finding.ts';
import type { KongPlugin } from './kong-entities.ts';
import { hasValue, type KongReader, unknownKeys } from './kong-reader.ts';

/** What a rate limiting plugin allows. */
export interface ImportedLimits {
  /** No two with the same unit. Empty when `fault` says why none can be taken over. */
  readonly limits: readonly Limit[];
  readonly per: LimitScope;
  /** In words that follow the plugin's name. */
  readonly fault: string | null;
  /** Whether all routes of one service are counted together, wherever the plugin stands. */
  readonly countsByService: boolean;
  readonly deniesOnFailure: boolean;
}

/** Days that the longest month or year has: a share of a longer window that can never sum up to more than it. */
const LONGER_WINDOW_DAYS = { month: 31, year: 366 } as const;

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
export function importLimits(plugin: KongPlugin, reader: KongReader, findings: FindingLog): ImportedLimits {
  const imported =
    plugin.name === 'rate-limiting'
      ? readRateLimiting(plugin, reader, findings)
      : readAdvanced(plugin, reader, findings);
  const unknown = unknownKeys(plugin.config, knownKeys[plugin.name] ?? new Set());
  if (unknown.length === 0 || imported.fault !== null) return imported;
  return { ...imported, limits: [], fault: `has ${unknown.map(quoted).join(', ')}, which is not known here` };
}

/** The strictest limit of each unit, shortest unit first. */
export function strictest(limits: readonly Limit[]): readonly Limit[] {
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
  for (const window of ['month', 'year'] as const) {
    const requests = reader.number(config, window);
    if (requests === null) continue;
    const share = Math.floor(requests / LONGER_WINDOW_DAYS[window]);
    if (share < 1) {
      fault ??= `allows ${String(requests)} requests a ${window}; the longest window of Postern is a day`;
      continue;
    }
    add(share, 'day');
    findings.add('warning', placeIn(config.place, window), {
      subject,
      what: `allows ${String(requests)} requests a ${window}; the longest window of Postern is a day: they became ${String(share)} a day, which never sums up to more`,
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
