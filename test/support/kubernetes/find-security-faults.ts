import { type Json } from '../envoy/envoy-config.ts';
import { asText, find, listOf, type Manifest, mapOf, textOf } from './manifest.ts';
import { findPods, type Pods } from './pods.ts';

const volumeKinds = [
  'configMap',
  'secret',
  'emptyDir',
  'projected',
  'downwardAPI',
  'persistentVolumeClaim',
  'ephemeral',
  'csi',
];

/**
 * What keeps pods from the Pod Security Standard "restricted"
 * (kubernetes.io/docs/concepts/security/pod-security-standards), and what this project asks beyond it: a root file
 * system that is read only, requests and a limit of memory, no token of the API server, no variables for Services
 * (those of a Service called postern-… would be unknown settings), images with a tag.
 */
export function findSecurityFaults(manifests: readonly Manifest[]): readonly string[] {
  return findPods(manifests).flatMap((pods) => [
    ...podFaults(pods).map((fault) => `${pods.owner}: ${fault}`),
    ...pods.containers.flatMap((container) =>
      containerFaults(pods, container).map(
        (fault) => `${pods.owner}: container ${textOf(container, 'name') ?? '(no name)'} ${fault}`,
      ),
    ),
  ]);
}

function podFaults({ spec }: Pods): readonly string[] {
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter((name) => find(spec, name) === true);
  const volumes = listOf(spec, 'volumes').flatMap((volume) =>
    Object.keys(mapOf(volume)).filter((kind) => kind !== 'name' && !volumeKinds.includes(kind)),
  );
  return [
    ...shared.map((name) => `has ${name}`),
    ...volumes.map((kind) => `has a volume of the kind ${kind}, which "restricted" forbids`),
    ...(find(spec, 'automountServiceAccountToken') === false ? [] : ['mounts a token of the API server']),
    ...(find(spec, 'enableServiceLinks') === false ? [] : ['gets variables for every Service (enableServiceLinks)']),
  ];
}

function containerFaults({ spec }: Pods, container: Json): readonly string[] {
  const own = find(container, 'securityContext');
  const either = (...steps: readonly string[]): Json | undefined =>
    find(own, ...steps) ?? find(spec, 'securityContext', ...steps);
  const capabilities = listOf(own, 'capabilities', 'add').filter((name) => name !== 'NET_BIND_SERVICE');
  const image = textOf(container, 'image') ?? '';
  const hostPorts = listOf(container, 'ports').filter((port) => find(port, 'hostPort') !== undefined);
  const rules: readonly (readonly [boolean, string])[] = [
    [either('runAsNonRoot') === true, 'may run as root (runAsNonRoot)'],
    [either('runAsUser') !== 0, 'runs as root (runAsUser)'],
    [find(own, 'allowPrivilegeEscalation') === false, 'may escalate privileges'],
    [find(own, 'privileged') !== true, 'is privileged'],
    [listOf(own, 'capabilities', 'drop').includes('ALL'), 'keeps capabilities (drop: [ALL])'],
    [capabilities.length === 0, `adds capabilities: ${capabilities.map(asText).join(', ')}`],
    [
      ['RuntimeDefault', 'Localhost'].includes(asText(either('seccompProfile', 'type'))),
      'has no seccomp profile (RuntimeDefault)',
    ],
    [find(own, 'readOnlyRootFilesystem') === true, 'may write to its root file system'],
    [hostPorts.length === 0, 'takes a port of the host'],
    [find(container, 'resources', 'requests', 'cpu') !== undefined, 'requests no cpu'],
    [find(container, 'resources', 'requests', 'memory') !== undefined, 'requests no memory'],
    [find(container, 'resources', 'limits', 'memory') !== undefined, 'has no limit of memory'],
    [/[^/]:[^/]+$/.test(image) && !image.endsWith(':latest'), `has an image without a fixed tag: ${image}`],
  ];
  return rules.filter(([isMet]) => !isMet).map(([, fault]) => fault);
}
