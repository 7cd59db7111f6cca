import { type Json } from '../envoy/envoy-config.ts';
import { findCalledAddresses, serviceName } from './called-addresses.ts';
import { podsOfService } from './find-network-faults.ts';
import { asText, find, listOf, type Manifest, mapOf, ofKind, textOf } from './manifest.ts';
import { findPods, fitsSelector, type Pods, servingContainers } from './pods.ts';

const dnsPort = 53;

/** Pods that call others, on a port of theirs. */
interface Connection {
  readonly from: Pods;
  readonly to: Pods;
  readonly port: number;
}

/**
 * Calls that the network policies stop: from pods to an address of theirs (in a variable, or in a config map that they
 * use) behind a Service, and the look-up of its name. Policies add up: a pod that none selects for a direction is free
 * in it.
 */
export function findConnectionFaults(manifests: readonly Manifest[]): readonly string[] {
  const policies = ofKind(manifests, 'NetworkPolicy');
  const namespaces = new Map(
    ofKind(manifests, 'Namespace').map((each) => [textOf(each, 'metadata', 'name') ?? '', labelsOfNamespace(each)]),
  );
  const faults = findConnections(manifests).flatMap((connection) => connectionFaults(connection, policies, namespaces));
  return [...new Set(faults)];
}

function findConnections(manifests: readonly Manifest[]): readonly Connection[] {
  const all = findPods(manifests);
  return findCalledAddresses(manifests).flatMap(({ host, namespace, port, pods = [] }) => {
    const name = serviceName(host, namespace);
    const service = ofKind(manifests, 'Service', name?.namespace).find(
      (each) => textOf(each, 'metadata', 'name') === name?.service,
    );
    if (name === null || service === undefined) return [];
    const target = listOf(service, 'spec', 'ports').find((each) => find(each, 'port') === port);
    return podsOfService(service, all).flatMap((to) => {
      const wanted = find(target, 'targetPort') ?? port;
      const number = servingContainers(to)
        .flatMap((container) => listOf(container, 'ports'))
        .find((each) => find(each, typeof wanted === 'string' ? 'name' : 'containerPort') === wanted);
      return pods.map((from) => ({ from, to, port: Number(find(number, 'containerPort')) }));
    });
  });
}

/** The API server adds the name. */
function labelsOfNamespace(namespace: Manifest): Readonly<Record<string, Json>> {
  const name = textOf(namespace, 'metadata', 'name') ?? '';
  return { ...mapOf(namespace, 'metadata', 'labels'), 'kubernetes.io/metadata.name': name };
}

type Namespaces = ReadonlyMap<string, Readonly<Record<string, Json>>>;

function connectionFaults(
  { from, to, port }: Connection,
  policies: readonly Manifest[],
  namespaces: Namespaces,
): readonly string[] {
  const what = `${from.owner} calls ${to.owner} on port ${asText(port)}`;
  const leaves = isLetThrough(
    policies,
    'Egress',
    from,
    (rule) => fits(rule, 'to', from, to, namespaces) && hasPort(rule, port, to),
  );
  const enters = isLetThrough(
    policies,
    'Ingress',
    to,
    (rule) => fits(rule, 'from', to, from, namespaces) && hasPort(rule, port, to),
  );
  const looksUp = isLetThrough(
    policies,
    'Egress',
    from,
    (rule) => find(rule, 'to') === undefined && hasPort(rule, dnsPort, to),
  );
  return [
    ...(leaves ? [] : [`${what}, and no network policy lets it out`]),
    ...(enters ? [] : [`${what}, and no network policy lets it in`]),
    ...(looksUp ? [] : [`${from.owner}: no network policy lets it look up names`]),
  ];
}

function isLetThrough(
  policies: readonly Manifest[],
  type: 'Ingress' | 'Egress',
  { namespace, labels }: Pods,
  matches: (rule: Json) => boolean,
): boolean {
  const selecting = policies.filter(
    (policy) =>
      textOf(policy, 'metadata', 'namespace') === namespace &&
      listOf(policy, 'spec', 'policyTypes').includes(type) &&
      fitsSelector(labels, find(policy, 'spec', 'podSelector')),
  );
  return (
    selecting.length === 0 ||
    selecting.some((policy) => listOf(policy, 'spec', type === 'Ingress' ? 'ingress' : 'egress').some(matches))
  );
}

/** Whether the other end is among the peers of a rule; a rule without any is about everybody. */
function fits(rule: Json, side: 'from' | 'to', own: Pods, other: Pods, namespaces: Namespaces): boolean {
  if (find(rule, side) === undefined) return true;
  return listOf(rule, side).some((peer) => {
    const inNamespace =
      find(peer, 'namespaceSelector') === undefined
        ? other.namespace === own.namespace
        : fitsSelector(namespaces.get(other.namespace) ?? {}, find(peer, 'namespaceSelector'));
    return find(peer, 'ipBlock') === undefined && inNamespace && fitsSelector(other.labels, find(peer, 'podSelector'));
  });
}

function hasPort(rule: Json, port: Json, to: Pods): boolean {
  if (find(rule, 'ports') === undefined) return true;
  const names = servingContainers(to)
    .flatMap((container) => listOf(container, 'ports'))
    .filter((each) => find(each, 'containerPort') === port)
    .map((each) => find(each, 'name'));
  return listOf(rule, 'ports').some((each) => find(each, 'port') === port || names.includes(find(each, 'port')));
}
