// Every kustomization below deploy/.
import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { run } from '../../services/run.mjs';

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));

/**
 * All of them, as `{ title, directory }` that `kubectl apply -k` takes. A component cannot stand alone: in a folder
 * below `temporary` it is put upon the base, or the first overlay that has what it changes.
 */
export async function findKustomizations(kustomize, temporary) {
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
      const composed = await composeUponFirst(kustomize, temporary, path);
      return { title: `deploy/${composed.under} with ${title}`, directory: composed.directory };
    }),
  );
}

async function composeUponFirst(kustomize, temporary, component) {
  const overlays = (await readdir(join(deploy, 'overlays'))).sort().map((name) => `overlays/${name}`);
  for (const under of ['base', ...overlays]) {
    const directory = await compose(temporary, component, under);
    if ((await run(kustomize, ['build', directory])).code === 0) return { under, directory };
  }
  return { under: 'base', directory: await compose(temporary, component, 'base') };
}

async function compose(temporary, component, under) {
  const directory = join(await realpath(temporary), `${component}-${under}`.replaceAll('/', '-'));
  await mkdir(directory, { recursive: true });
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
