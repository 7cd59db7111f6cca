// docs/envoy-gateway.md in the cluster: the control plane translates the overlay there, and partners call through the
// proxies that it starts.
import { createHmac } from 'node:crypto';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseYaml } from '../attachments/manifests.mjs';
import { crdFiles, crdSources } from '../test-kubernetes/crds.mjs';
import { makeAuthority } from './certificates.mjs';
import { get, importImage, kubectl, mustRun, root, runScript, until } from './cluster.mjs';
import { path, reader } from './reader.mjs';

const system = '--namespace=envoy-gateway-system';
const host = 'api.example.com';
const demo = (name) => join(root, 'deploy/overlays/demo', name);

/** The image of the control plane, on every node. */
async function bringImage() {
  const cache = process.env.CLUSTER_CACHE ?? join(root, '.services/cluster');
  try {
    await access(join(cache, 'gateway.tar'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    await runScript('images.sh', ['gateway']);
  }
  await importImage('gateway');
}

/** The definitions of the project's own module, and the control plane with the values of the overlay. */
async function startControlPlane() {
  const source = crdSources.find(({ module }) => module.includes('envoyproxy/gateway'));
  const files = (await crdFiles(source)).flatMap((file) => ['--filename', file]);
  await kubectl('apply', '--server-side', '--force-conflicts', ...files);
  await kubectl('wait', 'crd', '--all', '--for=condition=Established', '--timeout=2m');
  const [values] = parseYaml(
    await readFile(join(root, 'deploy/overlays/envoy-gateway/controller-values.yaml'), 'utf8'),
  );
  const settings = {
    apiVersion: 'gateway.envoyproxy.io/v1alpha1',
    kind: 'EnvoyGateway',
    gateway: { controllerName: 'gateway.envoyproxy.io/gatewayclass-controller' },
    provider: {
      type: 'Kubernetes',
      kubernetes: {
        shutdownManager: { image: 'local/envoy-gateway:1' },
        proxyTopologyInjector: { disable: true },
      },
    },
    ...values.config.envoyGateway,
  };
  await writeFile(path('envoy-gateway.yaml'), JSON.stringify(settings));
  await kubectl('create', 'namespace', 'envoy-gateway-system');
  await kubectl('create', 'configmap', 'envoy-gateway-config', system, '--from-file', path('envoy-gateway.yaml'));
  await kubectl('apply', '--filename', join(root, 'scripts/test-cluster/envoy-gateway.yaml'));
  await kubectl('rollout', 'status', 'deployment/envoy-gateway', system, '--timeout=5m');
}

/** What the overlay names and does not bring: a certificate, a key ring, a back end. */
async function surroundings() {
  await kubectl('create', 'namespace', 'partners');
  const { certificate, key } = await (await makeAuthority(path('gateway-authority'), 'partners')).issue(host);
  await writeFile(path('gateway.crt'), certificate);
  await writeFile(path('gateway.key'), key, { mode: 0o600 });
  const pair = [`--cert=${path('gateway.crt')}`, `--key=${path('gateway.key')}`];
  await kubectl('create', 'secret', 'tls', 'partners-tls', '--namespace=partners', ...pair);
  await kubectl('apply', '--filename', join(root, 'deploy/base/namespace.yaml'));
  const keyRing = `--from-file=${demo('keyring.yaml')}`;
  await kubectl('create', 'secret', 'generic', 'postern', '--namespace=postern', keyRing);
  await kubectl('create', 'configmap', 'echo', '--namespace=partners', `--from-file=${demo('echo/echo.mjs')}`);
  const objects = parseYaml(await readFile(join(root, 'scripts/test-cluster/shop.yaml'), 'utf8'));
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  await writeFile(path('backend.json'), text.replaceAll('"shop"', '"partners"').replaceAll('"orders"', '"backend"'));
  await kubectl('apply', '--filename', path('backend.json'));
}

/** The overlay with the partners of the demo; its proxies run the Envoy that the other overlays name. */
async function applyOverlay() {
  const file = join(root, 'deploy/overlays/plain-envoy/envoy.deployment.yaml');
  const envoy = parseYaml(await readFile(file, 'utf8')).find(({ kind }) => kind === 'Deployment');
  const { image } = envoy.spec.template.spec.containers.find(({ name }) => name === 'envoy');
  const kubernetes = { envoyDeployment: { container: { image } }, envoyService: { type: 'ClusterIP' } };
  const operation = { op: 'add', path: '/spec/provider', value: { type: 'Kubernetes', kubernetes } };
  const document = { name: 'postern-document', namespace: 'postern', files: ['postern.yaml'] };
  const kustomization = {
    resources: ['../deploy/overlays/envoy-gateway'],
    components: ['../deploy/components/file-store'],
    configMapGenerator: [{ ...document, options: { disableNameSuffixHash: true } }],
    patches: [{ target: { kind: 'EnvoyProxy', name: 'partners' }, patch: JSON.stringify([operation]) }],
  };
  await mkdir(path('gateway'), { recursive: true });
  await writeFile(path('gateway/postern.yaml'), await readFile(join(root, 'examples/demo/postern.yaml')));
  await writeFile(path('gateway/kustomization.yaml'), JSON.stringify(kustomization));
  await kubectl('apply', '-k', path('gateway'));
}

const kinds = [
  ...['gateway', 'httproute', 'envoypatchpolicy', 'securitypolicy', 'envoyextensionpolicy'],
  ...['clienttrafficpolicy', 'backendtrafficpolicy'],
];

/** Every condition that the control plane gave an object. */
function conditionsOf({ status = {} }) {
  const parts = [status, ...(status.ancestors ?? []), ...(status.parents ?? []), ...(status.listeners ?? [])];
  return parts.flatMap(({ conditions = [] }) => conditions);
}

/** Waits until the control plane has accepted every object, and gives how many there are. */
async function accepted() {
  let open = [];
  const isDone = async () => {
    const { items } = await get(kinds.join(), '--namespace=partners');
    open = items.flatMap((item) => {
      const conditions = conditionsOf(item);
      const bad = conditions.filter(({ type, status }) => status !== 'True' && type !== 'OverlappingTLSConfig');
      const why = conditions.length === 0 ? ['no condition'] : bad.map(({ type, message }) => `${type}: ${message}`);
      return why.map((text) => `${item.kind} ${item.metadata.name}: ${text}`);
    });
    return open.length === 0 && items.length;
  };
  return until('the control plane accepts every object', isDone).catch((error) => {
    throw new Error(`${error.message}\n${open.join('\n')}`);
  });
}

function signed(path, secret) {
  const date = new Date().toUTCString();
  const signature = createHmac('sha256', secret).update(`date: ${date}\nGET ${path} HTTP/1.1`).digest('base64');
  const parts = ['appkey="acme-hmac-demo"', 'algorithm="hmac-sha256"', 'headers="date request-line"'];
  const authorization = `hmac ${[...parts, `signature="${signature}"`].join(', ')}`;
  return ['--header', `date: ${date}`, '--header', `authorization: ${authorization}`];
}

const secretOfDemo = 'public-demo-secret-of-acme-for-hmac';

/** What the gateway answers: `{ status, body }`. */
async function call(address, target, headers) {
  const trust = ['--cacert', path('gateway-authority/ca.crt'), '--connect-to', `${host}:443:${address}:443`];
  const flags = ['--silent', '--show-error', '--http1.1', '--path-as-is', '--write-out', '\n%{http_code}'];
  const said = await mustRun('n1', 'curl', [...flags, ...trust, ...headers, `https://${host}${target}`]);
  const end = said.lastIndexOf('\n');
  return { status: said.slice(end + 1), body: said.slice(0, end) };
}

/** The checks of the page, from outside the gateway. */
async function callGateway(address) {
  const target = '/invoices/1';
  const own = () => signed(target, secretOfDemo);
  const expectations = [
    ['a signed request', target, own(), '200', 'x-consumer-id: acme'],
    [
      'with an identity of its own',
      target,
      [...own(), '--header', 'X-Consumer-Id: root'],
      '200',
      'x-consumer-id: acme',
    ],
    ['a forged signature', target, signed(target, 'not the secret'), '401', 'AUTHENTICATION_FAILED'],
    ['no credentials', target, [], '401', '"code"'],
    ['a path out of its normal form', '/invoices//1', signed('/invoices//1', secretOfDemo), '400', '"code"'],
  ];
  for (const [what, path, headers, status, text] of expectations) {
    const answer = await call(address, path, headers);
    const isGood = answer.status === status && answer.body.includes(text) && !answer.body.includes('root');
    if (!isGood) throw new Error(`${what}: ${answer.status} ${answer.body}, not ${status} with ${text}`);
  }
  return expectations.length;
}

/** Postern is gone: nothing passes. */
async function callWithoutPostern(address) {
  await kubectl('scale', 'deployment/postern', '--namespace=postern', '--replicas=0');
  await until('the gateway refuses with 503', async () => {
    const { status, body } = await call(address, '/invoices/1', signed('/invoices/1', secretOfDemo));
    return status === '503' && body.includes('UNAVAILABLE');
  });
}

/** Everything, from the definitions to the answers. */
async function tryEnvoyGateway() {
  await reader();
  const former = ['postern', 'partners', 'envoy-gateway-system'];
  await kubectl('delete', 'namespace', ...former, '--ignore-not-found', '--timeout=5m');
  await bringImage();
  await startControlPlane();
  await surroundings();
  const start = performance.now();
  await applyOverlay();
  const count = await accepted();
  const owned = '--selector=gateway.envoyproxy.io/owning-gateway-name=partners';
  const { items } = await get('service', system, owned);
  const address = items[0].spec.clusterIP;
  await until('the first signed 200', async () => {
    const answer = await call(address, '/invoices/1', signed('/invoices/1', secretOfDemo)).catch(() => null);
    return answer?.status === '200';
  });
  const seconds = Math.round((performance.now() - start) / 1000);
  const calls = await callGateway(address);
  await callWithoutPostern(address);
  return `${count} objects accepted, first signed 200 after ${seconds} s, ${calls} answers as documented; 503 without Postern`;
}

/** Each with the name that `npm run test:cluster -- NAME` takes. */
export const gateways = [
  ['envoy-gateway', 'docs/envoy-gateway.md: its control plane, and stock Envoy', tryEnvoyGateway],
];
