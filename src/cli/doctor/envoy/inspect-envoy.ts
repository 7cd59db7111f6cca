import { setTimeout as delay } from 'node:timers/promises';
import type { Endpoint } from '../../../model/endpoint.ts';
import { fault, fine, type Finding, warning } from '../../../base/finding.ts';
import { type OwnLimits, unknownLimits } from '../own-limits.ts';
import { inspectCertificateChains, type KnownCertificates } from './certificate-chain-rules.ts';
import { inspectClientCertificates } from './certificate-rules.ts';
import { inspectBodyLimits, inspectOrder, inspectRateLimitFilter } from './chain-rules.ts';
import { inspectCluster } from './cluster-rules.ts';
import { type JsonObject, textIn } from '../../../model/document/json.ts';
import { type EnvoyConfig, LOOPBACK_ADDRESS, readConfigDump, type Route } from './envoy-config.ts';
import { inspectExtAuthz } from './ext-authz-rules.ts';
import { inspectForwardedCertificates } from './forwarded-certificate-rules.ts';
import { findPosternChain, leadsOn, type PosternChain } from './filter-chain.ts';
import {
  inspectLiveState,
  isAnyHostDown,
  type LiveState,
  readLiveState,
  wantedCounters,
  withGrowth,
} from './live-state.ts';
import { inspectIdentity } from './identity-rules.ts';
import { inspectManager } from './manager-rules.ts';
import { inspectNoRoute } from './no-route-rules.ts';
import { inspectRoutes } from './route-rules.ts';
import { inspectHttpServices, inspectServices } from './service-rules.ts';
import { inspectSettings } from './setting-rules.ts';
import { inspectStreaming } from './streaming-rules.ts';
import { inspectSurroundings, inspectTcpProxies } from './surrounding-rules.ts';
import { inspectUpgrades } from './upgrade-rules.ts';

/** What is known beside Envoy's configuration; `live` is null when it cannot be read. */
interface Surroundings {
  readonly own: OwnLimits;
  readonly live: LiveState | null;
  /** The endpoints of the store; null or absent when they are not known. */
  readonly endpoints?: readonly Endpoint[] | null;
  /** Whether access tokens are bound to client certificates: POSTERN_OAUTH2_CLIENT_CERTIFICATES. */
  readonly bindsTokens?: boolean;
  /** The credentials that name authorities of certificates; null or absent when they are not known. */
  readonly certificates?: KnownCertificates | null;
}

/** What is known of Postern itself. */
export type Known = Omit<Surroundings, 'live'>;

type Rule = (chain: PosternChain, surroundings: Surroundings) => readonly Finding[];

const rules: readonly Rule[] = [
  inspectOrder,
  inspectNoRoute,
  inspectExtAuthz,
  inspectBodyLimits,
  inspectManager,
  inspectServices,
  inspectIdentity,
  inspectSurroundings,
  inspectUpgrades,
  (chain, { endpoints }) => inspectStreaming(chain, endpoints ?? null),
  (chain, { endpoints }) => inspectClientCertificates(chain, endpoints ?? null),
  (chain, { certificates }) => (certificates ? inspectCertificateChains(chain, certificates) : []),
  (chain, { bindsTokens }) => inspectForwardedCertificates(chain, bindsTokens ?? false),
  inspectRoutes,
  inspectCluster,
  inspectSettings,
  (chain, { own }) => inspectRateLimitFilter(chain, own),
  (chain, { live }) => (live === null ? [] : inspectLiveState(chain, live)),
];

/**
 * Looks through Envoy's own configuration (admin `/config_dump`) for what makes Postern unsafe, and through what it has
 * seen for what makes it useless (docs/envoy.md).
 */
export function inspectEnvoy(
  dump: unknown,
  surroundings: Surroundings = { own: unknownLimits, live: null },
): readonly Finding[] {
  const config = readConfigDump(dump);
  const chains = config.managers.flatMap((manager) => findPosternChain(config, manager) ?? []);
  if (chains.length === 0) {
    const overHttp = inspectHttpServices(config.managers);
    if (overHttp.length > 0) return overHttp;
    const message = 'no listener asks an external authorization service: nothing is checked';
    return [fault('Envoy', message, 'attach Postern as docs/envoy.md shows')];
  }
  return withoutRepeats([
    ...chains.flatMap((chain) => inspectChain(chain, surroundings)),
    ...unchecked(config, chains),
    ...inspectTcpProxies(config, chains),
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

/** A table that Envoy does not show may lead anywhere. */
function isUnknown(settings: JsonObject, routes: readonly Route[]): boolean {
  return routes.length === 0 && !('route_config' in settings);
}

function inspectAdmin({ admin }: EnvoyConfig): readonly Finding[] {
  const address = textIn(admin, 'address', 'socket_address', 'address');
  if (address === null || LOOPBACK_ADDRESS.test(address)) return [];
  const message = `the admin address listens on ${address}: anyone who reaches it can read and change this Envoy`;
  return [warning('Envoy admin', message, 'bind it to 127.0.0.1')];
}

/** An Envoy that does not answer within this is reported as unreachable. */
const DEADLINE_MS = 5000;

/** Time for a health check or two, which show why a host is out of use. */
const HEALTH_CHECKS_MS = 2500;

/** A configuration larger than this is not Envoy's. */
const MAX_DUMP_BYTES = 64 * 1024 * 1024;

/**
 * Asks an Envoy at its admin address for its configuration and for what it has seen, and looks through both. Never
 * rejects for what Envoy does.
 */
export async function inspectEnvoyAt(admin: URL, known: Known): Promise<readonly Finding[]> {
  const subject = `Envoy at ${admin.origin}`;
  const fetchStats = async (): Promise<Answer> =>
    await fetchJson(admin, `/stats?format=json&filter=${encodeURIComponent(wantedCounters)}`);
  const [dump, clusters, stats] = await Promise.all([
    fetchJson(admin, '/config_dump?include_eds'),
    fetchJson(admin, '/clusters?format=json'),
    fetchStats(),
  ]);
  if ('problem' in dump) return [fault(subject, dump.problem, dump.advice)];
  if ('value' in clusters && 'value' in stats) {
    let live = readLiveState(clusters.value, stats.value);
    if (isAnyHostDown(live)) {
      await delay(HEALTH_CHECKS_MS);
      const later = await fetchStats();
      if ('value' in later) live = withGrowth(live, later.value);
    }
    return inspectEnvoy(dump.value, { ...known, live });
  }
  const findings = inspectEnvoy(dump.value, { ...known, live: null });
  const message = 'it does not show /clusters and /stats: whether it reaches Postern is not known';
  return [...findings, warning(subject, message, 'give the whole admin address, such as http://127.0.0.1:9901')];
}

type Answer = { readonly value: unknown } | { readonly problem: string; readonly advice: string };

async function fetchJson(admin: URL, path: string): Promise<Answer> {
  const url = new URL(`${admin.pathname.replace(/\/$/, '')}${path}`, admin);
  const [name = path] = path.split('?', 1);
  const notEnvoy = 'give the admin address of Envoy, such as http://127.0.0.1:9901';
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DEADLINE_MS), redirect: 'error' });
    if (!response.ok) {
      return { problem: `its admin address answers ${String(response.status)} to ${name}`, advice: notEnvoy };
    }
    const text = await readText(response);
    return text === null
      ? { problem: `its answer to ${name} is too long`, advice: notEnvoy }
      : { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error instanceof SyntaxError)
      return { problem: `its answer to ${name} is not a configuration`, advice: notEnvoy };
    const cause = error.cause instanceof Error && 'code' in error.cause ? String(error.cause.code) : error.name;
    const advice = 'start Envoy, or give its admin address with --envoy; it is loopback only, as a rule';
    return { problem: `its admin address does not answer (${cause})`, advice };
  }
}

/** The whole answer; null when it is longer than any configuration. */
async function readText(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    const bytes = chunk as Uint8Array;
    length += bytes.length;
    if (length > MAX_DUMP_BYTES) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
