import type { Endpoint } from '../../model/endpoint.ts';
import { normalizeHost } from '../receive/host.ts';
import { parsePathRule } from '../receive/path.ts';

/** Two endpoints that claim the same requests, and the rule they share, in words. */
export interface MatchCollision {
  readonly first: Endpoint;
  readonly second: Endpoint;
  /** Such as `host any, prefix /orders, method GET`. */
  readonly rule: string;
}

/**
 * Finds endpoints, disabled ones too, that share a host pattern, a path rule and a method rule (spec §2.3).
 * A prefix and an exact path, or any method and a listed one, do not collide. At most one collision is reported for
 * each pair. Path rules that are not in normal form are passed over: they are faults of their own.
 */
export function findMatchCollisions(endpoints: readonly Endpoint[]): readonly MatchCollision[] {
  const owners = new Map<string, Endpoint>();
  const reported = new Set<string>();
  const collisions: MatchCollision[] = [];
  for (const second of endpoints) {
    for (const rule of describeRules(second)) {
      const first = owners.get(rule);
      if (first === undefined) {
        owners.set(rule, second);
      } else if (first !== second && !reported.has(`${first.id} ${second.id}`)) {
        reported.add(`${first.id} ${second.id}`);
        collisions.push({ first, second, rule });
      }
    }
  }
  return collisions;
}

function* describeRules({ match }: Endpoint): Generator<string> {
  const hosts = match.hosts.length === 0 ? ['host any'] : match.hosts.map((host) => `host "${normalizeHost(host)}"`);
  const methods = match.methods.length === 0 ? ['method any'] : match.methods.map((method) => `method "${method}"`);
  for (const path of match.paths) {
    const rule = parsePathRule(path);
    if ('reason' in rule) continue;
    for (const host of hosts) {
      for (const method of methods) yield `${host}, ${rule.kind} "${rule.comparable || '/'}", ${method}`;
    }
  }
}
