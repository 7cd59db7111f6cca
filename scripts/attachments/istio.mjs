// What Istio makes of deploy/overlays/istio, said by its own control plane.
import { createHash } from 'node:crypto';
import { access, cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { lastLines, run } from '../../services/run.mjs';
import { parseYaml, readFolder, render } from './manifests.mjs';
import { clustersNamedIn, normalise } from './normalise.mjs';

export const controlPlane = 'Istio 1.31 (istio.io/istio v0.0.0-20260827124520-eed52ebb66ad)';

const source = fileURLToPath(new URL('istio/', import.meta.url));
const kept = fileURLToPath(new URL('../../.services/attachments/', import.meta.url));

/**
 * Compiles the program beside its go.mod once, below .services; Go's checksum database vouches for what it is made of.
 */
async function buildTranslator({ onProgress }) {
  const files = ['go.mod', 'translate_test.go'];
  const digest = createHash('sha256');
  for (const file of files) digest.update(await readFile(join(source, file)));
  const program = join(kept, `istio-translate-${digest.digest('hex').slice(0, 16)}`);
  if (await exists(program)) return program;
  onProgress({ phase: 'building', title: controlPlane });
  const staging = await mkdtemp(join(tmpdir(), 'postern-istio-'));
  try {
    for (const file of files) await cp(join(source, file), join(staging, file));
    const env = { CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' };
    const args = ['test', '-c', '-mod=mod', '-trimpath', '-o', join(staging, 'translate'), '.'];
    const { code, stderr } = await run('go', args, { cwd: staging, env });
    if (code !== 0) throw new Error(`Istio's control plane could not be built. Go says:\n${lastLines(stderr)}`);
    await mkdir(dirname(program), { recursive: true });
    await cp(join(staging, 'translate'), `${program}.part`);
    await rename(`${program}.part`, program);
    return program;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function exists(path) {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * What a cluster has and the overlay does not: a back end, the gateway's own Service and pod, pods of Postern, and a
 * route of another namespace named like Postern's own, which the gateway must not take.
 */
const surroundings = parseYaml(`
apiVersion: v1
kind: Service
metadata: { name: backend, namespace: partners }
spec: { clusterIP: 10.96.1.1, selector: { app: backend }, ports: [{ name: http, port: 8080, targetPort: 8080 }] }
---
apiVersion: v1
kind: Service
metadata: { name: istio-partners, namespace: istio-partners }
spec: { clusterIP: 10.96.1.2, selector: { istio: partners }, ports: [{ name: https, port: 443, targetPort: 8443 }] }
---
apiVersion: v1
kind: Pod
metadata: { name: istio-partners-1, namespace: istio-partners, labels: { istio: partners, app: istio-partners } }
status: { podIP: 10.1.0.1, phase: Running, conditions: [{ type: Ready, status: "True" }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: istio-partners-1, namespace: istio-partners, labels: { kubernetes.io/service-name: istio-partners } }
addressType: IPv4
endpoints: [{ addresses: [10.1.0.1], conditions: { ready: true }, targetRef: { kind: Pod, name: istio-partners-1, namespace: istio-partners } }]
ports: [{ name: https, port: 8443, protocol: TCP }]
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: stranger, namespace: strangers }
spec:
  gateways: [istio-partners/partners]
  hosts: ["*"]
  http:
    - name: postern-oauth2
      match: [{ uri: { prefix: /stranger/ } }]
      route: [{ destination: { host: backend.partners.svc.cluster.local, port: { number: 8080 } } }]
`);

/** Builds the translator when it is not there, and gives `{ listeners, routes, clusters }` of the gateway. */
export async function translate({ onProgress, components }) {
  const program = await buildTranslator({ onProgress });
  const files = Object.fromEntries(await readFolder('overlays/istio'));
  const [{ meshConfig, env: features }] = files['istiod-values.yaml'];
  const objects = [...(await render('overlays/istio', components)), ...surroundings];
  const isIstios = ({ apiVersion }) => apiVersion.includes('.istio.io/');
  const kubernetes = objects.filter(({ kind }) => ['Namespace', 'Service', 'Pod', 'EndpointSlice'].includes(kind));
  for (const [index, service] of kubernetes.filter(({ kind }) => kind === 'Service').entries()) {
    service.spec.clusterIP ??= `10.96.0.${String(index + 1)}`;
  }
  const directory = await mkdtemp(join(tmpdir(), 'postern-translate-'));
  try {
    const write = async (name, text) => {
      await writeFile(join(directory, name), text);
      return join(directory, name);
    };
    const all = (list) => list.map((object) => stringify(object)).join('---\n');
    const env = {
      ...features,
      MESH_CONFIG: await write('mesh.yaml', stringify(meshConfig)),
      ISTIO_OBJECTS: await write('istio.yaml', all(objects.filter(isIstios))),
      KUBERNETES_OBJECTS: await write('kubernetes.yaml', all(kubernetes)),
      OUTPUT: join(directory, 'output.json'),
    };
    const { code, stdout, stderr } = await run(program, ['-test.run', 'TestTranslate'], { cwd: directory, env });
    if (code !== 0) {
      throw new Error(`Istio cannot translate deploy/overlays/istio:\n${lastLines(stdout + stderr, 30)}`);
    }
    const output = normalise(JSON.parse(await readFile(env.OUTPUT, 'utf8')));
    const used = new Set(clustersNamedIn([output.listeners, output.routes]));
    return { ...output, clusters: output.clusters.filter(({ name }) => used.has(name)) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
