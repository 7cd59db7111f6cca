import { type Json } from '../envoy/envoy-config.ts';
import { asText, find, findManifest, listOf, type Manifest, mapOf, textOf } from './manifest.ts';
import { findPods } from './pods.ts';

/** The content of Secrets that people make by hand, by name and key. */
export type SecretValues = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * The environment that a container gets, as the kubelet would put it together from values, config maps and secrets;
 * that of the first container, or the one with the name.
 */
export function settingsOf(
  manifests: readonly Manifest[],
  workload: Manifest,
  secrets: SecretValues = {},
  containerName?: string,
): Readonly<Record<string, string>> {
  const { containers, spec, namespace } = findPods([workload])[0] ?? {};
  const container =
    containerName === undefined
      ? find(spec, 'containers', 0)
      : containers?.find((each) => textOf(each, 'name') === containerName);
  const dataOf = (kind: 'ConfigMap' | 'Secret', name = ''): Readonly<Record<string, Json>> => {
    const found = findManifest(manifests, kind, name, namespace);
    if (found === undefined) return secrets[name] ?? {};
    const decode = ([key, value]: [string, Json]): [string, Json] => [
      key,
      kind === 'Secret' ? Buffer.from(asText(value), 'base64').toString() : value,
    ];
    return { ...Object.fromEntries(Object.entries(mapOf(found, 'data')).map(decode)), ...mapOf(found, 'stringData') };
  };
  const whole = listOf(container, 'envFrom').flatMap((from) =>
    (['ConfigMap', 'Secret'] as const).flatMap((kind) => {
      const name = textOf(from, kind === 'ConfigMap' ? 'configMapRef' : 'secretRef', 'name');
      return name === undefined ? [] : Object.entries(dataOf(kind, name));
    }),
  );
  const single = listOf(container, 'env').map((variable): [string, Json] => {
    const configMap = find(variable, 'valueFrom', 'configMapKeyRef');
    const secret = find(variable, 'valueFrom', 'secretKeyRef');
    const value =
      textOf(variable, 'value') ??
      dataOf(configMap === undefined ? 'Secret' : 'ConfigMap', textOf(configMap ?? secret, 'name'))[
        textOf(configMap ?? secret, 'key') ?? ''
      ];
    return [textOf(variable, 'name') ?? '', value ?? ''];
  });
  return Object.fromEntries([...whole, ...single].map(([name, value]) => [name, asText(value)]));
}
