import assert from 'node:assert/strict';
import { type Json, type JsonObject } from '../../support/envoy/envoy-config.ts';
import { findManifestFaults, findReferenceFaults } from '../../support/kubernetes/find-manifest-faults.ts';
import { find, getManifest, type Manifest } from '../../support/kubernetes/manifest.ts';
import { goodManifests } from './good-manifests.ts';

const external = [{ kind: 'Secret', name: 'password', keys: ['text'] }] as const;

/** Sets a field; an undefined value takes it away. What leads there must exist. */
function set(
  manifests: readonly Manifest[],
  kind: string,
  name: string,
  path: readonly (string | number)[],
  value?: Json,
): void {
  const parent = find(getManifest(manifests, kind, name), ...path.slice(0, -1));
  const last = path.at(-1);
  assert.ok(
    typeof parent === 'object' && parent !== null && last !== undefined,
    `${kind} ${name} has no ${path.join('.')}`,
  );
  if (Array.isArray(parent)) {
    parent.splice(Number(last), 1, ...(value === undefined ? [] : [value]));
  } else if (value === undefined) {
    assert.notEqual(parent[last], undefined, `${kind} ${name} has no ${path.join('.')}`);
    parent[last] = null;
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a fixture of this test
    delete parent[last];
  } else {
    parent[last] = value;
  }
}

const pod = ['spec', 'template', 'spec'] as const;
const container = [...pod, 'containers', 0] as const;

/** One thing broken, and what is said of it. */
type Planted = readonly [
  kind: string,
  name: string,
  path: readonly (string | number)[],
  value: Json | undefined,
  fault: RegExp,
];

const againstSchemas: Readonly<Record<string, Planted>> = {
  'an unknown field': ['PodDisruptionBudget', 'web', ['spec', 'minAvailabel'], 1, /'"minAvailabel"' does not exist/],
  'an unknown field deep inside': [
    'Deployment',
    'web',
    [...container, 'readinesProbe'],
    {},
    /'"readinesProbe"' does not exist/,
  ],
  'a wrong type': [
    'Deployment',
    'web',
    ['spec', 'minReadySeconds'],
    '3',
    /^Deployment shop\/web: data\/spec\/minReadySeconds must be integer/,
  ],
  'a missing field': [
    'HorizontalPodAutoscaler',
    'web',
    ['spec', 'maxReplicas'],
    undefined,
    /must have required property maxReplicas/,
  ],
  'a version that there is not': [
    'PodDisruptionBudget',
    'web',
    ['apiVersion'],
    'policy/v3',
    /there is no schema of policy\/v3\/PodDisruptionBudget/,
  ],
};

const againstEachOther: Readonly<Record<string, Planted>> = {
  'a selector that does not fit its template': [
    'Deployment',
    'web',
    ['spec', 'selector', 'matchLabels', 'app'],
    'wep',
    /does not select the pods of its own template/,
  ],
  'a gRPC probe of another port': [
    'Deployment',
    'web',
    [...container, 'readinessProbe', 'grpc', 'port'],
    9002,
    /readinessProbe of container web asks port 9002/,
  ],
  'an HTTP probe of a port without that name': [
    'Deployment',
    'web',
    [...container, 'livenessProbe', 'httpGet', 'port'],
    'admin',
    /livenessProbe of container web asks port "admin"/,
  ],
  'a port that appears twice': [
    'Deployment',
    'web',
    [...container, 'ports', 1, 'containerPort'],
    8080,
    /port 8080\/TCP appears twice/,
  ],
  'a mount of no volume': [
    'Deployment',
    'web',
    [...container, 'volumeMounts', 0, 'name'],
    'conf',
    /mounts the volume conf, which it does not have/,
  ],
  'a volume that nobody mounts': [
    'Deployment',
    'web',
    [...container, 'volumeMounts', 0],
    undefined,
    /no container mounts the volume config/,
  ],
  'a preStop longer than the grace period': [
    'Deployment',
    'web',
    [...pod, 'terminationGracePeriodSeconds'],
    5,
    /sleeps in preStop until it is killed/,
  ],
  'a StatefulSet of no Service': ['StatefulSet', 'db', ['spec', 'serviceName'], 'dbs', /serviceName dbs is no Service/],
  'a budget for no pod': [
    'PodDisruptionBudget',
    'web',
    ['spec', 'selector', 'matchLabels', 'app'],
    'wep',
    /PodDisruptionBudget shop\/web: selects no pod/,
  ],
  'an autoscaler of nothing': [
    'HorizontalPodAutoscaler',
    'web',
    ['spec', 'scaleTargetRef', 'name'],
    'wep',
    /its target .* is not there/,
  ],
  'an autoscaler whose target sets replicas': ['Deployment', 'web', ['spec', 'replicas'], 2, /sets spec.replicas/],
  'an autoscaler without a request to measure by': [
    'Deployment',
    'web',
    [...container, 'resources', 'requests', 'cpu'],
    undefined,
    /scales by cpu/,
  ],
  'a config map that is not there': [
    'Deployment',
    'web',
    [...container, 'envFrom', 0, 'configMapRef', 'name'],
    'setting',
    /uses the ConfigMap setting, which is not there/,
  ],
  'a key that the config map does not have': [
    'Deployment',
    'web',
    [...pod, 'volumes', 0, 'configMap', 'items', 0, 'key'],
    'envoy.yml',
    /uses the key envoy.yml of the ConfigMap envoy, which has envoy.yaml/,
  ],
  'a secret that is not there': [
    'Deployment',
    'web',
    [...container, 'env', 0, 'valueFrom', 'secretKeyRef', 'name'],
    'passwords',
    /uses the Secret passwords, which is not there/,
  ],
  'a key that a secret made by hand does not have': [
    'Deployment',
    'web',
    [...container, 'env', 0, 'valueFrom', 'secretKeyRef', 'key'],
    'txt',
    /uses the key txt of the Secret password/,
  ],
  'a service account that is not there': [
    'Deployment',
    'web',
    [...pod, 'serviceAccountName'],
    'wep',
    /uses the ServiceAccount wep/,
  ],
  'another namespace': ['ConfigMap', 'envoy', ['metadata', 'namespace'], 'shopp', /there is no Namespace shopp/],
  'a Service of no pods': ['Service', 'web', ['spec', 'selector', 'app'], 'wep', /Service shop\/web: selects no pod/],
  'a Service of no port': [
    'Service',
    'web',
    ['spec', 'ports', 0, 'targetPort'],
    'https',
    /leads to port "https", which Deployment shop\/web does not have/,
  ],
  'a headless Service that would have to translate ports': [
    'Service',
    'web-headless',
    ['spec', 'ports', 0, 'port'],
    90,
    /is headless, and Deployment shop\/web does not listen on its port 90/,
  ],
  'a network policy for no pod': [
    'NetworkPolicy',
    'web',
    ['spec', 'podSelector', 'matchLabels', 'app'],
    'wep',
    /NetworkPolicy shop\/web: selects no pod/,
  ],
  'a network policy for another port': [
    'NetworkPolicy',
    'web',
    ['spec', 'ingress', 0, 'ports', 0, 'port'],
    9011,
    /lets through port 9011, which Deployment shop\/web does not have/,
  ],
  'a network policy for pods of any namespace': [
    'NetworkPolicy',
    'web',
    ['spec', 'ingress', 0, 'from', 0, 'namespaceSelector'],
    {},
    /NetworkPolicy shop\/web: lets in pods of any namespace with .*gateway/,
  ],
  'a network policy to no pod': [
    'NetworkPolicy',
    'web',
    ['spec', 'egress', 0, 'to', 0, 'podSelector', 'matchLabels', 'app'],
    'dp',
    /no pod fits the peer/,
  ],
  'a network policy to another port of a pod': [
    'NetworkPolicy',
    'web',
    ['spec', 'egress', 0, 'ports', 0, 'port'],
    5433,
    /lets through port 5433, which StatefulSet shop\/db/,
  ],
  'a network policy that forgets a type': [
    'NetworkPolicy',
    'web',
    ['spec', 'policyTypes'],
    ['Ingress'],
    /has rules for Egress, which policyTypes does not name/,
  ],
  'an Envoy that calls a Service which is not there': [
    'Service',
    'web',
    ['metadata', 'name'],
    'wep',
    /ConfigMap shop\/envoy, envoy.yaml: calls web.shop.svc.cluster.local, and there is no Service shop\/web/,
  ],
  'an Envoy that calls another port': [
    'Service',
    'web',
    ['spec', 'ports', 0, 'port'],
    81,
    /calls web.shop.svc.cluster.local:80, and Service shop\/web does not have that port/,
  ],
  'a setting with an address that is not there': [
    'ConfigMap',
    'settings',
    ['data', 'TARGET'],
    'dp:5432',
    /ConfigMap shop\/settings, TARGET: calls dp, and there is no Service shop\/dp/,
  ],
  'a variable with an address that is not there': [
    'Deployment',
    'web',
    [...container, 'env', 1, 'value'],
    'http://wep:80/path',
    /Deployment shop\/web, UPSTREAM: calls wep/,
  ],
  'the name of a pod that is not there': [
    'ConfigMap',
    'settings',
    ['data', 'URL'],
    'mongodb://user@db-0.db:5432,dp-1.db:5432/x',
    /calls dp-1.db, and Service shop\/db has no pod dp-1/,
  ],
  'a call that is not let out': [
    'NetworkPolicy',
    'web',
    ['spec', 'egress', 1],
    undefined,
    /^Deployment shop\/web calls Deployment shop\/web on port 8080, and no network policy lets it out$/,
  ],
  'a call to a namespace that is not let out': [
    'NetworkPolicy',
    'web',
    ['spec', 'egress', 1, 'to', 0, 'namespaceSelector', 'matchLabels', 'kubernetes.io/metadata.name'],
    'shopp',
    /on port 8080, and no network policy lets it out$/,
  ],
  'a call that is not let in': [
    'NetworkPolicy',
    'web',
    ['spec', 'ingress', 1],
    undefined,
    /^Deployment shop\/web calls Deployment shop\/web on port 8080, and no network policy lets it in$/,
  ],
  'a call of an address in a config map that is not let out': [
    'NetworkPolicy',
    'web',
    ['spec', 'egress', 0],
    undefined,
    /^Deployment shop\/web calls StatefulSet shop\/db on port 5432, and no network policy lets it out$/,
  ],
  'names that cannot be looked up': [
    'NetworkPolicy',
    'web',
    ['spec', 'egress', 2],
    undefined,
    /^Deployment shop\/web: no network policy lets it look up names$/,
  ],
  'a pod that may run as root': [
    'Deployment',
    'web',
    [...pod, 'securityContext', 'runAsNonRoot'],
    undefined,
    /may run as root/,
  ],
  'a container that keeps capabilities': [
    'Deployment',
    'web',
    [...container, 'securityContext', 'capabilities', 'drop'],
    [],
    /keeps capabilities/,
  ],
  'a container that may escalate privileges': [
    'Deployment',
    'web',
    [...container, 'securityContext', 'allowPrivilegeEscalation'],
    undefined,
    /may escalate privileges/,
  ],
  'a pod without a seccomp profile': [
    'Deployment',
    'web',
    [...pod, 'securityContext', 'seccompProfile'],
    undefined,
    /has no seccomp profile/,
  ],
  'a root file system that can be written': [
    'Deployment',
    'web',
    [...container, 'securityContext', 'readOnlyRootFilesystem'],
    false,
    /may write to its root file system/,
  ],
  'a volume of the host': [
    'Deployment',
    'web',
    [...pod, 'volumes', 0],
    { name: 'config', hostPath: { path: '/' } },
    /has a volume of the kind hostPath/,
  ],
  'a network of the host': ['Deployment', 'web', [...pod, 'hostNetwork'], true, /has hostNetwork/],
  'a token of the API server': [
    'Deployment',
    'web',
    [...pod, 'automountServiceAccountToken'],
    undefined,
    /mounts a token/,
  ],
  'variables for Services': ['Deployment', 'web', [...pod, 'enableServiceLinks'], undefined, /enableServiceLinks/],
  'no limit of memory': ['Deployment', 'web', [...container, 'resources', 'limits'], {}, /has no limit of memory/],
  'an image without a tag': [
    'Deployment',
    'web',
    [...container, 'image'],
    'registry:5000/web',
    /image without a fixed tag/,
  ],
};

function assertFound(faults: readonly string[], wanted: RegExp): void {
  assert.ok(
    faults.some((fault) => wanted.test(fault)),
    faults.join('\n') || 'found nothing',
  );
}

describe('the checkers of manifests', () => {
  it('find nothing in manifests that fit together', async () => {
    assert.deepEqual(await findManifestFaults(goodManifests(), { external }), []);
  }).timeout(20_000); // the compiler reads the types of Kubernetes for the first time

  for (const [name, [kind, object, path, value, fault]] of Object.entries(againstSchemas)) {
    it(`find ${name}`, async () => {
      const manifests = goodManifests();
      set(manifests, kind, object, path, value);
      assertFound(await findManifestFaults(manifests, { external }), fault);
    }).timeout(20_000);
  }

  for (const [name, [kind, object, path, value, fault]] of Object.entries(againstEachOther)) {
    it(`find ${name}`, () => {
      const manifests = goodManifests();
      set(manifests, kind, object, path, value);
      assertFound(findReferenceFaults(manifests, { external }), fault);
    });
  }

  it('leave a kind alone that has another check', async () => {
    const custom: JsonObject = {
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: { name: 'a', namespace: 'shop' },
    };
    const manifests = [...goodManifests(), custom];
    assert.deepEqual(await findManifestFaults(manifests, { external, withoutSchema: ['example.com/v1/Thing'] }), []);
    assert.deepEqual(await findManifestFaults(manifests, { external }), [
      'Thing shop/a: there is no schema of example.com/v1/Thing',
    ]);
  }).timeout(20_000);

  it('look at addresses in objects of custom kinds', () => {
    const addresses = [{ caller: 'Thing shop/a', namespace: 'shop', host: 'web.shopp.svc', port: 80 }];
    assert.deepEqual(findReferenceFaults(goodManifests(), { external, addresses }), [
      'Thing shop/a: calls web.shopp.svc, and there is no Service shopp/web',
    ]);
  });
});
