import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { parseConfig } from '../../../src/gateway/config.ts';
import { type Json } from '../../support/envoy/envoy-config.ts';
import { renderComposition } from '../../support/kubernetes/compose-kustomization.ts';
import { findManifestFaults, secretsByHand } from '../../support/kubernetes/find-manifest-faults.ts';
import { podsOfService } from '../../support/kubernetes/find-network-faults.ts';
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
import { findPods, fitsSelector } from '../../support/kubernetes/pods.ts';
import { settingsOf } from '../../support/kubernetes/settings-of.ts';

const compileTimeoutMs = 30_000;
const container = ['spec', 'template', 'spec', 'containers', 0] as const;
const store = 'mongodb://mongodb.example.com:27017/postern';
const readDeploy = (path: string): string => readFileSync(new URL(`../../../deploy/${path}`, import.meta.url), 'utf8');

describe('the component manage', () => {
  let alone: readonly Manifest[];
  let upon: readonly Manifest[];
  let deployment: Manifest;
  before(async () => {
    const component = { components: ['components/manage'] };
    alone = await renderComposition({ resources: [], ...component });
    upon = await renderComposition({ resources: ['base'], ...component });
    deployment = getManifest(upon, 'Deployment', 'postern-manage');
  });

  it('has no fault that can be found without a cluster, upon the base and alone', async () => {
    assert.deepEqual(await findManifestFaults(upon, { external: secretsByHand }), []);
    const namespace = { kind: 'Namespace', name: 'postern' } as const;
    assert.deepEqual(await findManifestFaults(alone, { external: [...secretsByHand, namespace] }), []);
  }).timeout(compileTimeoutMs);

  it('leaves every object of the gateway as it is', async () => {
    const names = (manifests: readonly Manifest[]): readonly string[] =>
      manifests.map((each) => JSON.stringify(each)).sort();
    const base = await renderComposition({ resources: ['base'] });
    assert.deepEqual(names(upon), [...names(base), ...names(alone)].sort());
  });

  it('has an account, a Service, a policy and a budget of its own, and no Secret', () => {
    const named = alone.map((each) => `${asText(each['kind'])} ${asText(find(each, 'metadata', 'name'))}`);
    assert.deepEqual(named.map((name) => name.replace(/-[a-z0-9]{10}$/, '-HASH')).sort(), [
      'ConfigMap postern-manage-HASH',
      'Deployment postern-manage',
      'NetworkPolicy postern-manage',
      'PodDisruptionBudget postern-manage',
      'Service postern-manage',
      'ServiceAccount postern-manage',
    ]);
    assert.equal(find(deployment, 'spec', 'template', 'spec', 'serviceAccountName'), 'postern-manage');
  });

  it('is behind no Service of the gateway, which would send checks to it', () => {
    const behind = (service: string): readonly string[] =>
      podsOfService(getManifest(upon, 'Service', service), findPods(upon)).map(({ owner }) => owner);
    for (const service of ['postern', 'postern-headless', 'postern-admin']) {
      assert.deepEqual(behind(service), ['Deployment postern/postern'], service);
    }
    assert.deepEqual(behind('postern-manage'), ['Deployment postern/postern-manage']);
  });

  it('gives settings that postern manage takes, with TLS from the files that it mounts', () => {
    const secrets = { 'postern-manage': { store }, postern: { store: 'mongodb://not-this-user/postern' } };
    const settings = settingsOf(upon, deployment, secrets);
    const parsed = parseConfig(settings);
    assert.ok('config' in parsed, JSON.stringify(parsed));
    const { manageAddress, manageAdminAddress, managePlainText } = parsed.config;
    assert.deepEqual([manageAddress, managePlainText], [{ kind: 'tcp', host: '0.0.0.0', port: 9004 }, false]);
    assert.deepEqual(manageAdminAddress, { kind: 'tcp', host: '0.0.0.0', port: 9005 });
    assert.deepEqual(find(deployment, ...container, 'ports'), [
      { name: 'manage', containerPort: 9004 },
      { name: 'admin', containerPort: 9005 },
    ]);
    assert.equal(settings['POSTERN_STORE'], store, "not as the gateway's user, who may change nothing");
    const mounts = listOf(deployment, ...container, 'volumeMounts').map((mount) => textOf(mount, 'mountPath') ?? '');
    for (const name of ['POSTERN_KEYRING', 'POSTERN_MANAGE_TLS_CERTIFICATE', 'POSTERN_MANAGE_TLS_KEY']) {
      const file = settings[name] ?? '';
      assert.ok(mounts.includes(file.slice(0, file.lastIndexOf('/'))), `${name}: ${file} is mounted nowhere`);
    }
    assert.deepEqual(find(deployment, ...container, 'args'), ['dist/main.js', 'manage']);
  });

  it('is asked at its admin port, is restarted only when the process does not answer, and waits for the database', () => {
    const probes = find(deployment, ...container);
    const asked = (path: string): Json => ({ path, port: 'admin' });
    assert.deepEqual(find(probes, 'readinessProbe', 'httpGet'), asked('/readyz'));
    for (const probe of ['startupProbe', 'livenessProbe']) {
      assert.deepEqual(find(probes, probe, 'httpGet'), asked('/livez'), probe);
    }
  });

  it('stops within its grace period', () => {
    const spec = find(deployment, 'spec', 'template', 'spec');
    const preStop = Number(find(spec, 'containers', 0, 'lifecycle', 'preStop', 'sleep', 'seconds'));
    const grace = Number(settingsOf(upon, deployment)['POSTERN_SHUTDOWN_GRACE_SECONDS']);
    assert.ok(preStop > 0 && grace > 0);
    assert.ok(preStop + grace < Number(find(spec, 'terminationGracePeriodSeconds')));
  });

  it('lets in only pods that were given its label, and Prometheus to the admin port', () => {
    const { ingress, policyTypes } = mapOf(getManifest(upon, 'NetworkPolicy', 'postern-manage'), 'spec');
    assert.deepEqual(policyTypes, ['Ingress', 'Egress']);
    const named = (namespace: string): Json => ({ matchLabels: { 'kubernetes.io/metadata.name': namespace } });
    const clients = { matchLabels: { 'postern-manage-client': 'true' } };
    const peers = [{ namespaceSelector: named('postern'), podSelector: clients }];
    const monitoring = [{ namespaceSelector: named('monitoring') }];
    assert.deepEqual(ingress, [
      { from: peers, ports: [{ protocol: 'TCP', port: 9004 }] },
      { from: monitoring, ports: [{ protocol: 'TCP', port: 9005 }] },
    ]);
  });

  it('reaches an OpenID Connect provider only with the component for one', async () => {
    const portsOf = (manifests: readonly Manifest[]): readonly Json[] =>
      ofKind(manifests, 'NetworkPolicy')
        .filter((policy) =>
          fitsSelector({ 'app.kubernetes.io/name': 'postern-manage' }, find(policy, 'spec', 'podSelector')),
        )
        .flatMap((policy) => listOf(policy, 'spec', 'egress'))
        .flatMap((rule) => listOf(rule, 'ports').map((port) => find(port, 'port') ?? null));
    assert.deepEqual(portsOf(upon), [53, 53, 27017]);
    const both = await renderComposition({
      resources: ['base'],
      components: ['components/manage', 'components/manage-openid-connect'],
    });
    assert.deepEqual(await findManifestFaults(both, { external: secretsByHand }), []);
    assert.deepEqual(portsOf(both), [53, 53, 27017, 443]);
  });

  it('shows Secrets that have what the Deployment reads', () => {
    const text = readDeploy('components/manage/secret.example.yaml');
    const shown = text.split('\n---\n').map((each) => parse(each) as Json);
    const keys = shown.map((each) => [textOf(each, 'metadata', 'name'), ...Object.keys(mapOf(each, 'stringData'))]);
    assert.deepEqual(keys, [
      ['postern-manage', 'store'],
      ['postern-manage-tls', 'tls.crt', 'tls.key'],
    ]);
    const parsed = parseConfig({ POSTERN_STORE: textOf(shown[0], 'stringData', 'store') });
    assert.ok('config' in parsed, 'the example of the address is one that Postern takes');
  });
});
