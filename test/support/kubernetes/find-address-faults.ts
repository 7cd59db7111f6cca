import { parse } from 'yaml';
import { type Json } from '../envoy-config.ts';
import { asText, describeManifest, find, listOf, type Manifest, mapOf, ofKind, textOf } from './manifest.ts';
import { findPods, type Pods } from './pods.ts';
import { podsOfService } from './find-network-faults.ts';

/** An address that something among the manifests calls. */
export interface CalledAddress {
  /** Who calls, for the fault. */
  readonly caller: string;
  /** Where a name without a namespace is looked up. */
  readonly namespace: string;
  readonly host: string;
  readonly port: number;
}

/**
 * Names of Services that lead nowhere. Addresses are taken from Envoy configurations in config maps, and from values
 * (of variables, config maps and secrets) that are `host:port`, or a URL with hosts and ports. Names outside of the
 * cluster, with a dot and without `svc`, are not looked at.
 *
 * @param more addresses that stand elsewhere, such as in an object of a custom kind
 */
export function findAddressFaults(
  manifests: readonly Manifest[],
  more: readonly CalledAddress[] = [],
): readonly string[] {
  const pods = findPods(manifests);
  const called = [...variablesOf(pods), ...configMapsOf(manifests), ...more];
  return called.flatMap((address) => addressFaults(address, manifests, pods));
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

function addressFaults(
  { caller, namespace, host, port }: CalledAddress,
  manifests: readonly Manifest[],
  all: readonly Pods[],
): readonly string[] {
  const name = serviceName(host, namespace);
  if (name === null) return [];
  const service = ofKind(manifests, 'Service', name.namespace).find(
    (each) => textOf(each, 'metadata', 'name') === name.service,
  );
  if (service === undefined) {
    return [`${caller}: calls ${host}, and there is no Service ${name.namespace}/${name.service}`];
  }
  const isMember =
    name.pod === null ||
    podsOfService(service, all).some(({ manifest }) => {
      const owner = textOf(manifest, 'metadata', 'name') ?? '';
      const ordinal = name.pod?.startsWith(`${owner}-`) === true ? name.pod.slice(owner.length + 1) : '';
      return textOf(manifest, 'kind') === 'StatefulSet' && /^\d+$/.test(ordinal);
    });
  const hasPort = listOf(service, 'spec', 'ports').some((each) => find(each, 'port') === port);
  return [
    ...(isMember ? [] : [`${caller}: calls ${host}, and ${describeManifest(service)} has no pod ${name.pod}`]),
    ...(hasPort
      ? []
      : [`${caller}: calls ${host}:${String(port)}, and ${describeManifest(service)} does not have that port`]),
  ];
}

/** `service`, `service.namespace.svc…` or, for a pod of a StatefulSet, `pod.service…`; null for names outside. */
function serviceName(
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

function variablesOf(all: readonly Pods[]): readonly CalledAddress[] {
  return all.flatMap(({ owner, namespace, containers }) =>
    containers.flatMap((container) =>
      listOf(container, 'env').flatMap((variable) =>
        addressesIn(textOf(variable, 'value') ?? '', `${owner}, ${textOf(variable, 'name') ?? ''}`, namespace),
      ),
    ),
  );
}

function configMapsOf(manifests: readonly Manifest[]): readonly CalledAddress[] {
  return [...ofKind(manifests, 'ConfigMap'), ...ofKind(manifests, 'Secret')].flatMap((manifest) => {
    const namespace = textOf(manifest, 'metadata', 'namespace') ?? 'default';
    const encoded = Object.entries(mapOf(manifest, 'data')).map(([key, value]) => {
      const isSecret = textOf(manifest, 'kind') === 'Secret';
      return [key, isSecret ? Buffer.from(asText(value), 'base64').toString() : asText(value)] as const;
    });
    const plain = Object.entries(mapOf(manifest, 'stringData')).map(([key, value]) => [key, asText(value)] as const);
    return [...encoded, ...plain].flatMap(([key, text]) => {
      const caller = `${describeManifest(manifest)}, ${key}`;
      return text.includes('static_resources:')
        ? addressesOfEnvoy(parse(text) as Json, caller, namespace)
        : addressesIn(text, caller, namespace);
    });
  });
}

/** The addresses of a value that is nothing but one: `host:port` or `scheme://[user:password@]host:port[,host:port]/…`. */
function addressesIn(text: string, caller: string, namespace: string): readonly CalledAddress[] {
  const hosts = /^(?:[a-z][a-z0-9+]*:\/\/)?(?:[^@/\s]*@)?([a-z0-9.-]+:\d+(?:,[a-z0-9.-]+:\d+)*)(?:\/\S*)?$/i.exec(
    text.trim(),
  )?.[1];
  return (hosts?.split(',') ?? []).map((address) => {
    const colon = address.lastIndexOf(':');
    return { caller, namespace, host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
  });
}
