import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { mutualTlsListener, overlayEnvoy, tlsEnvoy } from '../../../scripts/deploy/overlay-envoy.mjs';
import { parseConfig } from '../../../src/gateway/config.ts';
import { type Json, readEnvoyConfig } from '../../support/envoy/envoy-config.ts';
import { renderComposition } from '../../support/kubernetes/compose-kustomization.ts';
import { findDifferences } from '../../support/kubernetes/find-differences.ts';
import { findManifestFaults, secretsByHand } from '../../support/kubernetes/find-manifest-faults.ts';
import { find, getManifest, listOf, type Manifest, mapOf, ofKind, textOf } from '../../support/kubernetes/manifest.ts';
import { findPods, fitsSelector } from '../../support/kubernetes/pods.ts';
import { renderKustomization } from '../../support/kubernetes/render-kustomization.ts';
import { settingsOf } from '../../support/kubernetes/settings-of.ts';

const compileTimeoutMs = 30_000;
const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

describe('the overlay plain-envoy', () => {
  let manifests: readonly Manifest[];
  before(async () => {
    manifests = await renderKustomization('overlays/plain-envoy');
  });

  it('has no fault that can be found without a cluster', async () => {
    assert.deepEqual(await findManifestFaults(manifests, { external: secretsByHand }), []);
  }).timeout(compileTimeoutMs);

  it('has the Envoy configuration that is made from envoy.yaml', () => {
    assert.equal(
      read('deploy/overlays/plain-envoy/envoy.yaml'),
      overlayEnvoy(read('envoy.yaml')),
      'envoy.yaml was changed: node scripts/deploy/overlay-envoy.mjs',
    );
  });

  it('has, by the component tls-envoy, the same with a transport socket to each of two clusters', async () => {
    assert.equal(
      read('deploy/components/tls-envoy/envoy.yaml'),
      tlsEnvoy(read('envoy.yaml')),
      'envoy.yaml was changed: node scripts/deploy/overlay-envoy.mjs',
    );
    const own = (path: string): Json => parse(read(path)) as Json;
    assert.deepEqual(
      findDifferences(own('deploy/overlays/plain-envoy/envoy.yaml'), own('deploy/components/tls-envoy/envoy.yaml')),
      [
        'static_resources.clusters.0.transport_socket: added',
        'static_resources.clusters.1.transport_socket: added',
        'node: added',
      ],
    );
    const composed = await renderComposition({
      resources: ['overlays/plain-envoy'],
      components: ['components/tls', 'components/tls-envoy'],
    });
    assert.deepEqual(await findManifestFaults(composed, { external: secretsByHand }), []);
    assert.equal(
      find(getManifest(composed, 'ConfigMap', 'envoy'), 'data', 'envoy.yaml'),
      read('deploy/components/tls-envoy/envoy.yaml'),
    );
  }).timeout(compileTimeoutMs);

  it('has, by the component mutual-tls-envoy, the listener of envoy.yaml with TLS, and a way to it', async () => {
    const listener = read('deploy/components/mutual-tls-envoy/listener.yaml');
    assert.equal(listener, mutualTlsListener(read('envoy.yaml')), 'run: node scripts/deploy/overlay-envoy.mjs');
    const [committed] = listOf(readEnvoyConfig(), 'static_resources', 'listeners');
    const [made] = listOf(parse(listener) as Json, 'resources');
    const manager = 'filter_chains.0.filters.0.typed_config';
    assert.deepEqual(findDifferences(committed ?? null, made ?? null), [
      'name: "partners" → "partners-mutual-tls"',
      'address.socket_address.address: "127.0.0.1" → "0.0.0.0"',
      'address.socket_address.port_value: 10000 → 10443',
      `${manager}.forward_client_cert_details: added`,
      'filter_chains.0.transport_socket: added',
      '@type: added',
    ]);
    for (const others of [[], ['components/tls', 'components/tls-envoy']]) {
      const composed = await renderComposition({
        resources: ['overlays/plain-envoy'],
        components: [...others, 'components/mutual-tls-envoy'],
      });
      assert.deepEqual(await findManifestFaults(composed, { external: secretsByHand }), []);
      const ports = listOf(getManifest(composed, 'Service', 'envoy'), 'spec', 'ports');
      assert.deepEqual(
        ports.map((port) => [find(port, 'port'), find(port, 'targetPort')]),
        [
          [80, 'http'],
          [443, 'https'],
        ],
      );
    }
  }).timeout(compileTimeoutMs);

  it('changes addresses of envoy.yaml, adds what probes need and a bound of memory, and nothing else', () => {
    const own = parse(read('deploy/overlays/plain-envoy/envoy.yaml')) as Json;
    const address = 'load_assignment.endpoints.0.lb_endpoints.0.endpoint.address.socket_address.address';
    assert.deepEqual(findDifferences(readEnvoyConfig(), own), [
      'overload_manager.resource_monitors.1: added',
      'overload_manager.refresh_interval: added',
      'overload_manager.loadshed_points: added',
      'static_resources.listeners.0.address.socket_address.address: "127.0.0.1" → "0.0.0.0"',
      'static_resources.listeners.1: added',
      `static_resources.clusters.0.${address}: "127.0.0.1" → "postern-headless"`,
      `static_resources.clusters.1.${address}: "127.0.0.1" → "postern-headless"`,
      `static_resources.clusters.2.${address}: "127.0.0.1" → "backend"`,
      'static_resources.clusters.3: added',
    ]);
    const heapBytes = find(own, 'overload_manager', 'resource_monitors', 1, 'typed_config', 'max_heap_size_bytes');
    assert.ok(typeof heapBytes === 'number' && heapBytes < 2 ** 30, 'less than the limit of the container');
    assert.equal(find(own, 'static_resources', 'listeners', 1, 'name'), 'probes');
    assert.equal(find(own, 'static_resources', 'clusters', 3, 'name'), 'envoy-admin');
  });

  it('gives Envoy that configuration, and starts it anew when it changes', () => {
    const configMap = getManifest(manifests, 'ConfigMap', 'envoy');
    assert.equal(find(configMap, 'data', 'envoy.yaml'), read('deploy/overlays/plain-envoy/envoy.yaml'));
    assert.match(textOf(configMap, 'metadata', 'name') ?? '', /^envoy-[a-z0-9]{10}$/);
  });

  it('shows nothing of the admin interface but readiness and metrics', () => {
    const config = parse(read('deploy/overlays/plain-envoy/envoy.yaml')) as Json;
    assert.equal(find(config, 'admin', 'address', 'socket_address', 'address'), '127.0.0.1');
    const manager = find(config, 'static_resources', 'listeners', 1, 'filter_chains', 0, 'filters', 0, 'typed_config');
    const routes = listOf(manager, 'route_config', 'virtual_hosts', 0, 'routes');
    assert.deepEqual(
      routes.map((route) => [
        textOf(route, 'match', 'path'),
        find(route, 'match', 'headers', 0, 'string_match', 'exact'),
      ]),
      [
        ['/live', 'GET'],
        ['/ready', 'GET'],
        ['/stats/prometheus', 'GET'],
      ],
    );
  });

  it('lets requests end that began before the pod was told to stop', () => {
    const config = parse(read('envoy.yaml')) as Json;
    const manager = find(config, 'static_resources', 'listeners', 0, 'filter_chains', 0, 'filters', 0, 'typed_config');
    const requestSeconds = Number.parseInt(textOf(manager, 'request_timeout') ?? '', 10);
    const spec = find(getManifest(manifests, 'Deployment', 'envoy'), 'spec', 'template', 'spec');
    const script = textOf(spec, 'containers', 0, 'lifecycle', 'preStop', 'exec', 'command', 2) ?? '';
    const drainSeconds = Number(/^sleep (\d+)$/m.exec(script)?.[1]);
    const waitSeconds = drainSeconds + Number(/\{1\.\.(\d+)\}/.exec(script)?.[1]);
    assert.ok(waitSeconds > requestSeconds, `${String(waitSeconds)} s`);
    assert.ok(waitSeconds < Number(find(spec, 'terminationGracePeriodSeconds')));
  });

  it('takes the address of a back end by the patch that it shows', async () => {
    const shown = read('deploy/overlays/plain-envoy/kustomization.yaml');
    const patch = /^# {3}patches:\n(?:# {5}.*\n)+/m.exec(shown)?.[0].replace(/^# {3}/gm, '') ?? '';
    const composed = await renderComposition({ resources: ['overlays/plain-envoy'], more: patch });
    assert.equal(
      find(getManifest(composed, 'Service', 'backend'), 'spec', 'externalName'),
      'orders.shop.svc.cluster.local',
    );
  });
});

describe('the network policy of the base', () => {
  it('lets in the Envoys of every overlay', async () => {
    const gateway = async (overlay: string, kind: string): Promise<Manifest> =>
      getManifest(await renderKustomization(`overlays/${overlay}`), kind, 'partners');
    const istio = await gateway('istio', 'Gateway');
    const own = findPods(await renderKustomization('overlays/plain-envoy')).find(({ owner }) =>
      owner.endsWith('/envoy'),
    );
    assert.ok(own);
    // As the chart of Istio's gateways and Envoy Gateway label their pods.
    const owning = find(await gateway('envoy-gateway', 'Gateway'), 'metadata', 'name') as Json;
    const envoys: readonly {
      readonly namespace: string | undefined;
      readonly labels: Readonly<Record<string, Json>>;
    }[] = [
      { namespace: own.namespace, labels: own.labels },
      { namespace: textOf(istio, 'metadata', 'namespace'), labels: mapOf(istio, 'spec', 'selector') },
      { namespace: 'envoy-gateway-system', labels: { 'gateway.envoyproxy.io/owning-gateway-name': owning } },
    ];
    const policy = getManifest(await renderKustomization('.'), 'NetworkPolicy', 'postern');
    const peers = listOf(policy, 'spec', 'ingress', 0, 'from');
    for (const each of envoys) {
      const isLetIn = peers.some(
        (peer) =>
          fitsSelector(each.labels, find(peer, 'podSelector')) &&
          textOf(peer, 'namespaceSelector', 'matchLabels', 'kubernetes.io/metadata.name') === each.namespace,
      );
      assert.ok(isLetIn, JSON.stringify(each));
    }
    assert.equal(peers.length, envoys.length);
  });
});

describe('the overlay demo', () => {
  let manifests: readonly Manifest[];
  before(async () => {
    manifests = await renderKustomization('overlays/demo');
  });

  it('has no fault, and leaves nothing to make by hand', async () => {
    assert.deepEqual(await findManifestFaults(manifests), []);
  }).timeout(compileTimeoutMs);

  it('has the Envoy configuration of plain-envoy', async () => {
    const plain = await renderKustomization('overlays/plain-envoy');
    assert.deepEqual(
      find(getManifest(manifests, 'ConfigMap', 'envoy'), 'data'),
      find(getManifest(plain, 'ConfigMap', 'envoy'), 'data'),
    );
  });

  it('has the partners of npm run demo', () => {
    assert.equal(
      find(getManifest(manifests, 'ConfigMap', 'demo-partners'), 'data', 'postern.yaml'),
      read('examples/demo/postern.yaml'),
    );
  });

  it('gives settings that postern takes, to each of its containers', () => {
    const containers = findPods(manifests).flatMap((pods) =>
      pods.containers
        .filter((container) => listOf(container, 'args').includes('dist/main.js'))
        .map((container) => settingsOf(manifests, pods.manifest, {}, textOf(container, 'name'))),
    );
    assert.equal(containers.length, 3);
    for (const settings of containers) {
      const parsed = parseConfig(settings, { isServing: true });
      assert.ok('config' in parsed, JSON.stringify(parsed));
    }
  });

  it('runs releases that the project knows', () => {
    const images = new Set(
      findPods(manifests).flatMap(({ containers }) => containers.map((each) => textOf(each, 'image'))),
    );
    const { version } = JSON.parse(read('package.json')) as { version: string };
    assert.deepEqual([...images].sort(), [
      'envoyproxy/envoy:v1.40.0',
      'envoyproxy/ratelimit:3fb70258',
      'mongo:8.0',
      `postern:${version}`,
      'valkey/valkey:9.1.2',
    ]);
  });

  it('asks for little: all pods together fit on a node with one core and 2 GiB', () => {
    const replicas = (manifest: Manifest): number => {
      const name = textOf(manifest, 'metadata', 'name');
      const scaler = ofKind(manifests, 'HorizontalPodAutoscaler').find(
        (each) => textOf(each, 'spec', 'scaleTargetRef', 'name') === name,
      );
      return Number(find(scaler, 'spec', 'maxReplicas') ?? find(manifest, 'spec', 'replicas') ?? 1);
    };
    const serving = findPods(manifests).filter(({ manifest }) => textOf(manifest, 'kind') !== 'Job');
    const sum = (resource: string, unit: string): number =>
      serving.reduce((total, { manifest, containers }) => {
        const requested = textOf(containers[0], 'resources', 'requests', resource) ?? '';
        assert.ok(requested.endsWith(unit), requested);
        return total + replicas(manifest) * Number.parseInt(requested, 10);
      }, 0);
    assert.ok(sum('cpu', 'm') <= 1000, `${String(sum('cpu', 'm'))}m`);
    assert.ok(sum('memory', 'Mi') <= 2048, `${String(sum('memory', 'Mi'))}Mi`);
  });
});
