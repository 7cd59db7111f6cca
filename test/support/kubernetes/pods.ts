import { type Json } from '../envoy/envoy-config.ts';
import { describeManifest, find, listOf, type Manifest, mapOf, namespaceOf, textOf } from './manifest.ts';

/** The pods that an object makes, as far as its manifest says. */
export interface Pods {
  /** What faults call the object. */
  readonly owner: string;
  readonly manifest: Manifest;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, Json>>;
  /** The pod's `spec`. */
  readonly spec: Json | undefined;
  /** Containers and init containers. */
  readonly containers: readonly Json[];
}

/** Where each kind that makes pods keeps the template. */
const templates: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['spec', 'template'],
  StatefulSet: ['spec', 'template'],
  DaemonSet: ['spec', 'template'],
  ReplicaSet: ['spec', 'template'],
  Job: ['spec', 'template'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
  Pod: [],
};

/** The pods that each of the objects makes. */
export function findPods(manifests: readonly Manifest[]): readonly Pods[] {
  return manifests.flatMap((manifest) => {
    const steps = templates[textOf(manifest, 'kind') ?? ''];
    if (steps === undefined) return [];
    const template = find(manifest, ...steps);
    return {
      owner: describeManifest(manifest),
      manifest,
      namespace: namespaceOf(manifest),
      labels: mapOf(template, 'metadata', 'labels'),
      spec: find(template, 'spec'),
      containers: [...listOf(template, 'spec', 'initContainers'), ...listOf(template, 'spec', 'containers')],
    };
  });
}

/** Whether labels fit a selector (`matchLabels` and `matchExpressions`). An empty selector fits everything. */
export function fitsSelector(labels: Readonly<Record<string, Json>>, selector: Json | undefined): boolean {
  const areEqual = Object.entries(mapOf(selector, 'matchLabels')).every(([name, value]) => labels[name] === value);
  return areEqual && listOf(selector, 'matchExpressions').every((expression) => fitsExpression(labels, expression));
}

function fitsExpression(labels: Readonly<Record<string, Json>>, expression: Json): boolean {
  const value = labels[textOf(expression, 'key') ?? ''];
  const isListed = value !== undefined && listOf(expression, 'values').includes(value);
  switch (textOf(expression, 'operator')) {
    case 'In':
      return isListed;
    case 'NotIn':
      return !isListed;
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/** Whether one of the containers has this port, by name or number. */
export function hasContainerPort(containers: readonly Json[], port: Json | undefined): boolean {
  return containers
    .flatMap((container) => listOf(container, 'ports'))
    .some((each) => find(each, typeof port === 'string' ? 'name' : 'containerPort') === port);
}

/** The containers of a pod that run side by side: not those that only run before them. */
export function servingContainers({ spec, containers }: Pods): readonly Json[] {
  const initial = listOf(spec, 'initContainers').filter((each) => textOf(each, 'restartPolicy') !== 'Always');
  return containers.filter((container) => !initial.includes(container));
}
