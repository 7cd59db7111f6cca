import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { useChain } from '../../support/stack/chain.ts';
import { readDocument, readTable } from '../../support/docs/documents.ts';
import { envoyYaml } from '../../support/attachments/attachment.ts';
import {
  backendRoute,
  connectionManager,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
} from '../../support/envoy/envoy-config.ts';
import { http1, http1Bytes } from '../../support/http/http1-client.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { guideSnippet } from './guide-snippet.ts';

const rows = readTable(readDocument('docs/migrating-from-kong.md'), 'Under Kong');

/** Puts a line of the page where it says. */
function addLine(config: JsonObject, where: string, line: Json): void {
  const places: Readonly<Record<string, () => JsonObject>> = {
    manager: () => (connectionManager(config)['http_protocol_options'] ??= {}) as JsonObject,
    route: () => objectAt(backendRoute(config), 'route'),
    cluster: () => {
      const backend = listAt(config, 'static_resources', 'clusters').find(
        (cluster) => (cluster as JsonObject)['name'] === envoyYaml.clusters.backend,
      ) as JsonObject;
      const options = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
      return objectAt(
        backend,
        'typed_extension_protocol_options',
        options,
        'explicit_http_config',
        'http_protocol_options',
      );
    },
  };
  const place = places[where];
  assert.ok(place, where);
  Object.assign(place(), line);
}

/**
 * The lines of the page and its snippet of headers, but for those that another page has and gRPC, which takes the place
 * of another.
 */
function addLines(config: JsonObject): void {
  const route = backendRoute(config);
  const own = (route['request_headers_to_add'] ?? []) as Json[];
  route['request_headers_to_add'] = [...own, ...(guideSnippet('headers: forwarded') as Json[])];
  for (const [under = '', , where = '', cell = ''] of rows) {
    const [, line] = /^`([^`]+)`$/.exec(cell) ?? [];
    if (line !== undefined && under !== 'gRPC') addLine(config, where, parse(line) as Json);
  }
}

const forged = ['Host', 'Prefix', 'Path', 'Port'].map(
  (name) => [`x-forwarded-${name.toLowerCase()}`, 'forged'] as const,
);
const headers = [...forged, ['x-real-ip', 'forged'] as const, ['x-app-header', 'kept'] as const];
const request = { target: '/orders/1?appKey=k', host: 'api.example.com:8443', headers };
const old = 'GET /orders HTTP/1.0\r\n\r\n';

describe('what Envoy does otherwise than Kong', () => {
  const chain = useChain();

  it('is what the page says', async () => {
    assert.equal((await http1(chain.envoy.port, request)).status, 200);
    const { headers: received, authority } = assertOne(chain.backend.requests);
    assert.equal(authority, 'api.example.com:8443');
    for (const [name, value] of headers) {
      assert.deepEqual(
        received.filter(([each]) => each.toLowerCase() === name),
        [[name, value]],
      );
    }
    assert.equal((await http1Bytes(chain.envoy.port, old)).status, 426);
  });
});

describe('the lines of the page for those who move from Kong', () => {
  const chain = useChain({ edit: addLines });

  it('bring it back', async () => {
    assert.equal((await http1(chain.envoy.port, request)).status, 200);
    const { headers: received, authority } = assertOne(chain.backend.requests);
    assert.equal(authority, 'orders.internal');
    assert.deepEqual(
      [
        'X-Forwarded-Host',
        'X-Forwarded-Prefix',
        'X-Forwarded-Path',
        'X-Real-Ip',
        'X-Forwarded-Port',
        'X-App-Header',
      ].map((name) => received.filter(([each]) => each === name).map(([, value]) => value)),
      [['api.example.com:8443'], ['/orders'], ['/orders/1'], ['127.0.0.1'], [String(chain.envoy.port)], ['kept']],
    );
  });

  it('take HTTP/1.0', async () => {
    assert.equal((await http1Bytes(chain.envoy.port, old)).status, 200);
    assert.equal(assertOne(chain.backend.requests).target, '/orders');
  });
});
