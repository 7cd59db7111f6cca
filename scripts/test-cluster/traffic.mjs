// Partners who call while something happens.
import { once } from 'node:events';
import { join } from 'node:path';
import { get, mustRun, root, spawnIn } from './cluster.mjs';

const load = join(root, 'scripts/cluster/load.mjs');
const settleMs = 3000;
const ratePerSecond = 200;

/** The address of a Service within the cluster. */
export async function addressOf(service) {
  const { spec } = await get('service', service, '--namespace=postern');
  return `${spec.clusterIP}:${spec.ports[0].port}`;
}

/** Waits for the first signed answer 200 through Envoy. */
export async function firstAnswer() {
  await mustRun('n1', process.execPath, [load, await addressOf('envoy'), 'first']);
}

/**
 * Lets partners call through Envoy, from before `action` until some seconds after it, and gives what they saw:
 * `{ sent, failed, seconds, outcomes, p50, p99, most, errors }`.
 */
async function underLoad(action) {
  const address = await addressOf('envoy');
  const child = await spawnIn('n1', process.execPath, [load, address, String(ratePerSecond)]);
  let [out, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  const ended = once(child, 'close');
  const pause = () => new Promise((resolve) => setTimeout(resolve, settleMs));
  try {
    await pause();
    await action();
    await pause();
  } finally {
    child.stdin.end();
    await ended;
  }
  const seen = JSON.parse(out);
  return { ...seen, failed: seen.sent - (seen.outcomes['200'] ?? 0), errors };
}

/** One line about {@link underLoad}. */
function describe({ sent, failed, seconds, outcomes, p50, p99, most }) {
  const others = Object.entries(outcomes).filter(([outcome]) => outcome !== '200');
  const which = others.length === 0 ? '' : ` (${others.map(([outcome, count]) => `${count} × ${outcome}`).join(', ')})`;
  return `${failed} of ${sent} failed${which}, ${seconds} s, p50 ${p50} ms, p99 ${p99} ms, at most ${most} ms`;
}

/** {@link underLoad} in a line; throws when more than `most` requests failed. */
export async function unnoticed(action, most = 0) {
  const seen = await underLoad(action);
  if (seen.failed > most) throw new Error(`${describe(seen)}\n${seen.errors.slice(0, 4000)}`);
  return describe(seen);
}
