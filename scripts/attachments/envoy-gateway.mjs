// What Envoy Gateway makes of deploy/overlays/envoy-gateway, said by its own translator.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installServices } from '../../services/install-services.mjs';
import { run } from '../../services/run.mjs';
import { makeCertificate } from './certificate.mjs';
import { render } from './manifests.mjs';
import { clustersNamedIn, normaliseResource } from './normalise.mjs';

export const controlPlane = 'Envoy Gateway 1.9.1 (egctl experimental translate)';

const catalogue = {
  egctl: {
    title: 'egctl of Envoy Gateway 1.9.1',
    version: '1.9.1',
    command: 'egctl',
    source: {
      kind: 'go',
      module: 'github.com/envoyproxy/gateway',
      release: 'v1.9.1',
      sum: 'h1:vAVp6/AlBXJ1aOhp1mxL7fNEzVEfjADUguUhm2wzxQY=',
      package: './cmd/egctl',
      minGo: '1.26.7',
    },
    byHand: [],
  },
};

/** What a cluster has and the overlay does not: a back end, and certificates. */
async function surroundings(directory) {
  const { certificate, key } = await makeCertificate(directory);
  const base64 = (text) => Buffer.from(text).toString('base64');
  const secret = (namespace, name) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name, namespace },
    data: { 'tls.crt': base64(certificate), 'tls.key': base64(key), 'ca.crt': base64(certificate) },
  });
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'backend', namespace: 'partners' },
      spec: { ports: [{ name: 'http', port: 8080, targetPort: 8080 }] },
    },
    secret('partners', 'partners-tls'),
    secret('partners', 'partners-client-tls'),
    secret('postern', 'postern-tls'),
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'partners-authorities', namespace: 'partners' },
      data: { 'ca.crt': certificate },
    },
  ];
}

/** Builds the translator when it is not there, and gives `{ listeners, routes, clusters }` of the gateway. */
export async function translate({ onProgress, components }) {
  const { egctl } = await installServices(['egctl'], { catalogue, onProgress });
  const directory = await mkdtemp(join(tmpdir(), 'postern-translate-'));
  try {
    const objects = [...(await render('overlays/envoy-gateway', components)), ...(await surroundings(directory))];
    for (const [index, service] of objects.filter(({ kind }) => kind === 'Service').entries()) {
      service.spec.clusterIP ??= `10.96.0.${String(index + 1)}`;
    }
    const input = join(directory, 'input.json');
    await writeFile(input, objects.map((object) => JSON.stringify(object)).join('\n---\n'));
    const args = ['experimental', 'translate', '--from', 'gateway-api', '--to', 'gateway-api,xds', '--output', 'json'];
    const { code, stdout, stderr } = await run(egctl, [...args, '--file', input]);
    if (code !== 0) throw new Error(`Envoy Gateway cannot translate deploy/overlays/envoy-gateway:\n${stderr}`);
    const { xds, ...resources } = JSON.parse(stdout);
    refuseUnaccepted(resources);
    return resourcesOf(xds['partners/partners'].configs);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** A policy that is not accepted would change nothing, and say so only in its status. */
function refuseUnaccepted(resources) {
  for (const { kind, metadata, status } of Object.values(resources).flat()) {
    const conditions = [...(status?.ancestors ?? []), ...(status?.parents ?? [])].flatMap((each) => each.conditions);
    for (const { type, status: state, message } of conditions) {
      if (state !== 'True') throw new Error(`${kind} ${metadata.name}: ${type} is ${state}: ${message}`);
    }
  }
}

function resourcesOf(configs) {
  const dump = (type) => configs.find((config) => config['@type'].endsWith(`.${type}ConfigDump`));
  const listeners = dump('Listeners').dynamicListeners.map(({ activeState }) =>
    normaliseResource(activeState.listener),
  );
  const routes = dump('Routes').dynamicRouteConfigs.map(({ routeConfig }) => normaliseResource(routeConfig));
  const used = new Set(clustersNamedIn([listeners, routes]));
  const clusters = dump('Clusters').dynamicActiveClusters.map(({ cluster }) => normaliseResource(cluster));
  return { listeners, routes, clusters: clusters.filter(({ name }) => used.has(name)) };
}
