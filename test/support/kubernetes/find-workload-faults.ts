import { type Json } from '../envoy/envoy-config.ts';
import { asText, describeManifest, find, listOf, type Manifest, mapOf, ofKind, textOf } from './manifest.ts';
import { findPods, fitsSelector, hasContainerPort, type Pods } from './pods.ts';

const selecting = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'];
const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'];

/**
 * What within an object that makes pods does not fit together: selectors and labels of its template, probes and ports,
 * mounts and volumes, names that appear twice, times to stop.
 */
export function findWorkloadFaults(manifests: readonly Manifest[]): readonly string[] {
  return findPods(manifests).flatMap((pods) => [
    ...selectorFaults(pods),
    ...pods.containers.flatMap((container) => probeFaults(pods, container)),
    ...portFaults(pods),
    ...mountFaults(pods, manifests),
    ...stopFaults(pods),
  ]);
}

function selectorFaults({ owner, manifest, labels }: Pods): readonly string[] {
  if (!selecting.includes(textOf(manifest, 'kind') ?? '')) return [];
  const selector = find(manifest, 'spec', 'selector');
  return fitsSelector(labels, selector) && Object.keys(mapOf(selector, 'matchLabels')).length > 0
    ? []
    : [`${owner}: spec.selector does not select the pods of its own template`];
}

function probeFaults({ owner }: Pods, container: Json): readonly string[] {
  return probes.flatMap((probe) => {
    const ways = ['httpGet', 'tcpSocket', 'grpc'].map((way) => find(container, probe, way, 'port'));
    return ways
      .filter((port) => port !== undefined && !hasContainerPort([container], port))
      .map(
        (port) =>
          `${owner}: ${probe} of container ${nameOf(container)} asks port ${JSON.stringify(port)}, which it does not have`,
      );
  });
}

function portFaults({ owner, containers }: Pods): readonly string[] {
  const ports = containers.flatMap((container) => listOf(container, 'ports'));
  const names = ports.flatMap((port) => textOf(port, 'name') ?? []);
  const numbers = ports.map((port) => `${asText(find(port, 'containerPort'))}/${textOf(port, 'protocol') ?? 'TCP'}`);
  return [...twice(names), ...twice(numbers)].map((what) => `${owner}: port ${what} appears twice`);
}

function mountFaults({ owner, manifest, spec, containers }: Pods, manifests: readonly Manifest[]): readonly string[] {
  const claims = listOf(manifest, 'spec', 'volumeClaimTemplates').map((claim) => textOf(claim, 'metadata', 'name'));
  const volumes = [...listOf(spec, 'volumes').map((volume) => textOf(volume, 'name')), ...claims];
  const mounted = containers.flatMap((container) =>
    listOf(container, 'volumeMounts').map((mount) => textOf(mount, 'name')),
  );
  const unknown = mounted.filter((name) => !volumes.includes(name));
  const unused = volumes.filter((name) => !mounted.includes(name));
  const paths = containers.flatMap((container) =>
    twice(listOf(container, 'volumeMounts').flatMap((mount) => textOf(mount, 'mountPath') ?? [])),
  );
  const service = textOf(manifest, 'spec', 'serviceName');
  const hasService =
    service === undefined || ofKind(manifests, 'Service').some((each) => textOf(each, 'metadata', 'name') === service);
  return [
    ...unknown.map((name) => `${owner}: mounts the volume ${String(name)}, which it does not have`),
    ...unused.map((name) => `${owner}: no container mounts the volume ${String(name)}`),
    ...paths.map((path) => `${owner}: ${path} is mounted twice in one container`),
    ...(hasService ? [] : [`${owner}: serviceName ${service} is no Service`]),
  ];
}

/** Before the end of `terminationGracePeriodSeconds` everything is killed, also a preStop hook that still sleeps. */
function stopFaults({ owner, spec, containers }: Pods): readonly string[] {
  const grace = find(spec, 'terminationGracePeriodSeconds') ?? 30;
  return containers
    .filter((container) => Number(find(container, 'lifecycle', 'preStop', 'sleep', 'seconds') ?? 0) >= Number(grace))
    .map((container) => `${owner}: container ${nameOf(container)} sleeps in preStop until it is killed`);
}

/** What selects the pods of others, and does not find any: budgets, autoscalers. */
export function findTargetFaults(manifests: readonly Manifest[]): readonly string[] {
  const pods = findPods(manifests);
  return [
    ...ofKind(manifests, 'PodDisruptionBudget').flatMap((budget) => budgetFaults(budget, pods)),
    ...ofKind(manifests, 'HorizontalPodAutoscaler').flatMap((scaler) => scalerFaults(scaler, manifests)),
  ];
}

function budgetFaults(budget: Manifest, all: readonly Pods[]): readonly string[] {
  const name = describeManifest(budget);
  const namespace = textOf(budget, 'metadata', 'namespace') ?? 'default';
  const selected = all.filter(
    (pods) => pods.namespace === namespace && fitsSelector(pods.labels, find(budget, 'spec', 'selector')),
  );
  if (selected.length === 0) return [`${name}: selects no pod`];
  const isJob = selected.filter((pods) => textOf(pods.manifest, 'kind') === 'Job');
  return isJob.map((pods) => `${name}: also selects ${pods.owner}, which does not serve`);
}

function scalerFaults(scaler: Manifest, manifests: readonly Manifest[]): readonly string[] {
  const name = describeManifest(scaler);
  const reference = find(scaler, 'spec', 'scaleTargetRef');
  const target = ofKind(manifests, textOf(reference, 'kind') ?? '', textOf(scaler, 'metadata', 'namespace')).find(
    (each) =>
      textOf(each, 'metadata', 'name') === textOf(reference, 'name') &&
      textOf(each, 'apiVersion') === textOf(reference, 'apiVersion'),
  );
  if (target === undefined) return [`${name}: its target ${JSON.stringify(reference)} is not there`];
  const pods = findPods([target])[0];
  const metrics = listOf(scaler, 'spec', 'metrics').flatMap((metric) =>
    textOf(metric, 'resource', 'target', 'type') === 'Utilization' ? (textOf(metric, 'resource', 'name') ?? []) : [],
  );
  const without = metrics.filter((resource) =>
    pods?.containers.some((container) => find(container, 'resources', 'requests', resource) === undefined),
  );
  return [
    // Each `kubectl apply` would take the autoscaler's replicas away.
    ...(find(target, 'spec', 'replicas') === undefined
      ? []
      : [`${name}: its target sets spec.replicas, which is the autoscaler's`]),
    ...without.map((resource) => `${name}: scales by ${resource}, for which a container of its target has no request`),
  ];
}

function nameOf(container: Json): string {
  return textOf(container, 'name') ?? '(no name)';
}

function twice(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}
