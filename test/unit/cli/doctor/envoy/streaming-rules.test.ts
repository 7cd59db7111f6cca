import assert from 'node:assert/strict';
import { inspectEnvoy } from '../../../../../src/cli/doctor/envoy/inspect-envoy.ts';
import { unknownLimits } from '../../../../../src/cli/doctor/own-limits.ts';
import { parseDocument } from '../../../../../src/resources/parse-document.ts';
import { secretReader } from '../../../../../src/resources/secret-source.ts';
import type { Endpoint } from '../../../../../src/model/endpoint.ts';
import { dumpOf } from '../../../../support/envoy/config-dump.ts';
import {
  connectionManager,
  type JsonObject,
  objectAt,
  readEnvoyConfig,
  removeFilter,
  routes,
} from '../../../../support/envoy/envoy-config.ts';

const AUTHZ = 'envoy.filters.http.ext_authz';

/** A route that streams on purpose, before the others. */
function stream(config: JsonObject, match: JsonObject, context: JsonObject = {}): void {
  routes(config).unshift({
    match,
    route: { cluster: 'backend' },
    metadata: { filter_metadata: { 'postern.doctor': { deliberate: true } } },
    typed_per_filter_config: {
      'envoy.filters.http.buffer': { disabled: true },
      [AUTHZ]: { check_settings: { disable_request_body_buffering: true, context_extensions: context } },
    },
  });
}

function endpointsOf(...lines: readonly string[]): readonly Endpoint[] {
  const text = `version: 1\nendpoints:\n${lines.map((line) => `  - { scenario: partner-openapi, ${line} }\n`).join('')}`;
  const parsed = parseDocument([{ file: 'x.yaml', text }], {
    isComplete: true,
    readSecret: secretReader({ environment: {} }),
  });
  assert.ok('content' in parsed, JSON.stringify(parsed));
  return parsed.content.endpoints;
}

/** What doctor says of the route that streams. */
function examine(
  endpoints: readonly Endpoint[] | null,
  match: JsonObject = { prefix: '/stream/' },
  edit: (config: JsonObject) => void = (config) => {
    stream(config, match);
  },
): string {
  const config = readEnvoyConfig();
  edit(config);
  const findings = inspectEnvoy(dumpOf(config), { own: unknownLimits, live: null, endpoints });
  assert.equal(findings.length, 1, JSON.stringify(findings));
  return findings.map(({ level, message }) => `${level}: ${message}`).join('');
}

const WARNING = /^warning: Postern sees no bodies here, on purpose: .* reaches the back end unverified/;

function faultOf(names: string): RegExp {
  return new RegExp(
    `^fault: ${names} bodies, and Postern sees none here: one without a length .* the back end unverified`,
  );
}

const orders = 'id: orders, match: { paths: [{ prefix: /stream/orders }] }, authentication: hmac';
const form = 'id: form, match: { paths: [{ exact: /stream/form }] }, authentication: parameter-signature';
const key = 'id: key, match: { paths: [{ prefix: /stream }] }, authentication: key';
const all = 'id: all, match: { paths: [{ prefix: / }] }, authentication: hmac';

describe('routes that stream', () => {
  it('are a warning where the endpoints are not known, or verify no bodies', () => {
    assert.match(examine(null), WARNING);
    assert.match(examine([]), WARNING);
    assert.match(examine(endpointsOf(key)), WARNING);
  });

  it('are a fault above endpoints that verify bodies, which are named', () => {
    assert.match(examine(endpointsOf(orders)), faultOf('endpoint orders verifies'));
    assert.match(examine(endpointsOf(orders, key, form)), faultOf('endpoints orders, form verify'));
  });

  it('are a fault below an endpoint that takes all of their requests', () => {
    assert.match(examine(endpointsOf(all)), faultOf('endpoint all verifies'));
    assert.match(examine(endpointsOf(all, key)), WARNING);
  });

  it('are no fault beside such endpoints', () => {
    assert.match(examine(endpointsOf(orders), { prefix: '/other' }), WARNING);
    assert.match(examine(endpointsOf(orders), { path: '/stream' }), WARNING);
    assert.match(examine(endpointsOf(`${orders}, enabled: false`)), WARNING);
  });

  it('are a fault when their match is not understood', () => {
    assert.match(examine(endpointsOf(orders), { safe_regex: { regex: '/.*' } }), faultOf('endpoint orders verifies'));
  });

  it('are a fault for the endpoint that they name, and no other', () => {
    const named = (endpoint: string) => (config: JsonObject) => {
      stream(config, { prefix: '/' }, { endpoint });
    };
    assert.match(examine(endpointsOf(orders, key), undefined, named('orders')), faultOf('endpoint orders verifies'));
    assert.match(examine(endpointsOf(orders, key), undefined, named('key')), WARNING);
  });

  it('that say so to Postern are right above other endpoints, and a fault of their own above these', () => {
    const config = readEnvoyConfig();
    stream(config, { prefix: '/stream/' }, { body: 'streamed' });
    const found = (endpoints: readonly Endpoint[] | null): readonly string[] =>
      inspectEnvoy(dumpOf(config), { own: unknownLimits, live: null, endpoints }).map(
        ({ level, message }) => `${level}: ${message}`,
      );
    for (const endpoints of [null, [], endpointsOf(key)]) {
      assert.deepEqual(
        found(endpoints).filter((line) => !line.startsWith('ok')),
        [],
      );
    }
    assert.deepEqual(found(endpointsOf(orders)), [
      'fault: endpoint orders verifies bodies, and Postern sees none here: it refuses every request there with 413, but those with content-length: 0',
    ]);
  });

  it('are a fault where no filter holds bodies back at all', () => {
    const config = readEnvoyConfig();
    stream(config, { prefix: '/stream/' });
    removeFilter(config, 'envoy.filters.http.buffer');
    const known = { own: unknownLimits, live: null, endpoints: endpointsOf(orders) };
    const messages = inspectEnvoy(dumpOf(config), known).map(({ level, message }) => `${level}: ${message}`);
    assert.equal(messages.length, 2, messages.join('\n'));
    assert.match(messages[0] ?? '', /^fault: there is no buffer filter/);
    assert.match(messages[1] ?? '', faultOf('endpoint orders verifies'));
  });

  it('are no fault for endpoints of other hosts', () => {
    const elsewhere = orders.replace('match: {', 'match: { hosts: [a.example.com],');
    const narrow = (domain: string) => (config: JsonObject) => {
      stream(config, { prefix: '/stream/' });
      objectAt(connectionManager(config), 'route_config', 'virtual_hosts', 0)['domains'] = [domain];
    };
    assert.match(examine(endpointsOf(elsewhere), undefined, narrow('b.example.com')), WARNING);
    for (const domain of ['a.example.com:8443', '*.example.com', 'a.*', '*'])
      assert.match(examine(endpointsOf(elsewhere), undefined, narrow(domain)), faultOf('endpoint orders verifies'));
  });
});
