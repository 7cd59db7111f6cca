import assert from 'node:assert/strict';
import { envoyProgram } from '../../support/envoy/envoy.ts';
import {
  at,
  cluster,
  connectionManager,
  envoyYamlPath,
  filterSettings,
  httpFilters,
  type JsonObject,
  listAt,
  objectAt,
  readEnvoyConfig,
  routes,
} from '../../support/envoy/envoy-config.ts';
import { startChild } from '../../support/process/child-process.ts';

const config = readEnvoyConfig();

/** The port of the first address of a listener, a cluster or the admin interface. */
function portOf(from: JsonObject): unknown {
  return at(from, 'address', 'socket_address', 'port_value');
}

describe('the committed envoy.yaml', () => {
  it('is accepted by Envoy as it is', async () => {
    await using envoy = await startChild({
      command: await envoyProgram(),
      args: ['--mode', 'validate', '--config-path', envoyYamlPath],
    });
    const { code } = await envoy.ended;
    assert.equal(code, 0, envoy.stderr());
  });

  it('uses no setting that Envoy deprecated', async () => {
    await using envoy = await startChild({
      command: await envoyProgram(),
      args: ['--mode', 'validate', '--config-path', envoyYamlPath, '--log-level', 'warning'],
    });
    await envoy.ended;
    assert.doesNotMatch(envoy.stderr(), /deprecat/i);
  });

  it('has the ports that Postern and the documents have', () => {
    const endpoint = ['load_assignment', 'endpoints', 0, 'lb_endpoints', 0, 'endpoint'] as const;
    const ports = {
      callers: portOf(objectAt(config, 'static_resources', 'listeners', 0)),
      admin: portOf(objectAt(config, 'admin')),
      postern: portOf(objectAt(cluster(config, 'postern'), ...endpoint)),
      'postern-http': portOf(objectAt(cluster(config, 'postern-http'), ...endpoint)),
      backend: portOf(objectAt(cluster(config, 'backend'), ...endpoint)),
    };
    assert.deepEqual(ports, { callers: 10000, admin: 9901, postern: 9001, 'postern-http': 9002, backend: 8080 });
  });

  it('listens on loopback only', () => {
    for (const from of [objectAt(config, 'admin'), objectAt(config, 'static_resources', 'listeners', 0)]) {
      assert.equal(at(from, 'address', 'socket_address', 'address'), '127.0.0.1');
    }
  });

  it('has the filters in the order that makes them safe', () => {
    assert.deepEqual(
      httpFilters(config).map((filter) => at(filter, 'name')),
      [
        'envoy.filters.http.buffer',
        'envoy.filters.http.ext_authz',
        'postern.unwrap',
        'postern.no-route',
        'postern.guard',
        'envoy.filters.http.router',
      ],
    );
  });

  it('goes around the decision only for routes to Postern itself', () => {
    for (const route of routes(config)) {
      const target = at(route, 'route', 'cluster');
      const hasExceptions = 'typed_per_filter_config' in objectAt([route], 0);
      assert.equal(hasExceptions, target === 'postern-http');
    }
  });

  it('has a filter on every mapper of local replies, so that refusals stay as they are', () => {
    for (const mapper of listAt(connectionManager(config), 'local_reply_config', 'mappers')) {
      assert.ok('filter' in objectAt([mapper], 0));
    }
  });

  it('sets no back-off for retries, which would bring a timeout per try', () => {
    const retryPolicy = objectAt(
      filterSettings(config, 'envoy.filters.http.ext_authz'),
      'grpc_service',
      'retry_policy',
    );
    assert.equal('retry_back_off' in retryPolicy, false);
  });
});
