// The manifests of an attachment: which they are, and what kustomize makes of them.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { installServices } from '../install-services.mjs';
import { run } from '../services/run.mjs';

const overlays = fileURLToPath(new URL('../../deploy/overlays/', import.meta.url));

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

/** Files of an overlay by name, each with its objects; without what the overlay takes from the base. */
export async function readOverlay(name) {
  const files = (await readdir(join(overlays, name))).filter((file) => file.endsWith('.yaml')).sort();
  return Promise.all(files.map(async (file) => [file, parseYaml(await readFile(join(overlays, name, file), 'utf8'))]));
}

/** A digest of what an overlay says, whatever its comments and layout. */
export async function overlayDigest(name) {
  return createHash('sha256')
    .update(JSON.stringify(await readOverlay(name)))
    .digest('hex');
}

/** What `kubectl apply -k` would send, the base included. */
export async function renderOverlay(name) {
  const { kustomize } = await installServices(['kustomize']);
  const { code, stdout, stderr } = await run(kustomize, ['build', join(overlays, name)]);
  if (code !== 0) throw new Error(`kustomize cannot build deploy/overlays/${name}:\n${stderr}`);
  return parseYaml(stdout);
}
