import { type JsonObject } from '../envoy/envoy-config.ts';

/**
 * How a gateway of Istio names its statistics, and which it keeps: those of Istio's bootstrap configuration
 * (istio/istio, tools/packaging/common/envoy_bootstrap.json and pkg/bootstrap/config.go, of August 2026), and what the
 * annotation `sidecar.istio.io/statsInclusionRegexps` adds.
 */
export function istioStatsConfig(inclusionRegexps: readonly string[]): JsonObject {
  const prefixes = ['reporter=', 'cluster_manager', 'listener_manager', 'server', 'cluster.xds-grpc', 'wasm'];
  const suffixes = ['rbac.allowed', 'rbac.denied', 'shadow_allowed', 'shadow_denied'];
  return {
    use_all_default_tags: false,
    stats_tags: [
      { tag_name: 'cluster_name', regex: String.raw`^cluster(\.(.+);)` },
      {
        tag_name: 'http_conn_manager_prefix',
        regex: String.raw`^http\.(((?:[_.[:digit:]\w]*|[_\[\]aAbBcCdDeEfF[:digit:]\w\:]*));\.)`,
      },
      { tag_name: 'response_code', regex: String.raw`_rq(_(\d{3}))$` },
      { tag_name: 'response_code_class', regex: String.raw`_rq(_(\dxx))$` },
      { tag_name: 'authz_enforce_result', regex: String.raw`rbac(\.(allowed|denied))` },
      { tag_name: 'authz_dry_run_result', regex: String.raw`(\.shadow_(allowed|denied))` },
    ],
    stats_matcher: {
      inclusion_list: {
        patterns: [
          ...prefixes.map((prefix) => ({ prefix })),
          ...suffixes.map((suffix) => ({ suffix })),
          ...[...inclusionRegexps, String.raw`vhost\..*\.route\..*`].map((regex) => ({ safe_regex: { regex } })),
          ...['component', 'istio'].map((prefix) => ({ prefix })),
        ],
      },
    },
  };
}
