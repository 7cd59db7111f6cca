// docs/istio.md in the cluster: Helm installs Istio from the charts of its own module; Istio translates the overlay, and
// configures a gateway with stock Envoy.
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { moduleFiles } from '../test-kubernetes/crds.mjs';
import { bringImage, get, helm, kubectl, removeNamespaces, root } from './cluster.mjs';
import { applyOverlay, callGateway, callWithoutPostern, firstSigned, makeSurroundings } from './gateway.mjs';
import { path, reader } from './reader.mjs';

/** The version that scripts/attachments asks, too. */
const source = {
  module: 'istio.io/istio@v0.0.0-20260827124520-eed52ebb66ad',
  sum: 'h1:ui9TJjRMAV/hb5ehQaZDq7IUGxuQP6dra9lapT/VjHI=',
  paths: [
    'manifests/charts/base/Chart.yaml',
    'manifests/charts/istio-control/istio-discovery/Chart.yaml',
    'manifests/charts/gateway/Chart.yaml',
    'tools/packaging/common/envoy_bootstrap.json',
  ],
};
const small = { requests: { cpu: '50m', memory: '128Mi' }, limits: { cpu: '2', memory: '1Gi' } };

/** Beside the values of the overlay: the images of this cluster, and no filter that only Istio's build of Envoy has. */
const controlPlane = {
  image: 'local/pilot:1',
  autoscaleEnabled: false,
  resources: small,
  telemetry: { enabled: false },
  env: { PILOT_ENABLE_METADATA_EXCHANGE: 'false', PILOT_ENABLE_ALPN_FILTER: 'false' },
  global: { proxy: { image: 'local/proxyv2:1', readinessPeriodSeconds: 1 } },
};

/** The bootstrap that Istio's image has. */
const gateway = {
  imagePullPolicy: 'Never',
  service: { type: 'ClusterIP' },
  autoscaling: { enabled: false },
  resources: small,
  volumes: [{ name: 'bootstrap', configMap: { name: 'bootstrap' } }],
  volumeMounts: [{ name: 'bootstrap', mountPath: '/var/lib/istio/envoy' }],
};

async function install(release, namespace, chart, values, ...more) {
  const file = path(`${release}.json`);
  await writeFile(file, JSON.stringify(values));
  const flags = [`--namespace=${namespace}`, '--create-namespace', '--wait', '--timeout=2m', '--values', file];
  await helm('upgrade', '--install', release, chart, ...flags, ...more);
}

/** Everything, from the charts to the answers. */
async function tryIstio() {
  await reader();
  await removeNamespaces('postern', 'partners', 'istio-partners', 'istio-system');
  // Those of a former step would ask a control plane that is gone.
  await kubectl('delete', 'validatingwebhookconfigurations,mutatingwebhookconfigurations', '--all');
  await bringImage('istio');
  const [base, discovery, gatewayChart, bootstrap] = await moduleFiles(source);
  await install('istio-base', 'istio-system', dirname(base), {});
  const values = join(root, 'deploy/overlays/istio/istiod-values.yaml');
  await install('istiod', 'istio-system', dirname(discovery), controlPlane, '--values', values);
  await makeSurroundings('istio-partners');
  const template = `--from-file=envoy_bootstrap_tmpl.json=${bootstrap}`;
  await kubectl('create', 'configmap', 'bootstrap', '--namespace=istio-partners', template);
  await install('istio-partners', 'istio-partners', dirname(gatewayChart), gateway);
  const start = performance.now();
  await applyOverlay('istio');
  const { spec } = await get('service', 'istio-partners', '--namespace=istio-partners');
  await firstSigned(spec.clusterIP);
  const seconds = Math.round((performance.now() - start) / 1000);
  const calls = await callGateway(spec.clusterIP);
  await callWithoutPostern(spec.clusterIP);
  return `first signed 200 after ${seconds} s, ${calls} answers as documented; 503 without Postern`;
}

/** Each with the name that `npm run test:cluster -- NAME` takes. */
export const istio = [['istio', 'docs/istio.md: its control plane, and stock Envoy', tryIstio]];
