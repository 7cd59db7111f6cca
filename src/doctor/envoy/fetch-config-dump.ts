import { setTimeout as delay } from 'node:timers/promises';
import { type Finding, fault, warning } from '../finding.ts';
import type { OwnLimits } from '../own-limits.ts';
import { inspectEnvoy } from './inspect-envoy.ts';
import { isAnyHostDown, readLiveState, wantedCounters, withGrowth } from './live-state.ts';

/** An Envoy that does not answer within this is told as one that is away. */
const DEADLINE_MS = 5000;

/** Time for a health check or two, which tell why a host is out of use. */
const HEALTH_CHECKS_MS = 2500;

/** A configuration larger than this is not Envoy's. */
const MAX_DUMP_BYTES = 64 * 1024 * 1024;

/**
 * Asks an Envoy at its admin address for its configuration and for what it has seen, and looks through both. Never rejects
 * for what Envoy does.
 */
export async function inspectEnvoyAt(admin: URL, own: OwnLimits): Promise<readonly Finding[]> {
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
    return inspectEnvoy(dump.value, { own, live });
  }
  const findings = inspectEnvoy(dump.value, { own, live: null });
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
    if (error instanceof SyntaxError) return { problem: `its answer to ${name} is no configuration`, advice: notEnvoy };
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
