// Usual mistakes. Each must be refused, or cause a warning, or the checks above prove nothing.

const container = (object) => object.spec.template.spec.containers[0];

/** What is broken in which object of which kustomization, and what the server says of it. */
export const plantedFaults = [
  {
    title: 'a selector that does not fit the labels of its pods',
    in: 'deploy',
    kind: 'Deployment',
    plant: (object) => {
      object.spec.selector.matchLabels['app.kubernetes.io/name'] = 'posternn';
    },
    says: /`selector` does not match template `labels`/,
  },
  {
    title: 'a port beyond 65535',
    in: 'deploy',
    kind: 'Service',
    plant: (object) => {
      object.spec.ports[0].port = 91910;
    },
    says: /must be between 1 and 65535/,
  },
  {
    title: 'a field that does not exist',
    in: 'deploy',
    kind: 'PodDisruptionBudget',
    plant: (object) => {
      object.spec.minAvailabel = 1;
    },
    says: /unknown field "minAvailabel"/,
  },
  {
    title: 'a text in place of a number',
    in: 'deploy',
    kind: 'HorizontalPodAutoscaler',
    plant: (object) => {
      object.spec.maxReplicas = 'ten';
    },
    says: /maxReplicas/,
  },
  {
    title: 'a volume mount without a volume',
    in: 'deploy',
    kind: 'Deployment',
    plant: (object) => {
      container(object).volumeMounts[0].name = 'keyrings';
    },
    says: /volumeMounts\[0\]\.name: Not found/,
  },
  {
    title: 'a preStop hook that outlasts the grace period',
    in: 'deploy',
    kind: 'Deployment',
    plant: (object) => {
      const { terminationGracePeriodSeconds } = object.spec.template.spec;
      container(object).lifecycle.preStop.sleep.seconds = terminationGracePeriodSeconds + 1;
    },
    says: /preStop/,
  },
  {
    title: 'a container that keeps its capabilities',
    in: 'deploy',
    kind: 'Deployment',
    plant: (object) => {
      delete container(object).securityContext.capabilities;
    },
    says: /would violate PodSecurity "restricted:latest": unrestricted capabilities/,
  },
  {
    title: 'an action that AuthorizationPolicy does not have',
    in: 'deploy/overlays/istio',
    kind: 'AuthorizationPolicy',
    plant: (object) => {
      object.spec.action = 'CUSTUM';
    },
    says: /CUSTUM/,
  },
  {
    title: 'a place that an EnvoyFilter does not have',
    in: 'deploy/overlays/istio',
    kind: 'EnvoyFilter',
    plant: (object) => {
      object.spec.configPatches[0].applyTo = 'HTTP_FILTERS';
    },
    says: /HTTP_FILTERS/,
  },
  {
    title: 'a field that SecurityPolicy does not have',
    in: 'deploy/overlays/envoy-gateway',
    kind: 'SecurityPolicy',
    plant: (object) => {
      object.spec.extAuth.failopen = false;
    },
    says: /unknown field "failopen"/,
  },
  {
    title: 'a kind of match that HTTPRoute does not have',
    in: 'deploy/overlays/envoy-gateway',
    kind: 'HTTPRoute',
    plant: (object) => {
      object.spec.rules[0].matches[0].path.type = 'Prefix';
    },
    says: /Unsupported value: "Prefix"/,
  },
  {
    title: 'a field that PodMonitor does not have',
    in: 'deploy/base with deploy/observability',
    kind: 'PodMonitor',
    plant: (object) => {
      object.spec.podMetricsEndpoints[0].prot = 'admin';
    },
    says: /unknown field "prot"/,
  },
];
