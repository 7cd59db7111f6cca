// `npm run test:kubernetes`: every kustomization below deploy/, applied to a real API server (as a dry run on the
// server), with the custom resources of Istio, the Gateway API, Envoy Gateway and the Prometheus operator; faults that
// it must refuse; the Helm chart beside the kustomizations; and the commands of docs/kubernetes.md, docs/helm.md and, for
// a running installation, docs/tls.md. Building the server and Helm takes about fifteen minutes the first time, and
// 4 GB of Go modules.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { InstallFailure, installServices } from '../services/install-services.mjs';
import { progressPrinter } from '../services/progress.mjs';
import { run } from '../services/run.mjs';
import { startCluster } from './test-kubernetes/cluster.mjs';
import { chart, checkWritten, compareRendered, compositions, formerValues } from './test-kubernetes/chart.mjs';
import { moduleFiles, crdSources } from './test-kubernetes/crds.mjs';
import { readSections, runSection } from './test-kubernetes/documented-commands.mjs';
import { findKustomizations } from './test-kubernetes/kustomizations.mjs';
import { plantedFaults } from './test-kubernetes/planted-faults.mjs';
import { countsText, printNote, printStep } from './testing/report.mjs';

const counts = { passed: 0, failed: 0, skipped: 0 };

/** Runs one step; what it throws is why it failed, what it gives is shown. */
async function step(name, action) {
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  try {
    const text = (await action()) ?? 'good';
    counts.passed += 1;
    printStep(name.padEnd(62), { isGood: true, text, seconds: seconds(), output: '' });
    return true;
  } catch (error) {
    counts.failed += 1;
    printStep(name.padEnd(62), {
      isGood: false,
      text: 'failed',
      seconds: seconds(),
      output: error.stack ?? String(error),
    });
    return false;
  }
}

/** The output of a program that must end well. */
function mustBeGood({ code, stdout, stderr }) {
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}${stdout}`);
  return stdout;
}

/** The objects of rendered YAML; Kubernetes reads version 1.1 of it. */
const parseObjects = (yaml) =>
  parseAllDocuments(yaml, { version: '1.1' }).map((document) => JSON.parse(JSON.stringify(document.toJS())));

async function installCrds(kubectl) {
  for (const source of crdSources) {
    await step(`definitions of ${source.title}`, async () => {
      const files = await moduleFiles(source);
      const applied = mustBeGood(
        await kubectl(['apply', '--server-side', ...files.flatMap((file) => ['--filename', file])]),
      );
      return `${applied.trim().split('\n').length} applied`;
    });
  }
  await step('definitions are established', async () => {
    mustBeGood(await kubectl(['wait', 'crd', '--all', '--for=condition=Established', '--timeout=60s']));
  });
}

async function tryKustomizations(cluster, programs, temporary) {
  const { kubectl } = cluster;
  for (const { title, directory } of await findKustomizations(programs.kustomize, temporary)) {
    await step(title, async () => {
      const rendered = mustBeGood(await kubectl(['kustomize', directory]));
      if (rendered !== mustBeGood(await run(programs.kustomize, ['build', directory]))) {
        throw new Error('kubectl renders something else than the kustomize that npm test uses');
      }
      // A dry run makes no namespace, and refuses what would be in it.
      for (const name of new Set(parseObjects(rendered).flatMap(namespacesOf))) {
        await kubectl(['create', 'namespace', name]);
      }
      const namespaces = parseObjects(rendered).filter(({ kind }) => kind === 'Namespace');
      if (namespaces.length > 0) await apply(kubectl, temporary, namespaces, []);
      const { code, stdout, stderr } = await kubectl(['apply', '--dry-run=server', '-k', directory]);
      if (code !== 0 || stderr !== '') throw new Error(`exit code ${code}: ${stderr}`);
      return `${stdout.trim().split('\n').length} objects`;
    });
  }
}

function namespacesOf({ kind, metadata }) {
  return kind === 'Namespace' || metadata.namespace === undefined ? [] : [metadata.namespace];
}

/** Applies objects with the given flags. */
async function apply(kubectl, temporary, objects, flags) {
  const file = join(temporary, 'objects.json');
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  return kubectl(['apply', ...flags, '--filename', file]);
}

/** The chart renders the same objects, and a server takes them, also with the values of every version before. */
async function tryChart(cluster, programs, temporary) {
  await step('deploy/chart is what the kustomizations make it', checkWritten);
  for (const components of compositions()) {
    const title = components.length === 0 ? 'deploy/chart' : `deploy/chart with ${components.join(', ')}`;
    await step(title, () => compareRendered(programs.helm, components));
  }
  await step('deploy/chart with the values of 0.1.0', async () => {
    const options = ['--namespace', 'postern', '--values', formerValues];
    const rendered = mustBeGood(await run(programs.helm, ['template', 'postern', chart, ...options]));
    const objects = parseObjects(rendered).filter((object) => object !== null);
    const { code, stdout, stderr } = await apply(cluster.kubectl, temporary, objects, ['--dry-run=server']);
    if (code !== 0 || stderr !== '') throw new Error(`exit code ${code}: ${stderr}`);
    return `${stdout.trim().split('\n').length} objects`;
  });
}

async function tryPlantedFaults({ kubectl }, programs, temporary) {
  const kustomizations = await findKustomizations(programs.kustomize, await mkdtemp(join(temporary, 'planted-')));
  for (const fault of plantedFaults) {
    await step(`notices ${fault.title}`, async () => {
      const { directory } = kustomizations.find(({ title }) => title === fault.in) ?? {};
      if (directory === undefined) throw new Error(`there is no ${fault.in}`);
      const object = parseObjects(mustBeGood(await kubectl(['kustomize', directory]))).find(
        ({ kind }) => kind === fault.kind,
      );
      if (object === undefined) throw new Error(`${fault.in} has no ${fault.kind}`);
      fault.plant(object);
      const { stdout, stderr } = await apply(kubectl, temporary, [object], ['--dry-run=server']);
      if (!fault.says.test(stderr)) throw new Error(`not noticed: ${stdout}${stderr}`);
    });
  }
}

/**
 * On a cluster that is new, as the reader's is; "Try it" has one of its own, because it ends with a namespace that is
 * deleted, and docs/helm.md has one, because it makes the same objects in another way.
 */
async function followDocument(programs, temporary) {
  const read = async (page) =>
    readSections(await readFile(new URL(`../docs/${page}`, import.meta.url), 'utf8')).map((section) => ({
      ...section,
      title: `docs/${page}, ${section.title}`,
    }));
  const [first, ...rest] = await read('kubernetes.md');
  const others = [...rest, ...(await read('tls.md')).filter(({ title }) => title.endsWith(`, ${turnTlsOn}`))];
  for (const sections of [[first], others, await read('helm.md')]) {
    const cluster = await startCluster(programs);
    try {
      const directory = await mkdtemp(join(temporary, 'reader-'));
      for (const section of sections) {
        await step(section.title, () => runSection(section, { ...cluster, programs, directory }));
      }
    } finally {
      await cluster.stop();
    }
  }
}

/** What docs/tls.md does to an installation that docs/kubernetes.md made. */
const turnTlsOn = 'Turn TLS on in a running installation';

async function main() {
  const programs = await installServices(['etcd', 'kube-apiserver', 'kubectl', 'kustomize', 'helm'], {
    onProgress: (event) => {
      if (event.origin !== 'present') progressPrinter(process.stdout)(event);
    },
  });
  const temporary = await mkdtemp(join(tmpdir(), 'postern-kustomizations-'));
  let cluster;
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => interrupted.abort());
  try {
    const isRunning = await step('API server', async () => {
      cluster = await startCluster(programs);
      interrupted.signal.addEventListener('abort', () => void cluster.stop(), { once: true });
      return JSON.parse(mustBeGood(await cluster.kubectl(['version', '-o', 'json']))).serverVersion.gitVersion;
    });
    if (!isRunning) return 1;
    await installCrds(cluster.kubectl);
    await tryKustomizations(cluster, programs, temporary);
    await tryChart(cluster, programs, temporary);
    await tryPlantedFaults(cluster, programs, temporary);
    await cluster.stop();
    await followDocument(programs, temporary);
  } finally {
    await cluster?.stop();
    await rm(temporary, { recursive: true, force: true });
  }
  printNote(countsText(counts));
  return interrupted.signal.aborted ? 130 : Math.min(counts.failed, 1);
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof InstallFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
