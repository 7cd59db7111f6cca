// deploy/chart beside the kustomizations that it is written from: what Helm renders is what kustomize renders.
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { run } from '../../services/run.mjs';
import { chartComponents, makeChart, renderFolders } from '../deploy/chart.mjs';

/** Where the chart is. */
export const chart = fileURLToPath(new URL('../../deploy/chart', import.meta.url));

/** Values that an operator of version 0.1.0 may have. */
export const formerValues = `${chart}/ci/values-0.1.0.yaml`;

/** None, each component, each two, and all together, as lists of folders below deploy/components. */
export function compositions() {
  const names = [...chartComponents.keys()];
  const valid = (list) => !list.includes('manage-openid-connect') || list.includes('manage');
  const pairs = names.flatMap((one, index) => names.slice(index + 1).map((other) => [one, other]));
  const three = ['tls', 'mongodb-authority', 'file-store']; // in the order of the chart, which lists of volumes keep
  return [[], ...names.map((name) => [name]), ...pairs, three, names].filter(valid);
}

/** Throws unless the files of the chart are those that its generator writes. */
export async function checkWritten() {
  for (const [path, text] of await makeChart()) {
    if ((await readFile(`${chart}/${path}`, 'utf8')) !== text) {
      throw new Error(`deploy/chart/${path} is not up to date: node scripts/deploy/chart.mjs`);
    }
  }
}

/** Throws the first object that Helm and kustomize render differently. */
export async function compareRendered(helm, components) {
  const resources = components.includes('file-store') ? ['base'] : ['base', 'schema'];
  const expected = objectsOf(await renderFolders(resources, components));
  expected.delete('Namespace postern');
  const sets = components.map((name) => `components.${chartComponents.get(name)}=true`);
  const options = sets.length === 0 ? [] : ['--set', sets.join(',')];
  const { code, stdout, stderr } = await run(helm, [
    'template',
    'postern',
    chart,
    '--namespace',
    'postern',
    ...options,
  ]);
  if (code !== 0) throw new Error(`helm: ${stderr}`);
  const rendered = objectsOf(stdout);
  rendered.delete('Pod postern-test');
  const names = [...new Set([...expected.keys(), ...rendered.keys()])];
  const different = names.find((name) => !isDeepStrictEqual(expected.get(name), rendered.get(name)));
  if (different !== undefined) {
    const text = (objects) => JSON.stringify(objects.get(different), null, 1) ?? 'nothing';
    throw new Error(`${different}: kustomize makes\n${text(expected)}\nHelm makes\n${text(rendered)}`);
  }
  return `${names.length} objects`;
}

/** Objects by kind and name, without what only one of both tools needs. */
function objectsOf(yaml) {
  const settings = new Set(['postern', 'postern-manage']);
  const withoutHash = (name) => {
    const short = name.replace(/-[a-z0-9]{10}$/, '');
    return settings.has(short) ? short : name;
  };
  const objects = parseAllDocuments(yaml, { version: '1.1' })
    .map((document) => JSON.parse(JSON.stringify(document.toJS())))
    .filter((object) => object !== null);
  for (const { kind, metadata, spec } of objects) {
    if (kind === 'ConfigMap') metadata.name = withoutHash(metadata.name);
    for (const { envFrom = [] } of spec?.template?.spec.containers ?? []) {
      for (const { configMapRef } of envFrom) configMapRef.name = withoutHash(configMapRef.name);
    }
    // Hooks of Helm and the sum of the settings; the Job runs before there is an account.
    dropAnnotations(metadata);
    if (spec?.template?.metadata !== undefined) dropAnnotations(spec.template.metadata);
    if (kind === 'Job') delete spec.template.spec.serviceAccountName;
  }
  return new Map(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]));
}

function dropAnnotations(metadata) {
  const kept = Object.entries(metadata.annotations ?? {}).filter(([name]) => !/^(helm\.sh|checksum)\//.test(name));
  delete metadata.annotations;
  if (kept.length > 0) metadata.annotations = Object.fromEntries(kept);
}
