import { at, type JsonObject, listAt } from './envoy-config.ts';

/** What Envoy's admin address would say of a configuration with static parts only. */
export function dumpOf(config: JsonObject): JsonObject {
  const type = 'type.googleapis.com/envoy.admin.v3.';
  return {
    configs: [
      { '@type': `${type}BootstrapConfigDump`, bootstrap: { admin: at(config, 'admin') } },
      {
        '@type': `${type}ClustersConfigDump`,
        static_clusters: listAt(config, 'static_resources', 'clusters').map((each) => ({ cluster: each })),
      },
      {
        '@type': `${type}ListenersConfigDump`,
        static_listeners: listAt(config, 'static_resources', 'listeners').map((listener) => ({ listener })),
      },
    ],
  };
}
