// Writes deploy/chart from the kustomizations, so that both describe the same objects: `node scripts/deploy/chart.mjs`.
// By hand are only values.yaml, its schema, templates/_helpers.tpl and the test pod.
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findServices } from '../../services/install-services.mjs';
import { run } from '../../services/run.mjs';
import { addLayer, firstLayer, writeObject } from './chart/layers.mjs';
import { substitute } from './chart/values.mjs';

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));
const manifest = new URL('../../package.json', import.meta.url);

/**
 * The components that the chart has, in the order in which they are laid upon `base` and `schema`, each with its name in
 * `components` of the values. tls-envoy… and mutual-tls-… belong to overlays; digests are values of the chart.
 */
export const chartComponents = new Map([
  ['manage', 'manage'],
  ['manage-openid-connect', 'manageOpenIdConnect'],
  ['tls', 'tls'],
  ['rate-limit-service', 'rateLimitService'],
  ['mongodb-authority', 'mongodbAuthority'],
  ['file-store', 'fileStore'],
]);

/** What kustomize makes of these folders below deploy/; throws what it says. */
export async function renderFolders(resources, components) {
  const { kustomize } = await findServices(['kustomize']);
  if (kustomize === null) throw new Error('kustomize is not installed: scripts/install-services kustomize');
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'postern-chart-')));
  try {
    const paths = (names) => names.map((name) => relative(directory, join(deploy, name)));
    const kustomization = {
      resources: paths(resources),
      components: paths(components.map((name) => `components/${name}`)),
    };
    await writeFile(join(directory, 'kustomization.yaml'), JSON.stringify(kustomization));
    const { code, stdout, stderr } = await run(kustomize, ['build', directory]);
    if (code !== 0) throw new Error(`kustomize: ${stderr}`);
    return stdout;
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Where the objects of each layer go; those of a component without a line here are patches only. */
const files = new Map([
  ['', 'templates/postern.yaml'],
  ['schema', 'templates/schema.yaml'],
  ['components.manage', 'templates/manage.yaml'],
  ['components.manageOpenIdConnect', 'templates/manage.yaml'],
  ['components.rateLimitService', 'templates/rate-limit-service.yaml'],
]);

const header = '{{- /* Written by scripts/deploy/chart.mjs from the kustomizations; do not edit. */ -}}\n';

/** The generated files of the chart, as a map of paths below deploy/chart to texts. */
export async function makeChart() {
  let objects = firstLayer(await renderFolders(['base'], []));
  objects = addLayer(objects, 'schema', await renderFolders(['base', 'schema'], []));
  const names = [...chartComponents.keys()];
  for (const [index, [, value]] of [...chartComponents].entries()) {
    const rendered = await renderFolders(['base', 'schema'], names.slice(0, index + 1));
    objects = addLayer(objects, `components.${value}`, rendered);
  }
  const texts = new Map([...files.values()].map((path) => [path, header]));
  for (const object of objects) {
    if (object.kind === 'Namespace') continue; // Helm's --namespace
    const path = files.get(object.layer);
    if (path === undefined) throw new Error(`${object.layer} has objects of its own: name a file for them`);
    texts.set(path, `${texts.get(path)}${substitute(object, writeObject(object))}`);
  }
  const { version, description, license } = JSON.parse(await readFile(manifest, 'utf8'));
  texts.set('Chart.yaml', chartYaml({ version, description, license }));
  return texts;
}

const chartYaml = ({ version, description, license }) => `# Written by scripts/deploy/chart.mjs; do not edit.
apiVersion: v2
name: postern
description: "${description}"
type: application
version: ${version}
appVersion: "${version}"
kubeVersion: ">=1.30.0-0"
annotations:
  artifacthub.io/license: ${license}
`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of await makeChart()) await writeFile(join(deploy, 'chart', path), text);
}
