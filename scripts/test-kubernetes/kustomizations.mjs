// Every kustomization below deploy/, whoever wrote it.
import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));

/** What a component is put upon when it is not the base. */
const upon = { 'components/tls-envoy': 'overlays/plain-envoy' };

/**
 * All of them, as `{ title, directory }` that `kubectl apply -k` takes. A component is put upon the base, or what it is for, in a
 * folder below `temporary`, because it cannot stand alone.
 */
export async function findKustomizations(temporary) {
  const entries = await readdir(deploy, { recursive: true, withFileTypes: true });
  const directories = entries
    .filter((entry) => entry.isFile() && entry.name === 'kustomization.yaml')
    .map((entry) => entry.parentPath ?? entry.path)
    .sort();
  return Promise.all(
    directories.map(async (directory) => {
      const path = relative(deploy, directory);
      const { kind } = parse(await readFile(join(directory, 'kustomization.yaml'), 'utf8'));
      const title = join('deploy', path);
      if (kind !== 'Component') return { title, directory };
      const under = upon[path] ?? 'base';
      return { title: `deploy/${under} with ${title}`, directory: await compose(temporary, path, under) };
    }),
  );
}

async function compose(temporary, component, under) {
  const directory = join(await realpath(temporary), component.replaceAll('/', '-'));
  await mkdir(directory);
  const path = (name) => relative(directory, join(deploy, name));
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [path(under)],
    components: [path(component)],
  };
  await writeFile(join(directory, 'kustomization.yaml'), JSON.stringify(kustomization));
  return directory;
}
