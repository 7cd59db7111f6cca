import { parse } from 'yaml';
import { type Json } from '../envoy/envoy-config.ts';
import { usesOf } from './find-name-faults.ts';
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
import { findPods, type Pods } from './pods.ts';

/** An address that something among the manifests calls. */
export interface CalledAddress {
  /** Who calls, for the fault. */
  readonly caller: string;
  /** Where a name without a namespace is looked up. */
  readonly namespace: string;
  readonly host: string;
  readonly port: number;
  /** The pods that call, as far as they are known. */
  readonly pods?: readonly Pods[];
}

/**
 * The addresses that stand in manifests: in Envoy configurations, and in values (of variables, arguments, config maps
 * and secrets) that are `host:port`, or a URL with hosts and ports.
 */
export function findCalledAddresses(manifests: readonly Manifest[]): readonly CalledAddress[] {
  const all = findPods(manifests);
  return [...all.flatMap(addressesOfPods), ...addressesOfData(manifests, all)];
}

/** The addresses of the clusters of an Envoy bootstrap configuration. */
export function addressesOfEnvoy(config: Json, caller: string, namespace: string): readonly CalledAddress[] {
  return listOf(config, 'static_resources', 'clusters')
    .flatMap((cluster) => listOf(cluster, 'load_assignment', 'endpoints'))
    .flatMap((locality) => listOf(locality, 'lb_endpoints'))
    .map((endpoint) => find(endpoint, 'endpoint', 'address', 'socket_address'))
    .flatMap((address) =>
      address === undefined
        ? []
        : { caller, namespace, host: textOf(address, 'address') ?? '', port: Number(find(address, 'port_value')) },
    );
}

/** `service`, `service.namespace.svc…` or, for a pod of a StatefulSet, `pod.service…`; null for names outside. */
export function serviceName(
  host: string,
  namespace: string,
): { readonly pod: string | null; readonly service: string; readonly namespace: string } | null {
  if (host === 'localhost' || /^[\d.:[\]]+$/.test(host)) return null;
  const labels = host.replace(/\.$/, '').split('.');
  const svc = labels.indexOf('svc');
  if (svc < 0) {
    const [first = '', second, ...rest] = labels;
    if (second === undefined) return { pod: null, service: first, namespace };
    // `mongodb-0.mongodb` is a pod, `db.example` is not known: only the first ends with a number.
    return rest.length === 0 && /-\d+$/.test(first) ? { pod: first, service: second, namespace } : null;
  }
  const [service = '', inNamespace = ''] = labels.slice(svc - 2, svc);
  return { pod: svc > 2 ? labels.slice(0, svc - 2).join('.') : null, service, namespace: inNamespace };
}

function addressesOfPods(pods: Pods): readonly CalledAddress[] {
  const { owner, namespace, containers } = pods;
  return containers.flatMap((container) => {
    const variables = listOf(container, 'env').map((variable): [string, string] => [
      textOf(variable, 'name') ?? '',
      textOf(variable, 'value') ?? '',
    ]);
    const words = [...listOf(container, 'command'), ...listOf(container, 'args')].map((word): [string, string] => [
      'arguments',
      asText(word),
    ]);
    return [...variables, ...words].flatMap(([name, text]) =>
      addressesIn(text, `${owner}, ${name}`, namespace).map((address) => ({ ...address, pods: [pods] })),
    );
  });
}

function addressesOfData(manifests: readonly Manifest[], all: readonly Pods[]): readonly CalledAddress[] {
  return [...ofKind(manifests, 'ConfigMap'), ...ofKind(manifests, 'Secret')].flatMap((manifest) => {
    const namespace = namespaceOf(manifest);
    const kind = textOf(manifest, 'kind');
    const name = textOf(manifest, 'metadata', 'name');
    const decode = (value: Json): string =>
      kind === 'Secret' ? Buffer.from(asText(value), 'base64').toString() : asText(value);
    const encoded = Object.entries(mapOf(manifest, 'data')).map(([key, value]) => [key, decode(value)] as const);
    const plain = Object.entries(mapOf(manifest, 'stringData')).map(([key, value]) => [key, asText(value)] as const);
    return [...encoded, ...plain].flatMap(([key, text]) => {
      const caller = `${describeManifest(manifest)}, ${key}`;
      const pods = all.filter(
        (each) =>
          each.namespace === namespace &&
          usesOf(each).some(
            (use) => use.kind === kind && use.name === name && (use.keys.length === 0 || use.keys.includes(key)),
          ),
      );
      const addresses = text.includes('static_resources:')
        ? addressesOfEnvoy(parse(text) as Json, caller, namespace)
        : addressesIn(text, caller, namespace);
      return addresses.map((address) => ({ ...address, pods }));
    });
  });
}

/**
 * The addresses of a value that is nothing but one: `host:port` or `scheme://[user:password@]host:port[,host:port]/…`.
 */
function addressesIn(text: string, caller: string, namespace: string): readonly CalledAddress[] {
  const hosts = /^(?:[a-z][a-z0-9+]*:\/\/)?(?:[^@/\s]*@)?([a-z0-9.-]+:\d+(?:,[a-z0-9.-]+:\d+)*)(?:\/\S*)?$/i.exec(
    text.trim(),
  )?.[1];
  return (hosts?.split(',') ?? []).map((address) => {
    const colon = address.lastIndexOf(':');
    return { caller, namespace, host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
  });
}
