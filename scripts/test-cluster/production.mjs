// docs/kubernetes.md from "Install it" on, command by command, against a MongoDB with TLS and logins; TLS turned on
// while partners call, certificates renewed, MongoDB's primary lost; then a declarative file in place of MongoDB.
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { get, kubectl, mustRun, root, shell, state, tryKubectl, until, withPortForward } from './cluster.mjs';
import { database, lose, password, primary, startDatabase } from './database.mjs';
import { blocksOf } from './demo.mjs';
import { renewCertificates, turnTlsOn } from './encryption.mjs';
import { addComponent, edit, path, reader, usageOf } from './reader.mjs';
import { firstAnswer, unnoticed } from './traffic.mjs';

const postern = '--namespace=postern';
const image = 'registry.example.com/postern:0.2.0';

/** What a registry would give: the image under the name that the page has. */
async function tagImages() {
  const { items } = await get('nodes');
  for (const { metadata } of items) {
    const ctr = ['-a', join(state, metadata.name, 'containerd.sock'), '-n', 'k8s.io', 'images', 'tag', '--force'];
    await mustRun(metadata.name, 'ctr', [...ctr, 'docker.io/library/postern:0.2.0', image]);
  }
}

async function surroundings() {
  const users = await startDatabase(path('authority'));
  await kubectl('create', 'namespace', 'shop');
  await kubectl(
    'create',
    'configmap',
    'echo',
    '--namespace=shop',
    `--from-file=${join(root, 'deploy/overlays/demo/echo/echo.mjs')}`,
  );
  await kubectl('apply', '--filename', join(root, 'scripts/test-cluster/shop.yaml'));
  await kubectl('rollout', 'status', 'deployment/orders', '--namespace=shop', '--timeout=3m');
  await tagImages();
  return users;
}

/** The database in the commands of the page. */
const address = 'mongodb.example.com:27017/postern?replicaSet=rs0&tls=true';

/** Steps 2 to 4, with the section about an authority of one's own. */
async function install() {
  const cwd = await reader();
  const [secrets, kustomizations, apply] = blocksOf('Install it');
  if (secrets.split(address).length !== 3) throw new Error(`"Install it" has not twice ${address}`);
  await shell(secrets.replaceAll(address, database).replaceAll('PASSWORD', password), { cwd });
  await shell(kustomizations, { cwd });
  await cp(path('authority/ca.crt'), path('production/ca.crt'));
  await addComponent('mongodb-authority');
  const [, generator] = (await usageOf('mongodb-authority')).split('configMapGenerator:\n');
  await edit('production/kustomization.yaml', 'configMapGenerator:\n', `configMapGenerator:\n${generator}`);
  await edit(
    'production/schema/kustomization.yaml',
    'images:',
    'components:\n  - ../../deploy/components/mongodb-authority\nimages:',
  );
  const start = performance.now();
  await shell(apply, { cwd });
  return `ready ${Math.round((performance.now() - start) / 1000)} s after kubectl apply`;
}

/** Runs a command as postern-operator, where the schema's Job ran, and gives what it printed. */
async function runAsOperator(name, args, volumes = []) {
  const job = await get('job', 'postern-schema', postern);
  const { spec } = job.spec.template;
  const [container] = spec.containers;
  container.args = ['dist/main.js', ...args];
  container.env.find((variable) => variable.name === 'POSTERN_STORE').valueFrom.secretKeyRef.name = 'operator';
  for (const configMap of volumes) {
    spec.volumes.push({ name: configMap, configMap: { name: configMap } });
    container.volumeMounts.push({ name: configMap, mountPath: `/${configMap}` });
  }
  const labels = { 'app.kubernetes.io/name': 'postern-schema' };
  const template = { metadata: { labels }, spec };
  const own = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: 'postern' }, spec: { template } };
  await writeFile(path('job.json'), JSON.stringify(own));
  await kubectl('apply', '--filename', path('job.json'));
  await kubectl('wait', `job/${name}`, postern, '--for=condition=complete', '--timeout=3m');
  return kubectl('logs', `job/${name}`, postern);
}

/** Step 5: the partners of the demo. */
async function addPartners() {
  const store = `mongodb://postern-operator:${password}@${database}`;
  await kubectl('create', 'secret', 'generic', 'operator', postern, `--from-literal=store=${store}`);
  await kubectl('create', 'configmap', 'partners', postern, `--from-file=${join(root, 'examples/demo/postern.yaml')}`);
  await runAsOperator('partners', ['apply', '-f', '/partners/postern.yaml'], ['partners']);
  await firstAnswer();
  return 'a signed request is answered with 200';
}

/** "The management API": its blocks, the first operator, and a request with the token of that one. */
async function manage() {
  const cwd = await reader();
  const [secrets, component] = blocksOf('The management API');
  await shell(secrets.replaceAll(address, database).replaceAll('PASSWORD', password), { cwd });
  const [write, apply] = component.split(/(?<=\nEND\n)/);
  await shell(write, { cwd });
  await edit(
    'production/manage/kustomization.yaml',
    'images:',
    '  - ../../deploy/components/mongodb-authority\nimages:',
  );
  const said = await runAsOperator('first-operator', ['operator', 'add', 'alice', '--role', 'admin', '-o', 'json']);
  const { token } = JSON.parse(said).token;
  const start = performance.now();
  await shell(apply, { cwd });
  return withPortForward('service/postern-manage', '9004', async () => {
    const certificate = path('secrets/manage.crt');
    const curl = ['--silent', '--show-error', '--fail-with-body', '--cacert', certificate];
    const bearer = ['--header', `authorization: Bearer ${token}`];
    const { items } = JSON.parse(
      await mustRun('cp', 'curl', [...curl, ...bearer, 'https://localhost:9004/v1/endpoints']),
    );
    const seconds = Math.round((performance.now() - start) / 1000);
    return `the first operator sees ${items.length} endpoints ${seconds} s after kubectl apply`;
  });
}

async function losePrimary() {
  return unnoticed(async () => {
    const lost = await primary();
    await lose(lost);
    await until('another primary', async () => {
      const found = await primary();
      return found !== null && found !== lost;
    });
  });
}

/** In the place of the former: a declarative file, and no database. */
async function fileStore() {
  const cwd = await reader();
  await kubectl('delete', 'namespace', 'postern');
  await shell(blocksOf('Install it')[0].split('\n')[0], { cwd });
  await kubectl(
    'create',
    'secret',
    'generic',
    'postern',
    postern,
    `--from-file=keyring.yaml=${path('secrets/keyring.yaml')}`,
  );
  await mkdir(path('file'));
  await cp(join(root, 'examples/demo/postern.yaml'), path('file/postern.yaml'));
  const snippet = await usageOf('file-store');
  const patch = `patches:
  - target: { kind: Service, name: backend }
    patch: |-
      - { op: replace, path: /spec/externalName, value: orders.shop.svc.cluster.local }
`;
  await writeFile(path('file/kustomization.yaml'), `resources: [../deploy/overlays/plain-envoy]\n${snippet}${patch}`);
  const start = performance.now();
  await kubectl('apply', '-k', path('file'));
  await firstAnswer();
  const seconds = Math.round((performance.now() - start) / 1000);
  await tryKubectl('delete', 'namespace', 'database', '--wait=false');
  return `first signed 200 after ${seconds} s`;
}

/** Each with the name that `npm run test:cluster -- NAME` takes. */
export const production = [
  ['surroundings', 'MongoDB with TLS and the users of roles.js', surroundings],
  ['install', 'docs/kubernetes.md, Install it', install],
  ['partners', 'partners by postern-operator, and the first call', addPartners],
  ['manage', 'the management API', manage],
  ['tls-on', 'TLS is turned on in the running installation', turnTlsOn],
  ['certificates', 'both certificates are renewed', renewCertificates],
  ['primary', "MongoDB's primary is lost", losePrimary],
  ['file-store', 'a file in place of MongoDB', fileStore],
];
