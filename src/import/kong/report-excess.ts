import type { ProblemLog } from '../../document/problem-log.ts';
import type { KongConfiguration, KongRoute } from './kong-entities.ts';

/** Hosts times paths of all routes: what endpoints compare requests with. */
export const MAX_MATCHES = 100_000;
/** Different plugins: each is looked for on each route. */
export const MAX_PLUGIN_NAMES = 1000;
/** Routes times consumers that are looked at one by one: those of `acl` plugins and with limits of their own. */
export const MAX_PAIRS = 50_000_000;

/** Reports what would take longer than anybody waits, long before a real configuration does. */
export function reportExcess(
  { plugins, consumers }: KongConfiguration,
  routes: readonly KongRoute[],
  problems: ProblemLog,
): void {
  let matches = 0;
  for (const { hosts, paths, place } of routes) {
    matches += Math.max(1, hosts.length) * Math.max(1, paths.length);
    if (matches <= MAX_MATCHES) continue;
    problems.report(
      place,
      `up to here, routes have more than ${String(MAX_MATCHES)} pairs of host and path; divide the file`,
    );
    return;
  }
  const names = new Set(plugins.map(({ name }) => name));
  if (names.size > MAX_PLUGIN_NAMES && plugins[0] !== undefined) {
    problems.report(plugins[0].place, `there are more than ${String(MAX_PLUGIN_NAMES)} different plugins`);
  }
  const acls = new Set(plugins.flatMap(({ name, config }) => (name === 'acl' ? [config.raw] : []))).size;
  const scoped = new Set(plugins.flatMap(({ consumer }) => consumer ?? [])).size;
  const pairs = acls * consumers.length + scoped * routes.length;
  if (pairs > MAX_PAIRS && plugins[0] !== undefined) {
    problems.report(
      plugins[0].place,
      'there are too many pairs of plugins and consumers to look at; divide the file by services',
    );
  }
}
