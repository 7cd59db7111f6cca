// docs/envoy-gateway.md in the cluster: the control plane translates the overlay there, and partners call through the
// proxies that it starts.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseYaml } from '../attachments/manifests.mjs';
import { moduleFiles, crdSources } from '../test-kubernetes/crds.mjs';
import { bringImage, get, kubectl, removeNamespaces, root, until } from './cluster.mjs';
import { applyOverlay, callGateway, callWithoutPostern, firstSigned, makeSurroundings } from './gateway.mjs';
import { path, reader } from './reader.mjs';

const system = '--namespace=envoy-gateway-system';

/** The definitions of the project's own module, and the control plane with the values of the overlay. */
async function startControlPlane() {
  const source = crdSources.find(({ module }) => module.includes('envoyproxy/gateway'));
  const files = (await moduleFiles(source)).flatMap((file) => ['--filename', file]);
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

/** The proxies run the Envoy that the other overlays name. */
async function stockEnvoy() {
  const file = join(root, 'deploy/overlays/plain-envoy/envoy.deployment.yaml');
  const envoy = parseYaml(await readFile(file, 'utf8')).find(({ kind }) => kind === 'Deployment');
  const { image } = envoy.spec.template.spec.containers.find(({ name }) => name === 'envoy');
  const kubernetes = { envoyDeployment: { container: { image } }, envoyService: { type: 'ClusterIP' } };
  const operation = { op: 'add', path: '/spec/provider', value: { type: 'Kubernetes', kubernetes } };
  return { target: { kind: 'EnvoyProxy', name: 'partners' }, patch: JSON.stringify([operation]) };
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

/** Everything, from the definitions to the answers. */
async function tryEnvoyGateway() {
  await reader();
  await removeNamespaces('postern', 'partners', 'envoy-gateway-system');
  await bringImage('gateway');
  await startControlPlane();
  await makeSurroundings('partners');
  const start = performance.now();
  await applyOverlay('envoy-gateway', [await stockEnvoy()]);
  const count = await accepted();
  const owned = '--selector=gateway.envoyproxy.io/owning-gateway-name=partners';
  const { items } = await get('service', system, owned);
  const address = items[0].spec.clusterIP;
  await firstSigned(address);
  const seconds = Math.round((performance.now() - start) / 1000);
  const calls = await callGateway(address);
  await callWithoutPostern(address);
  return `${count} objects accepted, first signed 200 after ${seconds} s, ${calls} answers as documented; 503 without Postern`;
}

/** Each with the name that `npm run test:cluster -- NAME` takes. */
export const envoyGateway = [
  ['envoy-gateway', 'docs/envoy-gateway.md: its control plane, and stock Envoy', tryEnvoyGateway],
];
