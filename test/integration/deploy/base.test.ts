import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import { plantedFaults } from '../../../scripts/test-kubernetes/planted-faults.mjs';
import { parseConfig } from '../../../src/gateway/config.ts';
import { loadDocument } from '../../../src/stores/file/load-document.ts';
import { type Json } from '../../support/envoy/envoy-config.ts';
import { renderComposition } from '../../support/kubernetes/compose-kustomization.ts';
import { findManifestFaults, secretsByHand } from '../../support/kubernetes/find-manifest-faults.ts';
import {
  asText,
  find,
  getManifest,
  listOf,
  type Manifest,
  mapOf,
  ofKind,
  textOf,
} from '../../support/kubernetes/manifest.ts';
import { findPods } from '../../support/kubernetes/pods.ts';
import { renderKustomization } from '../../support/kubernetes/render-kustomization.ts';
import { settingsOf } from '../../support/kubernetes/settings-of.ts';

const compileTimeoutMs = 30_000;
const root = new URL('../../../', import.meta.url);
const external = secretsByHand;
const container = ['spec', 'template', 'spec', 'containers', 0] as const;

function deployment(manifests: readonly Manifest[]): Manifest {
  return getManifest(manifests, 'Deployment', 'postern');
}

describe('the base, as kubectl apply -k deploy/ sends it', () => {
  let manifests: readonly Manifest[];
  before(async () => {
    manifests = await renderKustomization('.');
  });

  it('has no fault that can be found without a cluster', async () => {
    assert.deepEqual(await findManifestFaults(manifests, { external }), []);
  }).timeout(compileTimeoutMs);

  it('has the objects and names that documents and overlays build upon', () => {
    const names = manifests.map((each) => `${asText(each['kind'])} ${asText(find(each, 'metadata', 'name'))}`);
    assert.deepEqual(names.map((name) => name.replace(/-[a-z0-9]{10}$/, '-HASH')).sort(), [
      'ConfigMap postern-HASH',
      'Deployment postern',
      'HorizontalPodAutoscaler postern',
      'Namespace postern',
      'NetworkPolicy postern',
      'PodDisruptionBudget postern',
      'Service postern',
      'Service postern-admin',
      'Service postern-headless',
      'ServiceAccount postern',
    ]);
  });

  it('applies no Secret', () => {
    assert.deepEqual(ofKind(manifests, 'Secret'), []);
  });

  it('gives settings that postern serve takes, on the ports that the containers name', () => {
    const parsed = parseConfig(settingsOf(manifests, deployment(manifests), secretValues), { isServing: true });
    assert.ok('config' in parsed, JSON.stringify(parsed));
    const { grpcAddress, httpAddress, adminAddress } = parsed.config;
    const listening = [grpcAddress, httpAddress, adminAddress].map((address) => ('port' in address ? address.port : 0));
    assert.deepEqual(listening, [9001, 9002, 9003]);
    assert.deepEqual(
      listOf(deployment(manifests), ...container, 'ports').map((port) => find(port, 'containerPort')),
      listening,
    );
  });

  it('trusts no proxy that nobody named', () => {
    assert.equal(settingsOf(manifests, deployment(manifests), secretValues)['POSTERN_TRUSTED_PROXIES'], undefined);
  });

  it('runs the image of this version', () => {
    const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
    assert.equal(find(deployment(manifests), ...container, 'image'), `postern:${version}`);
  });

  it('is enforced to be restricted by its namespace', () => {
    assert.equal(
      find(getManifest(manifests, 'Namespace', 'postern'), 'metadata', 'labels', 'pod-security.kubernetes.io/enforce'),
      'restricted',
    );
  });

  it('stops within its grace period, with the longest of all steps', () => {
    const spec = find(deployment(manifests), 'spec', 'template', 'spec');
    const preStop = Number(find(spec, 'containers', 0, 'lifecycle', 'preStop', 'sleep', 'seconds'));
    const grace = Number(settingsOf(manifests, deployment(manifests), secretValues)['POSTERN_SHUTDOWN_GRACE_SECONDS']);
    assert.ok(preStop > 0 && grace > 0);
    assert.ok(preStop + grace < Number(find(spec, 'terminationGracePeriodSeconds')));
  });

  it('has a planted fault for npm run test:kubernetes that outlasts the grace period of today', async () => {
    const planted = await renderKustomization('.');
    const fault = plantedFaults.find(({ title }) => title.startsWith('a preStop hook'));
    assert.ok(fault);
    fault.plant(deployment(planted));
    const faults = await findManifestFaults(planted, { external });
    assert.ok(
      faults.some((text) => text.includes('sleeps in preStop until it is killed')),
      faults.join('\n'),
    );
  }).timeout(compileTimeoutMs);

  it('never has fewer pods than before in a rolling update, nor two that change at once', () => {
    const spec = find(deployment(manifests), 'spec');
    assert.deepEqual(find(spec, 'strategy', 'rollingUpdate'), { maxUnavailable: 0, maxSurge: 1 });
    assert.ok(Number(find(spec, 'minReadySeconds')) >= 3);
    assert.ok(Number(find(getManifest(manifests, 'HorizontalPodAutoscaler', 'postern'), 'spec', 'minReplicas')) >= 2);
  });

  it('is restarted only when the process does not answer, and gets requests only when health says so', () => {
    const probes = find(deployment(manifests), ...container);
    assert.deepEqual(find(probes, 'readinessProbe', 'grpc'), { port: 9001 });
    for (const probe of ['startupProbe', 'livenessProbe']) {
      assert.deepEqual(find(probes, probe, 'httpGet'), { path: '/livez', port: 'admin' }, probe);
    }
  });

  it('shows Envoy every pod, ready or not, and everybody else only those that are', () => {
    const service = (name: string): Manifest => getManifest(manifests, 'Service', name);
    assert.equal(find(service('postern-headless'), 'spec', 'clusterIP'), 'None');
    assert.equal(find(service('postern-headless'), 'spec', 'publishNotReadyAddresses'), true);
    assert.equal(find(service('postern'), 'spec', 'publishNotReadyAddresses'), undefined);
  });

  it('shows a Secret that has what the Deployment reads', () => {
    const text = readFileSync(new URL('deploy/base/secret.example.yaml', root), 'utf8');
    const secret = parse(text) as Json;
    const keys = Object.keys(mapOf(secret, 'stringData'));
    assert.deepEqual([textOf(secret, 'metadata', 'name'), keys], ['postern', external[0]?.keys]);
    const environment = { POSTERN_STORE: textOf(secret, 'stringData', 'store') };
    assert.ok('config' in parseConfig(environment), 'the example of the address is one that Postern takes');
  });
});

const secretValues = { postern: { store: 'mongodb://mongodb.example.com:27017/postern', 'keyring.yaml': '' } };

describe('the components and the Job for the schema', () => {
  const base = ['base'];

  it('file-store: has no fault, and reads the file that it mounts', async () => {
    const manifests = await renderComposition({
      resources: base,
      components: ['components/file-store'],
      more: `configMapGenerator:
  - name: postern-document
    namespace: postern
    literals: ["postern.yaml=version: 1"]
    options: { disableNameSuffixHash: true }`,
    });
    assert.deepEqual(
      await findManifestFaults(manifests, { external: [{ kind: 'Secret', name: 'postern', keys: ['keyring.yaml'] }] }),
      [],
    );
    const { POSTERN_STORE: store } = settingsOf(manifests, deployment(manifests), secretValues);
    const mounted = mountedFiles(manifests);
    assert.ok(mounted.includes(store?.replace('file:', '') ?? ''), `${String(store)} is none of ${mounted.join(', ')}`);
  }).timeout(compileTimeoutMs);

  it('file-store: has an example that Postern takes', () => {
    const text = readFileSync(new URL('deploy/components/file-store/postern.example.yaml', root), 'utf8');
    const { result } = loadDocument({ file: 'postern.yaml', text }, {});
    assert.ok('state' in result, JSON.stringify(result));
  });

  it('mongodb-authority: mounts the authority wherever Postern runs, and nowhere else', async () => {
    const manifests = await renderComposition({
      resources: ['overlays/plain-envoy', 'schema'],
      components: ['components/mongodb-authority'],
    });
    const authority = { kind: 'ConfigMap', name: 'postern-mongodb-authority', keys: ['ca.crt'] } as const;
    const migrator = { kind: 'Secret', name: 'postern-migrator', keys: ['store'] } as const;
    assert.deepEqual(await findManifestFaults(manifests, { external: [...external, authority, migrator] }), []);
    const mounting = findPods(manifests).filter(({ containers }) =>
      containers.some((each) =>
        listOf(each, 'volumeMounts').some((mount) => textOf(mount, 'mountPath') === '/etc/postern/mongodb'),
      ),
    );
    assert.deepEqual(
      mounting.map(({ manifest }) => `${textOf(manifest, 'kind') ?? ''} ${textOf(manifest, 'metadata', 'name') ?? ''}`),
      ['Deployment postern', 'Job postern-schema'],
    );
  }).timeout(compileTimeoutMs);

  it('tls: has no fault, reads the files that it mounts, and asks no gRPC probe, which speaks no TLS', async () => {
    const manifests = await renderComposition({ resources: base, components: ['components/tls'] });
    assert.deepEqual(await findManifestFaults(manifests, { external }), []);
    const settings = settingsOf(manifests, deployment(manifests), secretValues);
    assert.ok('config' in parseConfig(settings, { isServing: true }));
    assert.equal(settings['POSTERN_HTTP_TLS'], 'true', 'App Secrets come to the OAuth2 listener, too');
    const files = Object.entries(settings).filter(([key]) => key.startsWith('POSTERN_TLS_'));
    assert.deepEqual(files.map(([, path]) => path).sort(), [
      '/etc/postern/tls/ca.crt',
      '/etc/postern/tls/tls.crt',
      '/etc/postern/tls/tls.key',
    ]);
    assert.deepEqual(find(deployment(manifests), ...container, 'readinessProbe', 'httpGet'), {
      path: '/readyz',
      port: 'admin',
    });
    for (const name of ['postern', 'postern-headless']) {
      const ports = listOf(getManifest(manifests, 'Service', name), 'spec', 'ports');
      assert.deepEqual(
        ports.map((port) => textOf(port, 'appProtocol')),
        ['https', 'https'],
      );
    }
  }).timeout(compileTimeoutMs);

  it('rate-limit-service: has no fault, and every value of deploy/ratelimit but those of one machine', async () => {
    const manifests = await renderComposition({ resources: base, components: ['components/rate-limit-service'] });
    assert.deepEqual(await findManifestFaults(manifests, { external }), []);
    const settings = settingsOf(manifests, deployment(manifests), secretValues);
    assert.equal(settings['POSTERN_RATE_LIMIT_SERVICE'], 'ratelimit:8081');
    const environment = mapOf(getManifest(manifests, 'ConfigMap', 'ratelimit'), 'data');
    const committed = readFileSync(new URL('deploy/ratelimit/ratelimit.env', root), 'utf8');
    const lines = committed.split('\n').filter((line) => /^[A-Z]/.test(line));
    const differing = lines.filter(
      (line) => environment[line.slice(0, line.indexOf('='))] !== line.slice(line.indexOf('=') + 1),
    );
    assert.deepEqual(
      differing.map((line) => line.split('=')[0]),
      ['REDIS_URL', 'GRPC_HOST', 'HOST', 'RUNTIME_ROOT', 'PROMETHEUS_ADDR', 'PROMETHEUS_MAPPER_YAML'],
    );
    const files = mountedFiles(manifests, 'ratelimit');
    assert.ok(files.includes(asText(environment['PROMETHEUS_MAPPER_YAML'])));
    assert.ok(files.includes(`${asText(environment['RUNTIME_ROOT'])}/ratelimit/config/postern.yaml`));
  }).timeout(compileTimeoutMs);

  it('all together: have no fault', async () => {
    const components = ['file-store', 'tls', 'rate-limit-service', 'manage'].map((name) => `components/${name}`);
    const manifests = await renderComposition({ resources: base, components });
    const document = { kind: 'ConfigMap', name: 'postern-document', keys: ['postern.yaml'] } as const;
    assert.deepEqual(await findManifestFaults(manifests, { external: [...external, document] }), []);
  }).timeout(compileTimeoutMs);

  it('schema: has no fault, and is no pod that Services send requests to', async () => {
    const manifests = await renderComposition({ resources: ['base', 'schema'] });
    const migrator = { kind: 'Secret', name: 'postern-migrator', keys: ['store'] } as const;
    assert.deepEqual(await findManifestFaults(manifests, { external: [...external, migrator] }), []);
    const job = getManifest(manifests, 'Job', 'postern-schema');
    assert.deepEqual(find(job, ...container, 'args'), ['dist/main.js', 'doctor', '--fix']);
    const settings = settingsOf(manifests, job, { 'postern-migrator': { store: secretValues.postern.store } });
    assert.ok('config' in parseConfig(settings, { isServing: true }));
  }).timeout(compileTimeoutMs);

  it('run one image of Postern', async () => {
    const manifests = await renderComposition({ resources: ['base', 'schema'], components: ['components/manage'] });
    const images = findPods(manifests).flatMap(({ containers }) => containers.map((each) => textOf(each, 'image')));
    assert.equal(new Set(images).size, 1, images.join(', '));
  });

  it('have manifests that are YAML without repeated keys', () => {
    for (const file of ['base/deployment.yaml', 'base/services.yaml', 'components/rate-limit-service/redis.yaml']) {
      const documents = parseAllDocuments(readFileSync(new URL(`deploy/${file}`, root), 'utf8'));
      assert.deepEqual(
        documents.flatMap((document) => document.errors),
        [],
        file,
      );
    }
  });
});

/** The files that config maps put into the first container of a Deployment. */
function mountedFiles(manifests: readonly Manifest[], name = 'postern'): readonly string[] {
  const spec = find(getManifest(manifests, 'Deployment', name), 'spec', 'template', 'spec');
  return listOf(spec, 'containers', 0, 'volumeMounts').flatMap((mount) => {
    const volume = listOf(spec, 'volumes').find((each) => textOf(each, 'name') === textOf(mount, 'name'));
    const configMap = textOf(volume, 'configMap', 'name');
    const found = ofKind(manifests, 'ConfigMap').find((each) => textOf(each, 'metadata', 'name') === configMap);
    return Object.keys(mapOf(found, 'data')).map((key) => `${textOf(mount, 'mountPath') ?? ''}/${key}`);
  });
}
