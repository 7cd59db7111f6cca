import type { Endpoint } from '../../model/endpoint.ts';
import { normalizeHost } from '../receive/host.ts';
import { parsePathRule } from '../receive/path.ts';
import { compileEndpointTable } from './endpoint-table.ts';

/** Requests that would change from one endpoint to another, or to none. */
export interface TakenRequests {
  readonly by: Endpoint;
  readonly from: Endpoint;
  /** One of them, for people: `GET /orders/1`, with its host where that matters. */
  readonly example: string;
}

/** Stands for what no rule names: a host, a path segment, a method. */
const OTHER = 'x--other';

/** Questions to the tables for one call, so that no change keeps a process busy for long. */
export const MAX_PROBES = 1_000_000;

/**
 * The first requests that `changed` endpoints would take from those of others, by the order of spec §2.3; null when
 * they take none, `too-many` when that takes more than {@link MAX_PROBES} to find out. A narrower path or a more exact
 * host takes requests without colliding, also those of methods that it does not list. What an endpoint has taken
 * already, it keeps. Work follows the pairs of rules that meet, not all endpoints times all hosts.
 *
 * @param stored all endpoints that there are, disabled ones too
 * @param changed endpoints as they would be, new ones too
 */
export function findTakenRequests(
  changed: readonly Endpoint[],
  stored: readonly Endpoint[],
  isOfOthers: (endpoint: Endpoint) => boolean,
): TakenRequests | 'too-many' | null {
  const others = stored.filter(isOfOthers);
  if (others.length === 0 || changed.length === 0) return null;
  const ids = new Set(changed.map(({ id }) => id));
  const before = compileEndpointTable(stored);
  const after = compileEndpointTable([...stored.filter(({ id }) => !ids.has(id)), ...changed]);
  const rulesOfOthers = indexRules(others);
  const unlisted = [...new Set(['GET', ...changed.flatMap(({ match }) => match.methods), OTHER])];
  let probes = 0;
  for (const by of changed) {
    const hosts = new Set(sampleHosts(by));
    for (const { other, path } of meetingsOf(by, others, rulesOfOthers)) {
      const methods = other.match.methods.length === 0 ? unlisted : other.match.methods;
      const shared = sharedHosts(hosts, other);
      probes += 1 + shared.length * methods.length;
      if (probes > MAX_PROBES) return 'too-many';
      for (const host of shared) {
        for (const method of methods) {
          const from = before.find(host, path, method);
          if (from === null || !isOfOthers(from) || after.find(host, path, method)?.id === from.id) continue;
          const at = host.startsWith(OTHER) ? '' : ` on ${host}`;
          return { by, from, example: `${method.replace(OTHER, '…')} ${path.replace(OTHER, '…')}${at}` };
        }
      }
    }
  }
  return null;
}

/** A path that a rule of an endpoint and one of another both match. */
interface Meeting {
  readonly other: Endpoint;
  readonly path: string;
}

/**
 * Where the rules of an endpoint lie within those of others, and these within its own: nowhere else does it take any.
 */
function* meetingsOf(by: Endpoint, others: readonly Endpoint[], rulesOfOthers: RuleIndex): Generator<Meeting> {
  for (const path of samplePaths(by)) {
    for (const other of matchingOf(rulesOfOthers, path)) yield { other, path };
  }
  const own = indexRules([by]);
  for (const other of others) {
    for (const path of samplePaths(other)) if (!matchingOf(own, path).next().done) yield { other, path };
  }
}

/** Endpoints by the paths of their rules. */
type RuleIndex = Readonly<Record<'prefix' | 'exact', ReadonlyMap<string, readonly Endpoint[]>>>;

function indexRules(endpoints: readonly Endpoint[]): RuleIndex {
  const index = { prefix: new Map<string, Endpoint[]>(), exact: new Map<string, Endpoint[]>() };
  for (const endpoint of endpoints) {
    for (const path of endpoint.match.paths) {
      const rule = parsePathRule(path);
      if ('reason' in rule) continue;
      const there = index[rule.kind].get(rule.comparable);
      if (there === undefined) index[rule.kind].set(rule.comparable, [endpoint]);
      else there.push(endpoint);
    }
  }
  return index;
}

/** The endpoints that have a rule for a path. */
function* matchingOf({ prefix, exact }: RuleIndex, path: string): Generator<Endpoint, undefined> {
  yield* exact.get(path) ?? [];
  let above = path;
  for (;;) {
    yield* prefix.get(above) ?? [];
    if (above === '') return undefined;
    above = above.slice(0, above.lastIndexOf('/'));
  }
}

/** Those of some hosts that an endpoint is for. */
function sharedHosts(hosts: ReadonlySet<string>, { match }: Endpoint): readonly string[] {
  if (match.hosts.length === 0) return [...hosts];
  const names = match.hosts.map(normalizeHost);
  const suffixes = names.flatMap((name) => (name.startsWith('*.') ? [name.slice(1)] : []));
  const exact = names.filter((name) => hosts.has(name));
  if (suffixes.length === 0) return exact;
  return [...exact, ...[...hosts].filter((host) => suffixes.some((suffix) => host.endsWith(suffix)))];
}

function sampleHosts({ match: { hosts } }: Endpoint): readonly string[] {
  if (hosts.length === 0) return [`${OTHER}.invalid`];
  return hosts.map(normalizeHost).map((host) => (host.startsWith('*.') ? `${OTHER}${host.slice(1)}` : host));
}

/** Paths that a rule matches as itself and, for a prefix, below. */
function samplePaths({ match: { paths } }: Endpoint): readonly string[] {
  return paths.flatMap((path) => {
    const rule = parsePathRule(path);
    if ('reason' in rule) return [];
    const own = rule.comparable === '' ? '/' : rule.comparable;
    return rule.kind === 'exact' ? [own] : [own, `${rule.comparable}/${OTHER}`];
  });
}
