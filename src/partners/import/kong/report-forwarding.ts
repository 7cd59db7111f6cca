import type { Place } from '../../../model/document/problem-log.ts';
import { count } from '../../../base/text/printable.ts';
import type { FindingLog } from './finding.ts';
import type { KongRoute } from './kong-entities.ts';

/**
 * Reports how Kong passes requests on, once for the file: what of it is Envoy's to configure, and fails or looks
 * different until somebody does (docs/migrating-from-kong.md, "What Envoy does otherwise").
 */
export function reportForwarding(routes: readonly KongRoute[], root: Place, findings: FindingLog): void {
  const where = findings.about(root, 'where requests go');
  const stripped = routes.filter(({ stripsPath, paths }) => stripsPath && paths.length > 0).length;
  if (stripped > 0) {
    where('note', ['routes'], {
      what: `services and strip_path of ${count(stripped, 'route')} were left out: Envoy decides where requests go`,
      instead: 'write routes of Envoy, with prefix_rewrite where Kong strips the path',
    });
  }
  const renamed = routes.filter(({ preservesHost, service }) => !preservesHost && service !== null).length;
  if (renamed > 0) {
    where('note', ['routes'], {
      what: `${count(renamed, 'route')} without preserve_host: Kong sends the back end’s own Host, Envoy the caller’s`,
      instead: 'if back ends need theirs, host_rewrite_literal in Envoy’s route',
    });
  }
  const streamed = routes.filter(({ buffersRequest }) => !buffersRequest).length;
  if (streamed > 0) {
    where('warning', ['routes'], {
      what: `request_buffering: false of ${count(streamed, 'route')} was left out: Envoy holds the whole body, and answers 413 above 10 MiB`,
      instead: 'for open, key and oauth2 endpoints, a streaming route of Envoy (docs/envoy.md)',
    });
  }
  const speaks = (...protocols: readonly string[]): boolean =>
    routes.some((route) => route.protocols.some((each) => protocols.includes(each)));
  if (routes.some(({ protocols }) => protocols.includes('https') && !protocols.includes('http'))) {
    findings.about(root, 'HTTPS')('note', ['routes'], {
      what: 'some routes are for HTTPS only, which Envoy’s listeners have to enforce',
      instead: 'redirect plain HTTP in Envoy (https_redirect)',
    });
  }
  if (speaks('ws', 'wss')) {
    findings.about(root, 'WebSocket')('warning', ['routes'], {
      what: 'some routes are for WebSocket (ws, wss), which Envoy answers with 403 unless it is configured',
      instead: 'upgrade_configs in Envoy (docs/envoy.md), for open, key and oauth2 endpoints',
    });
  }
  if (speaks('grpc', 'grpcs')) {
    findings.about(root, 'gRPC')('warning', ['routes'], {
      what: 'some routes are for gRPC (grpc, grpcs): Envoy speaks HTTP/1.1 to back ends, and holds streams of callers, unless it is configured',
      instead: 'http2_protocol_options for the back end’s cluster, and a streaming route for calls that stream',
    });
  }
}
