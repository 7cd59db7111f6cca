// docs/kubernetes.md, "The autoscaler": it adds replicas under load and takes them away after it, with the metrics
// server that the page names.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { moduleFiles } from '../test-kubernetes/crds.mjs';
import { bringImage, get, kubectl, settled, tryKubectl, until } from './cluster.mjs';
import { path, reader } from './reader.mjs';
import { unnoticed } from './traffic.mjs';

const postern = '--namespace=postern';
const source = {
  module: 'sigs.k8s.io/metrics-server@v0.9.0',
  sum: 'h1:nlqqZ2H0Xfko8eJC/1qaNVVT17hu4rxndkOi22KTZ4w=',
  paths: ['apiservice', 'deployment', 'rbac', 'service'].map((name) => `manifests/base/${name}.yaml`),
};

/** The target, in times of what idle replicas use: partners cause more than that, and four idle replicas return to two. */
const idleShares = 2.5;
const quietMs = 60_000;

/**
 * The demo has two replicas at most, and the base takes one away after five quiet minutes. The demo requests so little
 * CPU that its share depends on the machine.
 */
const changed = (idle) => ({
  maxReplicas: 4,
  metrics: [
    {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: Math.ceil(idle * idleShares) } },
    },
  ],
  behavior: {
    scaleDown: { stabilizationWindowSeconds: 15, policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }] },
  },
});

/** The manifests of its own module. The kubelets of this cluster sign their certificates themselves. */
async function applyMetricsServer() {
  const operations = [
    { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'local/metrics-server:1' },
    { op: 'add', path: '/spec/template/spec/containers/0/args/-', value: '--kubelet-insecure-tls' },
  ];
  const file = path('metrics/kustomization.yaml');
  const folder = dirname(file);
  await mkdir(folder, { recursive: true });
  const resources = [];
  for (const from of await moduleFiles(source)) {
    const name = from.split('/').at(-1);
    await writeFile(`${folder}/${name}`, await readFile(from));
    resources.push(name);
  }
  const labels = [{ pairs: { 'k8s-app': 'metrics-server' }, includeSelectors: true }];
  const patches = [{ target: { kind: 'Deployment' }, patch: JSON.stringify(operations) }];
  await writeFile(file, JSON.stringify({ resources, labels, patches }));
  await kubectl('apply', '-k', folder);
  await kubectl('rollout', 'status', 'deployment/metrics-server', '--namespace=kube-system', '--timeout=3m');
  return folder;
}

const autoscaler = () => get('hpa', 'postern', postern);

/** What the autoscaler has seen, or undefined without metrics. */
const utilization = ({ status }) => status.currentMetrics?.[0]?.resource?.current?.averageUtilization;

async function replicasBecome(what, isRight) {
  const start = performance.now();
  try {
    await until(what, async () => isRight((await autoscaler()).status.currentReplicas), 240);
  } catch (error) {
    const seen = await autoscaler();
    const { currentReplicas } = seen.status;
    throw new Error(`${error.message}: ${currentReplicas} replicas at ${utilization(seen)} % of their requests`, {
      cause: error,
    });
  }
  return Math.round((performance.now() - start) / 1000);
}

/** More replicas while partners call, and two again after that; then everything as before. */
export async function autoscale() {
  await reader();
  await bringImage('metrics');
  const { spec } = await autoscaler();
  const folder = await applyMetricsServer();
  try {
    await until('the autoscaler sees metrics', async () => utilization(await autoscaler()) !== undefined, 180);
    await new Promise((resolve) => setTimeout(resolve, quietMs));
    const idle = utilization(await autoscaler());
    await kubectl('patch', 'hpa', 'postern', postern, '--patch', JSON.stringify({ spec: changed(idle) }));
    let [up, most] = [0, 0];
    const grow = async () => {
      up = await replicasBecome('more than two replicas', (count) => count > 2);
      await settled('postern');
      most = (await autoscaler()).status.currentReplicas;
    };
    const load = await unnoticed(grow);
    const down = await replicasBecome('two replicas again', (count) => count === 2);
    return `idle at ${idle} %; ${most} replicas, the first after ${up} s; two again ${down} s after the load; ${load}`;
  } finally {
    const { maxReplicas, metrics, behavior } = spec;
    const former = JSON.stringify({ spec: { maxReplicas, metrics, behavior } });
    await kubectl('patch', 'hpa', 'postern', postern, '--patch', former);
    await tryKubectl('delete', '-k', folder);
  }
}
