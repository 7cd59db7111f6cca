import { type CalledAddress } from './called-addresses.ts';
import { findAddressFaults } from './find-address-faults.ts';
import { findConnectionFaults } from './find-connection-faults.ts';
import { type ExternalObject, findNameFaults } from './find-name-faults.ts';
import { findNetworkFaults } from './find-network-faults.ts';
import { findSchemaFaults } from './find-schema-faults.ts';
import { findSecurityFaults } from './find-security-faults.ts';
import { findTargetFaults, findWorkloadFaults } from './find-workload-faults.ts';
import { type Manifest } from './manifest.ts';

/** What the manifests alone do not say. */
export interface ManifestSurroundings {
  /** What people make by hand, such as the Secret `postern`. */
  readonly external?: readonly ExternalObject[];
  /** Addresses that stand in objects of custom kinds; those in Envoy configurations and variables are found anyway. */
  readonly addresses?: readonly CalledAddress[];
  /** Kinds (`Group/Version/Kind`) without a schema here, for which the test has another check. */
  readonly withoutSchema?: readonly string[];
}

/** What overlays and components leave to people, as docs/kubernetes.md and docs/mutual-tls.md say. */
export const secretsByHand: readonly ExternalObject[] = [
  { kind: 'Secret', name: 'postern', keys: ['store', 'keyring.yaml'] },
  { kind: 'Secret', name: 'postern-tls', keys: ['tls.crt', 'tls.key', 'ca.crt'] },
  { kind: 'Secret', name: 'envoy-tls', keys: ['tls.crt', 'tls.key', 'ca.crt'] },
  { kind: 'Secret', name: 'partners-tls', keys: ['tls.crt', 'tls.key'] },
  { kind: 'ConfigMap', name: 'partners-authorities', keys: ['ca.crt'] },
  { kind: 'Secret', name: 'postern-manage', keys: ['store'] },
  { kind: 'Secret', name: 'postern-manage-tls', keys: ['tls.crt', 'tls.key'] },
];

/**
 * Everything that can be found wrong in a rendered kustomization without a cluster: the one call for a test of an
 * overlay, which should give an empty list.
 *
 *     const manifests = await renderKustomization('overlays/istio');
 *     assert.deepEqual(await findManifestFaults(manifests, { external: secretsByHand }), []);
 *
 * Each fault is a sentence that begins with kind, namespace and name of the object. Checked: the schemas of the exact
 * API
 * versions with unknown fields (find-schema-faults.ts), selectors, probes, ports, volumes (find-workload-faults.ts),
 * budgets
 * and autoscalers, names of config maps, secrets, accounts, claims, namespaces and the keys in them
 * (find-name-faults.ts),
 * Services and network policies (find-network-faults.ts), host names in Envoy configurations and variables
 * (find-address-faults.ts), calls that network policies stop (find-connection-faults.ts), pod security
 * (find-security-faults.ts).
 */
export async function findManifestFaults(
  manifests: readonly Manifest[],
  surroundings: ManifestSurroundings = {},
): Promise<readonly string[]> {
  return [
    ...(await findSchemaFaults(manifests, surroundings.withoutSchema)),
    ...findReferenceFaults(manifests, surroundings),
  ];
}

/** Everything but the schemas. */
export function findReferenceFaults(
  manifests: readonly Manifest[],
  { external = [], addresses = [] }: ManifestSurroundings = {},
): readonly string[] {
  return [
    ...findWorkloadFaults(manifests),
    ...findTargetFaults(manifests),
    ...findNameFaults(manifests, external),
    ...findNetworkFaults(manifests),
    ...findAddressFaults(manifests, addresses),
    ...findConnectionFaults(manifests),
    ...findSecurityFaults(manifests),
  ];
}
