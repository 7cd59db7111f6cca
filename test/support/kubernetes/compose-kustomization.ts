import { realpath, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '../lifetime/temporary-directory.ts';
import { type Manifest } from './manifest.ts';
import { renderKustomization } from './render-kustomization.ts';

const deploy = fileURLToPath(new URL('../../../deploy/', import.meta.url));

/** A kustomization of an operator's own, as the documents show; paths are below `deploy/`. */
export interface Composition {
  readonly resources: readonly string[];
  readonly components?: readonly string[];
  /** Further fields of the kustomization, as YAML. */
  readonly more?: string;
}

/** Renders a kustomization that stands outside of the project and builds upon it. */
export async function renderComposition({
  resources,
  components = [],
  more = '',
}: Composition): Promise<readonly Manifest[]> {
  await using directory = await temporaryDirectory();
  const from = await realpath(directory.path); // kustomize follows links before it follows ".."
  const paths = (names: readonly string[]): string =>
    JSON.stringify(names.map((name) => relative(from, `${deploy}${name}`)));
  const text = [
    'apiVersion: kustomize.config.k8s.io/v1beta1',
    'kind: Kustomization',
    `resources: ${paths(resources)}`,
    `components: ${paths(components)}`,
    more,
  ];
  await writeFile(join(from, 'kustomization.yaml'), text.join('\n'));
  return await renderKustomization(from);
}
