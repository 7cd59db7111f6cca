// The manifests of an attachment: which they are, and what kustomize makes of them.
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { installServices } from '../../services/install-services.mjs';
import { run } from '../../services/run.mjs';

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));

/** Every object of YAML text with any number of documents. */
export function parseYaml(text) {
  return parseAllDocuments(text)
    .map((document) => {
      if (document.errors.length > 0) throw document.errors[0];
      // Through JSON, so that what YAML shares by an anchor can be changed apart.
      return JSON.parse(JSON.stringify(document.toJS()));
    })
    .filter((value) => value !== null);
}

/** Files of a folder below deploy by name, each with its objects; without what it takes from others. */
export async function readFolder(folder) {
  const files = (await readdir(join(deploy, folder))).filter((file) => file.endsWith('.yaml')).sort();
  return Promise.all(files.map(async (file) => [file, parseYaml(await readFile(join(deploy, folder, file), 'utf8'))]));
}

/** A digest of what folders below deploy say, whatever their comments and layout. */
export async function digestOf(folders) {
  const hash = createHash('sha256');
  for (const folder of folders) hash.update(JSON.stringify(await readFolder(folder)));
  return hash.digest('hex');
}

/** What `kubectl apply -k` would send of an overlay, with the base and, when asked for, with components. */
export async function render(overlay, components = []) {
  const { kustomize } = await installServices(['kustomize']);
  // Kustomize follows links before it follows "..".
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'postern-render-')));
  try {
    const paths = (folders) => folders.map((folder) => relative(directory, join(deploy, folder)));
    const kustomization = { resources: paths([overlay]), components: paths(components) };
    await writeFile(join(directory, 'kustomization.yaml'), JSON.stringify(kustomization));
    const { code, stdout, stderr } = await run(kustomize, ['build', directory]);
    if (code !== 0) throw new Error(`kustomize cannot build deploy/${overlay}:\n${stderr}`);
    return parseYaml(stdout);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
