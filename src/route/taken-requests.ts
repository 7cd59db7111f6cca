import type { Endpoint } from '../model/endpoint.ts';
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

/**
 * The first requests that `changed` endpoints would take from those of others, by the order of spec §2.3; null when they
 * take none. A narrower path or a more exact host takes requests without colliding, also those of methods that it does not
 * list. What an endpoint has taken already, it keeps.
 *
 * @param stored all endpoints that there are, disabled ones too
 * @param changed endpoints as they would be, new ones too
 */
export function findTakenRequests(
  changed: readonly Endpoint[],
  stored: readonly Endpoint[],
  isOfOthers: (endpoint: Endpoint) => boolean,
): TakenRequests | null {
  const others = stored.filter(isOfOthers);
  if (others.length === 0 || changed.length === 0) return null;
  const ids = new Set(changed.map(({ id }) => id));
  const before = compileEndpointTable(stored);
  const after = compileEndpointTable([...stored.filter(({ id }) => !ids.has(id)), ...changed]);
  const pathsOfOthers = [...new Set(others.flatMap(samplePaths))];
  const listed = [...stored, ...changed].flatMap(({ match }) => match.methods);
  const methods = [...new Set(['GET', ...listed, OTHER])];
  for (const by of changed) {
    const paths = [...samplePaths(by), ...pathsOfOthers];
    for (const host of sampleHosts(by)) {
      for (const path of paths) {
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
