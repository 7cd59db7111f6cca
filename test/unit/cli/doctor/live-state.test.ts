import assert from 'node:assert/strict';
import { inspectEnvoy } from '../../../../src/cli/doctor/envoy/inspect-envoy.ts';
import { readLiveState, withGrowth } from '../../../../src/cli/doctor/envoy/live-state.ts';
import { unknownLimits } from '../../../../src/cli/doctor/own-limits.ts';
import { type Json, type JsonObject, listAt, readEnvoyConfig } from '../../../support/envoy/envoy-config.ts';

interface Seen {
  /** Hosts of each cluster by their address; true for one that is in use. */
  readonly hosts?: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  readonly counters?: Readonly<Record<string, number>>;
}

function hostStatus([address, isHealthy]: readonly [string, boolean]): Json {
  const [host = '', port = ''] = address.split(':');
  return {
    address: { socket_address: { address: host, port_value: Number(port) } },
    stats: [{ name: 'cx_connect_fail', value: isHealthy ? '0' : '2' }, { name: 'cx_total' }],
    health_status: isHealthy ? { eds_health_status: 'HEALTHY' } : { failed_active_health_check: true },
  };
}

/** What doctor says of envoy.yaml when Envoy has seen this. */
function findingsOf({ hosts = {}, counters = {} }: Seen): readonly string[] {
  const config = readEnvoyConfig();
  const type = 'type.googleapis.com/envoy.admin.v3.';
  const list = (name: string, key: string): JsonObject[] =>
    listAt(config, 'static_resources', name).map((each) => ({ [key]: each }));
  const dump = {
    configs: [
      { '@type': `${type}ClustersConfigDump`, static_clusters: list('clusters', 'cluster') },
      { '@type': `${type}ListenersConfigDump`, static_listeners: list('listeners', 'listener') },
    ],
  };
  const statuses = Object.entries(hosts).map(([name, each]) => ({
    name,
    host_statuses: Object.entries(each).map(hostStatus),
  }));
  const stats = Object.entries({ 'cluster.postern.health_check.failure': 1, ...counters });
  const twice = (times: number): Json => ({ stats: stats.map(([name, value]) => ({ name, value: value * times })) });
  const live = withGrowth(readLiveState({ cluster_statuses: statuses }, twice(1)), twice(2));
  return inspectEnvoy(dump, { own: unknownLimits, live }).map(
    ({ level, subject, message }) => `${level}: ${subject}: ${message}`,
  );
}

const ok = 'ok: listener partners: asks Postern about every request, and lets nothing pass that was not decided';

describe('what an Envoy has seen of Postern', () => {
  it('is fine when replicas are healthy and checks are answered', () => {
    const hosts = { postern: { '10.0.0.1:9001': true }, 'postern-http': { '10.0.0.1:9002': true } };
    const counters = { 'http.partners.ext_authz.ok': 990, 'http.partners.ext_authz.denied': 400 };
    assert.deepEqual(findingsOf({ hosts, counters: { ...counters, 'http.partners.ext_authz.error': 5 } }), [ok]);
    assert.deepEqual(findingsOf({}), [ok]);
  });

  for (const [title, seen, expected] of [
    [
      'that nothing answers: stopped, or another port',
      {
        hosts: { postern: { '127.0.0.1:9001': false } },
        counters: { 'cluster.postern.health_check.failure': 7, 'cluster.postern.health_check.network_failure': 7 },
      },
      'fault: cluster postern: every request gets 503: 127.0.0.1:9001 fails its health check: nothing answers there in this protocol',
    ],
    [
      'that what answers is not ready',
      {
        hosts: { postern: { '127.0.0.1:9001': false } },
        counters: { 'cluster.postern.health_check.failure': 7, 'cluster.postern.health_check.network_failure': 1 },
      },
      'fault: cluster postern: every request gets 503, except to callers whom replicas know: 127.0.0.1:9001 fails its health check: what answers there cannot look up credentials now, or is not Postern',
    ],
    [
      'that one replica of two is out of use',
      { hosts: { postern: { '10.0.0.1:9001': true, '10.0.0.2:9001': false } } },
      'warning: cluster postern: 1 of 2 replicas get no requests: 10.0.0.2:9001 fails its health check: what answers there cannot look up credentials now, or is not Postern',
    ],
    [
      'that no address is known',
      { hosts: { postern: {} } },
      'fault: cluster postern: it has no address to call: every request gets 503',
    ],
    [
      'that the OAuth2 listener is not reached',
      {
        hosts: { postern: { '10.0.0.1:9001': true }, 'postern-http': { '10.0.0.1:9002': false } },
        counters: {
          'cluster.postern-http.health_check.failure': 2,
          'cluster.postern-http.health_check.network_failure': 2,
        },
      },
      'fault: cluster postern-http: partners get no tokens: 10.0.0.1:9002 fails its health check: nothing answers there in this protocol',
    ],
    [
      'that no check was answered',
      { counters: { 'http.partners.ext_authz.error': 3 } },
      'fault: listener partners: checks: 3 of 3 checks since Envoy started had no answer in time: their callers got 503',
    ],
    [
      'that many checks were not answered',
      {
        counters: {
          'http.partners.ext_authz.error': 3,
          'http.partners.ext_authz.ok': 97,
          'http.other.ext_authz.error': 9,
        },
      },
      'warning: listener partners: checks: 3 of 100 checks since Envoy started had no answer in time: their callers got 503',
    ],
    [
      'that answers were not accepted',
      { counters: { 'http.partners.ext_authz.invalid': 1 } },
      'warning: listener partners: checks: 1 answers since Envoy started were not accepted by it: their callers got 500',
    ],
  ] as const) {
    it(`is reported: ${title}`, () => {
      assert.deepEqual(findingsOf(seen), [expected]);
    });
  }

  it('is not known before the first health check', () => {
    const counters = { 'cluster.postern.health_check.failure': 0 };
    assert.deepEqual(findingsOf({ hosts: { postern: { '127.0.0.1:9001': false } }, counters }), [ok]);
  });

  it('may be anything', () => {
    for (const odd of [null, [], { cluster_statuses: [{ name: 1, host_statuses: [null, {}] }] }, { stats: [{}, 1] }]) {
      assert.doesNotThrow(() => readLiveState(odd, odd));
    }
  });
});
