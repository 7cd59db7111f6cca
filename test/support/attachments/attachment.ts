import { type ClusterNames, envoyYamlClusters, type JsonObject, readEnvoyConfig } from '../envoy/envoy-config.ts';

/** What the filters that make Postern safe are called in a configuration. */
export interface FilterNames {
  readonly buffer: string;
  readonly authz: string;
  readonly unwrap: string;
  readonly guard: string;
}

/** One way to put Postern behind an Envoy. Every way has to stand the same tests. */
export interface Attachment {
  /** How tests name it: `envoy.yaml`. */
  readonly title: string;
  /** The configuration, static, with one listener as envoy.yaml has; each call gives a copy that a test may change. */
  readonly config: () => JsonObject;
  readonly filters: FilterNames;
  readonly clusters: ClusterNames;
}

/** The committed envoy.yaml. */
export const envoyYaml: Attachment = {
  title: 'envoy.yaml',
  config: readEnvoyConfig,
  filters: {
    buffer: 'envoy.filters.http.buffer',
    authz: 'envoy.filters.http.ext_authz',
    unwrap: 'postern.unwrap',
    guard: 'postern.guard',
  },
  clusters: envoyYamlClusters,
};
