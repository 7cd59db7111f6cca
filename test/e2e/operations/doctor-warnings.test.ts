import assert from 'node:assert/strict';
import {
  addServiceCluster,
  connectionManager,
  httpFilters,
  type JsonObject,
  objectAt,
  routes,
} from '../../support/envoy/envoy-config.ts';
import { http1 } from '../../support/http/http1-client.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { useStarted } from '../../support/lifetime/use-started.ts';
import { useChain } from '../../support/stack/chain.ts';
import { allow } from '../../support/stack/check-answers.ts';
import { checkedFields, startFakeCheckService } from '../../support/stack/fake-check-service.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

const AUTHZ = 'envoy.filters.http.ext_authz';
const types = 'type.googleapis.com/envoy';

/** Something of each kind beside the chain, on a route of its own where that is possible. */
function surround(config: JsonObject, otherPort: number): void {
  connectionManager(config)['strip_matching_host_port'] = true;
  // As of another product: it has no health of Postern's.
  delete addServiceCluster(config, 'opa', otherPort)['health_checks'];
  const list = httpFilters(config);
  list.splice(list.findIndex((filter) => objectAt(filter)['name'] === AUTHZ) + 1, 0, {
    name: 'opa',
    disabled: true,
    typed_config: {
      '@type': `${types}.extensions.filters.http.ext_authz.v3.ExtAuthz`,
      transport_api_version: 'V3',
      grpc_service: { envoy_grpc: { cluster_name: 'opa' }, timeout: '5s' },
    },
  });
  const perRoute = { '@type': `${types}.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute`, check_settings: {} };
  routes(config).unshift(
    {
      match: { prefix: '/twice' },
      route: { cluster: 'backend' },
      typed_per_filter_config: { opa: { '@type': `${types}.config.route.v3.FilterConfig`, config: perRoute } },
    },
    { match: { prefix: '/redirected' }, route: { cluster: 'backend', internal_redirect_policy: {} } },
  );
}

describe('what doctor warns of', () => {
  const other = useStarted(startFakeCheckService);
  const chain = useChain({
    edit: (config) => {
      surround(config, other.port);
    },
  });
  let found = '';
  before(async () => {
    const url = `http://127.0.0.1:${String(chain.envoy.adminPort)}`;
    const { code, out } = await runCli(['doctor', '--envoy', url], {
      POSTERN_STORE: 'file:examples/demo/postern.yaml',
    });
    assert.equal(code, 0, out);
    found = out;
  });

  it('changes the authority before Postern sees it', async () => {
    await http1(chain.envoy.port, { host: `api.example.com:${String(chain.envoy.port)}` });
    const [check] = chain.check.checks;
    assert.ok(check !== undefined);
    assert.equal(fieldValue(checkedFields(check), ':authority'), 'api.example.com');
    assert.match(found, /^! listener partners: request target: strip_matching_host_port changes/m);
  });

  it('lets another service say that a body was decided', async () => {
    chain.check.answer = () => allow({ metadata: { 'postern.body': 'pending' } });
    assert.equal((await http1(chain.envoy.port)).status, 503);
    assert.equal((await http1(chain.envoy.port, { target: '/twice' })).status, 200);
    assert.match(
      found,
      /^! listener partners: filter chain: the filters \S+ext_authz and opa both write the metadata/m,
    );
    assert.doesNotMatch(found, /cluster opa/);
  });

  it('asks Postern again, without the credentials', async () => {
    chain.check.answer = () => allow({ headersToRemove: ['x-app-key'] });
    chain.backend.answer = ({ target }) =>
      target === '/redirected'
        ? { status: 302, headers: [['Location', 'http://api.example.com/elsewhere']] }
        : { status: 200 };
    await http1(chain.envoy.port, { target: '/redirected', headers: [['X-App-Key', 'key']] });
    const keys = chain.check.checks.map((check) => fieldValue(checkedFields(check), 'x-app-key'));
    assert.deepEqual(keys, ['key', null]);
    assert.match(
      found,
      /^! listener partners: route apis: prefix \/redirected: internal_redirect_policy asks Postern/m,
    );
  });
});
