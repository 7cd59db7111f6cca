// What a reader of docs/kubernetes.md has on the own machine: a folder for kustomizations and secrets.
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, state } from './cluster.mjs';

const folder = join(state, 'reader');

/** The folder, with links to the project. */
export async function reader() {
  await mkdir(folder, { recursive: true });
  for (const name of ['deploy', 'dist', 'examples']) {
    await symlink(join(root, name), join(folder, name)).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  return folder;
}

/** A path in it. */
export const path = (...names) => join(folder, ...names);

/** Changes a file of the reader's; the text must be there. */
export async function edit(file, from, to) {
  const text = await readFile(path(file), 'utf8');
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
  await writeFile(path(file), text.replace(from, to));
}

const first = 'components:\n  - ../deploy/components/rate-limit-service\n';

/** Lists one more component in the reader's kustomization. */
export const addComponent = (name) =>
  edit('production/kustomization.yaml', first, `${first}  - ../deploy/components/${name}\n`);

/** How a component of deploy/components says that it is used: what stands indented in the comment at its top. */
export async function usageOf(component) {
  const file = join('deploy/components', component, 'kustomization.yaml');
  const [usage] = /(?:^#   .*\n)+/m.exec(await readFile(join(root, file), 'utf8')) ?? [];
  if (usage === undefined) throw new Error(`${file} does not say how it is used`);
  return usage.replaceAll(/^#   /gm, '');
}
