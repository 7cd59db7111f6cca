import { type CalledAddress, findCalledAddresses, serviceName } from './called-addresses.ts';
import { describeManifest, find, listOf, type Manifest, ofKind, textOf } from './manifest.ts';
import { podsOfService } from './find-network-faults.ts';
import { findPods, type Pods } from './pods.ts';

/**
 * Names of Services that lead nowhere, and ports that they do not have. Names outside of the cluster, with a dot and
 * without `svc`, are not looked at.
 *
 * @param more addresses that stand elsewhere, such as in an object of a custom kind
 */
export function findAddressFaults(
  manifests: readonly Manifest[],
  more: readonly CalledAddress[] = [],
): readonly string[] {
  const pods = findPods(manifests);
  return [...findCalledAddresses(manifests), ...more].flatMap((address) => addressFaults(address, manifests, pods));
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
