import { type Json } from '../envoy/envoy-config.ts';
import {
  asText,
  describeManifest,
  find,
  listOf,
  type Manifest,
  mapOf,
  namespaceOf,
  ofKind,
  textOf,
} from './manifest.ts';
import { findPods, fitsSelector, hasContainerPort, type Pods, servingContainers } from './pods.ts';

/** Services without pods or ports behind them, and network policies about pods or ports that are not there. */
export function findNetworkFaults(manifests: readonly Manifest[]): readonly string[] {
  const pods = findPods(manifests);
  return [
    ...ofKind(manifests, 'Service').flatMap((service) => serviceFaults(service, pods)),
    ...ofKind(manifests, 'NetworkPolicy').flatMap((policy) => policyFaults(policy, pods)),
  ];
}

/** The pods that a Service leads to. */
export function podsOfService(service: Manifest, all: readonly Pods[]): readonly Pods[] {
  const selector = mapOf(service, 'spec', 'selector');
  if (Object.keys(selector).length === 0) return [];
  return all.filter(
    ({ namespace, labels }) =>
      namespace === namespaceOf(service) && Object.entries(selector).every(([name, value]) => labels[name] === value),
  );
}

function serviceFaults(service: Manifest, all: readonly Pods[]): readonly string[] {
  const name = describeManifest(service);
  if (textOf(service, 'spec', 'type') === 'ExternalName' || find(service, 'spec', 'selector') === undefined) return [];
  const selected = podsOfService(service, all);
  if (selected.length === 0) return [`${name}: selects no pod`];
  return listOf(service, 'spec', 'ports').flatMap((port) => {
    const target = find(port, 'targetPort') ?? find(port, 'port');
    const isHeadless = textOf(service, 'spec', 'clusterIP') === 'None';
    const number = find(port, 'port');
    return selected.flatMap((pods) => [
      ...(hasContainerPort(servingContainers(pods), target)
        ? []
        : [`${name}: leads to port ${JSON.stringify(target)}, which ${pods.owner} does not have`]),
      // Without an address of its own nothing translates ports: callers come to the port that they name.
      ...(isHeadless && !hasContainerPort(servingContainers(pods), number)
        ? [`${name}: is headless, and ${pods.owner} does not listen on its port ${asText(number)}`]
        : []),
    ]);
  });
}

function policyFaults(policy: Manifest, all: readonly Pods[]): readonly string[] {
  const name = describeManifest(policy);
  const own = all.filter((pods) => pods.namespace === namespaceOf(policy));
  const selected = own.filter((pods) => fitsSelector(pods.labels, find(policy, 'spec', 'podSelector')));
  if (selected.length === 0) return [`${name}: selects no pod`];
  const types = listOf(policy, 'spec', 'policyTypes');
  const unsaid = ['Ingress', 'Egress'].filter(
    (type) => find(policy, 'spec', type.toLowerCase()) !== undefined && !types.includes(type),
  );
  return [
    ...unsaid.map((type) => `${name}: has rules for ${type}, which policyTypes does not name`),
    ...listOf(policy, 'spec', 'ingress').flatMap((rule) => [
      ...portFaults(name, rule, selected),
      ...listOf(rule, 'from').flatMap((peer) => [...peerFaults(name, peer, own), ...strangerFaults(name, peer)]),
    ]),
    ...listOf(policy, 'spec', 'egress').flatMap((rule) =>
      listOf(rule, 'to').flatMap((peer) => [
        ...peerFaults(name, peer, own),
        ...portFaults(name, rule, isLocal(peer) ? own.filter((pods) => fitsPeer(pods, peer)) : null),
      ]),
    ),
  ];
}

/** A peer that names pods of the policy's own namespace only. */
function isLocal(peer: Json): boolean {
  return find(peer, 'podSelector') !== undefined && find(peer, 'namespaceSelector') === undefined;
}

function fitsPeer(pods: Pods, peer: Json): boolean {
  return fitsSelector(pods.labels, find(peer, 'podSelector'));
}

function peerFaults(name: string, peer: Json, own: readonly Pods[]): readonly string[] {
  if (!isLocal(peer) || own.some((pods) => fitsPeer(pods, peer))) return [];
  return [`${name}: no pod fits the peer ${JSON.stringify(find(peer, 'podSelector'))}`];
}

/** A peer in any namespace: everybody who may create pods may give them its label. */
function strangerFaults(name: string, peer: Json): readonly string[] {
  const labels = mapOf(peer, 'namespaceSelector', 'matchLabels');
  const isAny = find(peer, 'namespaceSelector') !== undefined && labels['kubernetes.io/metadata.name'] === undefined;
  return isAny ? [`${name}: lets in pods of any namespace with ${JSON.stringify(find(peer, 'podSelector'))}`] : [];
}

/** The ports of a rule that none of the pods has; null for pods that are not among the manifests. */
function portFaults(name: string, rule: Json, targets: readonly Pods[] | null): readonly string[] {
  if (targets === null || targets.length === 0) return [];
  return listOf(rule, 'ports')
    .map((port) => find(port, 'port'))
    .filter((port) => port !== undefined)
    .filter((port) => !targets.some((pods) => hasContainerPort(servingContainers(pods), port)))
    .map(
      (port) =>
        `${name}: lets through port ${JSON.stringify(port)}, which ${targets.map(({ owner }) => owner).join(', ')} does not have`,
    );
}
