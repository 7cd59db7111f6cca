import { fault, fine, type Finding, warning } from '../finding.ts';
import { type OwnLimits, unknownLimits } from '../own-limits.ts';
import { type EnvoyConfig, readConfigDump, type Route } from './envoy-config.ts';
import { findPosternChain, type PosternChain } from './filter-chain.ts';
import { type JsonObject, textIn } from './json-view.ts';
import type { LiveState } from './live-state.ts';
import { leadsOn } from './route-filters.ts';
import { inspectBodyLimits, inspectOrder } from './rules/chain-rules.ts';
import { inspectCluster } from './rules/cluster-rules.ts';
import { inspectExtAuthz } from './rules/ext-authz-rules.ts';
import { inspectRateLimitFilter } from './rules/limit-rules.ts';
import { inspectLiveState } from './rules/live-rules.ts';
import { inspectManager } from './rules/manager-rules.ts';
import { inspectSettings } from './rules/setting-rules.ts';
import { inspectRoutes } from './rules/route-rules.ts';

/** What is known beside Envoy's configuration; `live` is null when it cannot be read. */
export interface Surroundings {
  readonly own: OwnLimits;
  readonly live: LiveState | null;
}

type Rule = (chain: PosternChain, surroundings: Surroundings) => readonly Finding[];

const rules: readonly Rule[] = [
  inspectOrder,
  inspectExtAuthz,
  inspectBodyLimits,
  inspectManager,
  inspectRoutes,
  inspectCluster,
  inspectSettings,
  (chain, { own }) => inspectRateLimitFilter(chain, own),
  (chain, { live }) => (live === null ? [] : inspectLiveState(chain, live)),
];

/**
 * Looks through Envoy's own configuration (admin `/config_dump`) for what makes Postern unsafe, and through what it has seen
 * for what makes it useless (docs/envoy.md).
 */
export function inspectEnvoy(
  dump: unknown,
  surroundings: Surroundings = { own: unknownLimits, live: null },
): readonly Finding[] {
  const config = readConfigDump(dump);
  const chains = config.managers.flatMap((manager) => findPosternChain(config, manager) ?? []);
  if (chains.length === 0) {
    const message = 'no listener asks an external authorization service: nothing is checked';
    return [fault('Envoy', message, 'attach Postern as docs/envoy.md shows')];
  }
  return withoutRepeats([
    ...chains.flatMap((chain) => inspectChain(chain, surroundings)),
    ...unchecked(config, chains),
    ...inspectAdmin(config),
  ]);
}

/** A listener has the same connection manager once for each name that it serves. */
function withoutRepeats(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [`${finding.subject}\n${finding.message}`, finding])).values()];
}

function inspectChain(chain: PosternChain, surroundings: Surroundings): readonly Finding[] {
  const findings = rules.flatMap((rule) => rule(chain, surroundings));
  if (findings.some(({ level }) => level !== 'ok')) return findings;
  return [
    fine(chain.manager.name, 'asks Postern about every request, and lets nothing pass that was not decided'),
    ...findings,
  ];
}

/** Clusters of Istio's and Envoy Gateway's own listeners for probes and metrics. */
const VENDOR_CLUSTERS: readonly (string | null)[] = ['agent', 'prometheus_stats'];

function unchecked({ managers }: EnvoyConfig, chains: readonly PosternChain[]): readonly Finding[] {
  return managers
    .filter((manager) => !chains.some((chain) => chain.manager === manager))
    .filter(({ settings, routes }) => leadsAnywhere(routes) || isUnknown(settings, routes))
    .map((manager) =>
      warning(
        manager.name,
        'does not ask Postern: its requests are not checked',
        'if partners can reach it, give it the filter chain of envoy.yaml',
      ),
    );
}

function leadsAnywhere(routes: readonly Route[]): boolean {
  return routes.some((route) => leadsOn(route) && !VENDOR_CLUSTERS.includes(textIn(route.route, 'route', 'cluster')));
}

/** A table that is not in what Envoy told may lead anywhere. */
function isUnknown(settings: JsonObject, routes: readonly Route[]): boolean {
  return routes.length === 0 && !('route_config' in settings);
}

function inspectAdmin({ admin }: EnvoyConfig): readonly Finding[] {
  const address = textIn(admin, 'address', 'socket_address', 'address');
  if (address === null || /^(127\.|::1$|localhost$)/.test(address)) return [];
  const message = `the admin address listens on ${address}: whoever reaches it can read and change this Envoy`;
  return [warning('Envoy admin', message, 'bind it to 127.0.0.1')];
}
