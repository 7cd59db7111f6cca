// `npm run test:cluster`: a Kubernetes cluster on this machine (scripts/cluster), the images of this working tree,
// and the commands of docs/kubernetes.md on it, with partners who call. docs/cluster.md has what it needs, its time
// and its figures.
import { parseArgs } from 'node:util';
import { countsText, printNote, printStep } from './testing/report.mjs';
import { applyAgain, callDemo, endDemo, startDemo } from './test-cluster/demo.mjs';
import { drills } from './test-cluster/drills.mjs';
import { envoyGateway } from './test-cluster/envoy-gateway.mjs';
import { istio } from './test-cluster/istio.mjs';
import { production } from './test-cluster/production.mjs';
import { runScript } from './test-cluster/cluster.mjs';

const usage = `Usage: npm run test:cluster [-- [--keep] [STEP …]]

Builds a Kubernetes cluster on this machine, and walks docs/kubernetes.md on it. Needs root, Debian packages, Go and 6 GB.
Without STEP: all of them.

  --up      use the cluster that scripts/cluster/up.sh has brought up
  --keep    leave the cluster, for scripts/cluster/kubectl; scripts/cluster/down.sh ends it
  --help    print this text

Steps: STEPS

Exit codes: 0 everything is as documented · 1 something is not · 2 usage
`;

const counts = { passed: 0, failed: 0, skipped: 0 };

/** Each step by its name: what it is called, and what it does. */
const steps = new Map([
  ['demo', ['deploy/overlays/demo is applied', startDemo]],
  ['demo-calls', ['the calls of docs/kubernetes.md through a port-forward', callDemo]],
  ['demo-again', ['the demo is applied again', applyAgain]],
  ...drills.map(([name, title, action]) => [name, [title, action]]),
  ['demo-end', ['the demo is removed', endDemo]],
  ...production.map(([name, title, action]) => [name, [title, action]]),
  ...[...envoyGateway, ...istio].map(([name, title, action]) => [name, [title, action]]),
]);

async function step(title, action) {
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  try {
    const text = (await action()) ?? 'good';
    counts.passed += 1;
    printStep(title.padEnd(58), { isGood: true, text, seconds: seconds(), output: '' });
  } catch (error) {
    counts.failed += 1;
    printStep(title.padEnd(58), { isGood: false, text: 'failed', seconds: seconds(), output: String(error.stack) });
  }
}

function parse(args) {
  const text = usage.replace('STEPS', [...steps.keys()].join(', '));
  try {
    const flag = { type: 'boolean', default: false };
    const { values, positionals } = parseArgs({
      args,
      options: { up: flag, keep: flag, help: flag },
      allowPositionals: true,
    });
    const unknown = positionals.filter((name) => !steps.has(name));
    if (unknown.length > 0) throw new Error(`There is no step ${unknown.join(', ')}.`);
    if (values.help) process.stdout.write(text);
    return { ...values, names: positionals.length > 0 ? positionals : [...steps.keys()] };
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${text}`);
    return null;
  }
}

async function main() {
  const options = parse(process.argv.slice(2));
  if (options === null) return 2;
  if (options.help) return 0;
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => interrupted.abort());
  try {
    if (!options.up) {
      await runScript('images.sh', ['postern', 'former']);
      await runScript('up.sh');
    }
    for (const name of options.names) if (!interrupted.signal.aborted) await step(...steps.get(name));
  } finally {
    if (!options.keep && !options.up) await runScript('down.sh');
  }
  printNote(countsText(counts));
  return interrupted.signal.aborted ? 130 : Math.min(counts.failed, 1);
}

process.exitCode = await main();
