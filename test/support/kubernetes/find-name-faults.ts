import { type Json } from '../envoy/envoy-config.ts';
import {
  describeManifest,
  find,
  findManifest,
  listOf,
  type Manifest,
  mapOf,
  namespaceOf,
  ofKind,
  textOf,
} from './manifest.ts';
import { findPods, type Pods } from './pods.ts';

/** An object that people make by hand, beside the manifests, with the keys that it then has. */
export interface ExternalObject {
  readonly kind: 'ConfigMap' | 'Secret' | 'ServiceAccount' | 'PersistentVolumeClaim' | 'Namespace';
  readonly name: string;
  readonly keys?: readonly string[];
}

/** A name that a pod uses, and the keys that must be in it; none: whatever is in it. */
export interface Use {
  readonly kind: ExternalObject['kind'];
  readonly name: string | undefined;
  readonly keys: readonly string[];
  readonly isOptional: boolean;
}

/**
 * Names that lead nowhere: config maps and secrets (with their keys), service accounts, claims of volumes, namespaces.
 * What people make by hand is listed in `external`.
 */
export function findNameFaults(manifests: readonly Manifest[], external: readonly ExternalObject[]): readonly string[] {
  const used = findPods(manifests).flatMap((pods) =>
    usesOf(pods).flatMap((use) => useFaults(pods, use, manifests, external)),
  );
  return [...used, ...namespaceFaults(manifests, external)];
}

function useFaults(
  { owner, namespace }: Pods,
  { kind, name = '', keys, isOptional }: Use,
  manifests: readonly Manifest[],
  external: readonly ExternalObject[],
): readonly string[] {
  const found = findManifest(manifests, kind, name, namespace);
  const outside = external.find((each) => each.kind === kind && each.name === name);
  if (found === undefined && outside === undefined) {
    return isOptional ? [] : [`${owner}: uses the ${kind} ${name}, which is not there`];
  }
  const there = found === undefined ? (outside?.keys ?? []) : keysOf(found);
  const missing = isOptional ? [] : keys.filter((key) => !there.includes(key));
  return missing.map(
    (key) => `${owner}: uses the key ${key} of the ${kind} ${name}, which has ${there.join(', ') || 'none'}`,
  );
}

function keysOf(manifest: Manifest): readonly string[] {
  return ['data', 'stringData', 'binaryData'].flatMap((part) => Object.keys(mapOf(manifest, part)));
}

/** Everything that a pod uses by name. */
export function usesOf(pods: Pods): readonly Use[] {
  const { spec, containers } = pods;
  const account = textOf(spec, 'serviceAccountName');
  return [
    ...(account === undefined ? [] : [{ kind: 'ServiceAccount' as const, name: account, keys: [], isOptional: false }]),
    ...listOf(spec, 'imagePullSecrets').map((each) => use('Secret', each, [])),
    ...containers.flatMap((container) => [
      ...listOf(container, 'env').flatMap((variable) => usesOfVariable(variable)),
      ...listOf(container, 'envFrom').flatMap((from) => usesOfSources(from, 'configMapRef', 'secretRef')),
    ]),
    ...listOf(spec, 'volumes').flatMap(usesOfVolume),
  ];
}

function usesOfVariable(variable: Json): readonly Use[] {
  const from = find(variable, 'valueFrom');
  return usesOfSources(from, 'configMapKeyRef', 'secretKeyRef');
}

function usesOfSources(from: Json | undefined, configMap: string, secret: string): readonly Use[] {
  const pairs = [
    ['ConfigMap', find(from, configMap)],
    ['Secret', find(from, secret)],
  ] as const;
  return pairs.flatMap(([kind, reference]) =>
    reference === undefined ? [] : use(kind, reference, [textOf(reference, 'key') ?? []].flat()),
  );
}

function usesOfVolume(volume: Json): readonly Use[] {
  const sources = [volume, ...listOf(volume, 'projected', 'sources')];
  const claim = textOf(volume, 'persistentVolumeClaim', 'claimName');
  return [
    ...(claim === undefined
      ? []
      : [{ kind: 'PersistentVolumeClaim' as const, name: claim, keys: [], isOptional: false }]),
    ...sources.flatMap((source) => {
      const configMap = find(source, 'configMap');
      const secret = find(source, 'secret');
      return [
        ...(configMap === undefined ? [] : [use('ConfigMap', configMap, itemKeys(configMap))]),
        ...(secret === undefined ? [] : [use('Secret', secret, itemKeys(secret))]),
      ];
    }),
  ];
}

function itemKeys(source: Json): readonly string[] {
  return listOf(source, 'items').flatMap((item) => textOf(item, 'key') ?? []);
}

function use(kind: Use['kind'], reference: Json, keys: readonly string[]): Use {
  // A volume of a Secret has `secretName` where all others have `name`.
  const name = textOf(reference, 'secretName') ?? textOf(reference, 'name');
  return { kind, name, keys, isOptional: find(reference, 'optional') === true };
}

const clusterWide = [
  'Namespace',
  'GatewayClass',
  'ClusterRole',
  'ClusterRoleBinding',
  'PriorityClass',
  'StorageClass',
  'CustomResourceDefinition',
];

function namespaceFaults(manifests: readonly Manifest[], external: readonly ExternalObject[]): readonly string[] {
  const known = [
    ...ofKind(manifests, 'Namespace').map((each) => textOf(each, 'metadata', 'name')),
    ...external.filter(({ kind }) => kind === 'Namespace').map(({ name }) => name),
  ];
  return manifests
    .filter((manifest) => !clusterWide.includes(textOf(manifest, 'kind') ?? ''))
    .filter((manifest) => !known.includes(namespaceOf(manifest)))
    .map((manifest) => `${describeManifest(manifest)}: there is no Namespace ${namespaceOf(manifest)}`);
}
