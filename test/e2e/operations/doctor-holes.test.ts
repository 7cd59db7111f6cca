import assert from 'node:assert/strict';
import {
  addServiceCluster,
  connectionManager,
  filterSettings,
  httpFilters,
  type JsonObject,
  listAt,
  routes,
} from '../../support/envoy/envoy-config.ts';
import { http1 } from '../../support/http/http1-client.ts';
import { fieldValue, fieldValues } from '../../support/http/http-message.ts';
import { useStarted } from '../../support/lifetime/use-started.ts';
import { useChain } from '../../support/stack/chain.ts';
import { allow, deny } from '../../support/stack/check-answers.ts';
import { checkedFields, checkedRequest, startFakeCheckService } from '../../support/stack/fake-check-service.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

const AUTHZ = 'envoy.filters.http.ext_authz';

function perRoute(check_settings: JsonObject): JsonObject {
  const type = 'type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute';
  return { [AUTHZ]: { '@type': type, check_settings } };
}

/** One hole of each kind, each on a route or a host of its own. */
function openHoles(config: JsonObject, elsewherePort: number): void {
  connectionManager(config)['upgrade_configs'] = [
    { upgrade_type: 'websocket', filters: httpFilters(config).slice(-1) },
  ];
  filterSettings(config, AUTHZ)['disallowed_headers'] = { patterns: [{ exact: 'x-app-key' }] };
  addServiceCluster(config, 'elsewhere', elsewherePort);
  const toElsewhere = { grpc_service: { envoy_grpc: { cluster_name: 'elsewhere' }, timeout: '5s' } };
  listAt(connectionManager(config), 'route_config', 'virtual_hosts').push({
    name: 'elsewhere',
    domains: ['elsewhere.example.com'],
    typed_per_filter_config: perRoute(toElsewhere),
    routes: [
      {
        match: { prefix: '/named' },
        route: { cluster: 'backend' },
        typed_per_filter_config: perRoute({ context_extensions: { endpoint: 'orders' } }),
      },
      { match: { prefix: '/' }, route: { cluster: 'backend' } },
    ],
  });
  routes(config).unshift({
    match: { prefix: '/invoices' },
    route: { cluster: 'backend' },
    metadata: { filter_metadata: { 'postern.doctor': { deliberate: true } } },
    typed_per_filter_config: {
      ...perRoute({ disable_request_body_buffering: true }),
      'envoy.filters.http.buffer': {
        '@type': 'type.googleapis.com/envoy.extensions.filters.http.buffer.v3.BufferPerRoute',
        disabled: true,
      },
    },
  });
  routes(config).unshift({
    match: { prefix: '/renamed' },
    route: { cluster: 'backend' },
    request_headers_to_add: [
      {
        header: { key: 'x-consumer-id', value: '%REQ(X-CLAIM)%' },
        append_action: 'OVERWRITE_IF_EXISTS_OR_ADD',
      },
    ],
  });
}

describe('what doctor calls a fault', () => {
  const elsewhere = useStarted(startFakeCheckService);
  const chain = useChain({
    edit: (config) => {
      openHoles(config, elsewhere.port);
    },
  });
  let found = '';
  before(async () => {
    const url = `http://127.0.0.1:${String(chain.envoy.adminPort)}`;
    const store = { POSTERN_STORE: 'file:examples/demo/postern.yaml' };
    const { code, out } = await runCli(['doctor', '--envoy', url], store);
    assert.equal(code, 1);
    found = out;
  });

  it('lets a WebSocket reach the back end without a decision', async () => {
    chain.check.answer = () => deny(401);
    const headers = [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
    ] as const;
    assert.equal((await http1(chain.envoy.port)).status, 401);
    assert.equal((await http1(chain.envoy.port, { headers })).status, 200);
    assert.equal(chain.backend.requests.length, 1);
    assert.match(found, /^✗ listener partners: upgrades: the filters of upgrades to websocket leave ext_authz and/m);
  });

  it('hides a credential from Postern, and shows it to the back end', async () => {
    assert.equal((await http1(chain.envoy.port, { headers: [['X-App-Key', 'key']] })).status, 200);
    const [check] = chain.check.checks;
    assert.ok(check !== undefined);
    assert.equal(fieldValue(checkedFields(check), 'x-app-key'), null);
    assert.equal(fieldValue(chain.backend.requests[0]?.headers ?? [], 'x-app-key'), 'key');
    assert.match(found, /^✗ listener partners: ext_authz: disallowed_headers withholds headers/m);
  });

  it('lets another service decide, except on routes with settings of their own', async () => {
    chain.check.answer = () => deny(401);
    const host = 'elsewhere.example.com';
    assert.equal((await http1(chain.envoy.port, { host })).status, 200);
    assert.equal((await http1(chain.envoy.port, { host, target: '/named' })).status, 401);
    assert.match(found, /^✗ listener partners: route elsewhere: prefix \/: check_settings\.grpc_service asks another/m);
    assert.doesNotMatch(found, /prefix \/named/);
  });

  it('passes a body on that Postern neither sees nor hears of', async () => {
    await http1(chain.envoy.port, { method: 'POST', target: '/invoices', chunks: ['unseen'] });
    const [check] = chain.check.checks;
    assert.ok(check !== undefined);
    assert.equal(checkedRequest(check).rawBody.length, 0);
    assert.equal(fieldValue(checkedFields(check), 'content-length'), null);
    assert.equal(chain.backend.requests[0]?.body.toString(), 'unseen');
    assert.match(
      found,
      /^✗ listener partners: route apis: prefix \/invoices: endpoint \S+ verifies bodies, and Postern/m,
    );
  });

  it('replaces an identity header by what the caller says', async () => {
    chain.check.answer = () => allow({ headers: [['x-consumer-id', 'alice']] });
    await http1(chain.envoy.port, { target: '/renamed', headers: [['X-Claim', 'mallory']] });
    assert.deepEqual(fieldValues(chain.backend.requests[0]?.headers ?? [], 'x-consumer-id'), ['mallory']);
    assert.match(
      found,
      /^✗ listener partners: route apis: prefix \/renamed: request_headers_to_add sets x-consumer-id/m,
    );
  });
});
