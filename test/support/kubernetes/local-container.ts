import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asText, find, findManifest, listOf, type Manifest, mapOf, namespaceOf, textOf } from './manifest.ts';
import { findPods } from './pods.ts';
import { type SecretValues, settingsOf } from './settings-of.ts';
import { type Json } from '../envoy/envoy-config.ts';

/** A container as a process on this machine. */
export interface LocalContainer {
  /** `command` and `args`; whatever the image would add is for the test to know. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface LocalContainerOptions {
  readonly manifests: readonly Manifest[];
  readonly workload: Manifest;
  /** The first container unless given. */
  readonly container?: string;
  /** A folder of its own that stands for the root of the container's file system. */
  readonly root: string;
  /** Addresses and ports of a cluster, and what is in their place here; whole words. */
  readonly replace: Readonly<Record<string, string>>;
  readonly secrets?: SecretValues;
}

/** `0.0.0.0`, for instance, and not the end of `10.0.0.0`. */
function wholeWord(text: string): RegExp {
  return new RegExp(`(?<![\\w.])${text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?!\\w)`, 'g');
}

/**
 * Makes a container of a manifest runnable without a cluster: its config maps and secrets are files below `root`,
 * linked as the kubelet does it, absolute paths lead there, and addresses are replaced. All else is as in the manifest.
 */
export async function localContainer(options: LocalContainerOptions): Promise<LocalContainer> {
  const { manifests, workload, root, replace, secrets = {} } = options;
  const { containers, spec } = findPods([workload])[0] ?? { containers: [], spec: undefined };
  const container =
    options.container === undefined
      ? find(spec, 'containers', 0)
      : containers.find((each) => textOf(each, 'name') === options.container);
  if (container === undefined) throw new Error(`there is no container ${options.container ?? ''}`);
  const name = textOf(container, 'name') ?? '';
  const home = join(root, name);
  for (const mount of listOf(container, 'volumeMounts')) {
    const volume = listOf(spec, 'volumes').find((each) => textOf(each, 'name') === textOf(mount, 'name'));
    const files = filesOf(manifests, workload, volume, secrets);
    await writeVolume(join(home, textOf(mount, 'mountPath') ?? ''), files);
  }
  const toLocal = (text: string): string => {
    const replaced = Object.entries(replace).reduce((before, [from, to]) => before.replace(wholeWord(from), to), text);
    return replaced.replace(/^(file:)?(?=\/)/, (scheme) => `${scheme}${home}`);
  };
  const parts = [...listOf(container, 'command'), ...listOf(container, 'args')].map(asText);
  const settings = Object.entries(settingsOf(manifests, workload, secrets, name));
  return {
    command: parts.map(toLocal),
    env: Object.fromEntries(settings.map(([key, value]) => [key, toLocal(value)])),
  };
}

function filesOf(
  manifests: readonly Manifest[],
  workload: Manifest,
  volume: Json | undefined,
  secrets: SecretValues,
): Readonly<Record<string, string>> {
  const kind = find(volume, 'secret') === undefined ? 'ConfigMap' : 'Secret';
  const name = textOf(volume, 'secret', 'secretName') ?? textOf(volume, 'configMap', 'name');
  if (name === undefined) return {};
  const found = findManifest(manifests, kind, name, namespaceOf(workload));
  const data =
    found === undefined
      ? Object.entries(secrets[name] ?? {})
      : Object.entries(mapOf(found, 'data')).map(([key, value]): [string, string] => [
          key,
          kind === 'Secret' ? Buffer.from(asText(value), 'base64').toString() : asText(value),
        ]);
  const items = listOf(volume, kind === 'Secret' ? 'secret' : 'configMap', 'items');
  if (items.length === 0) return Object.fromEntries(data);
  const paths = new Map(items.map((item) => [textOf(item, 'key') ?? '', textOf(item, 'path') ?? '']));
  const wanted = data.flatMap(([key, text]): [string, string][] => {
    const path = paths.get(key);
    return path === undefined ? [] : [[path, text]];
  });
  return Object.fromEntries(wanted);
}

/**
 * As the kubelet does it: a folder with a version, a link to it that is replaced at once, and links to the files in it.
 */
async function writeVolume(path: string, files: Readonly<Record<string, string>>): Promise<void> {
  const version = '..2026_01_01_00_00_00.1';
  await mkdir(join(path, version), { recursive: true });
  await symlink(version, join(path, '..data'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, version, name)), { recursive: true });
    await writeFile(join(path, version, name), text, { mode: 0o600 });
    await symlink(join('..data', name), join(path, name));
  }
}
