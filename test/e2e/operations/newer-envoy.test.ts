import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { parse } from 'yaml';
import { inspectEnvoyAt } from '../../../src/cli/doctor/envoy/inspect-envoy.ts';
import { unknownLimits } from '../../../src/cli/doctor/own-limits.ts';
import { readDocument, readTable } from '../../support/docs/documents.ts';
import {
  backendRoute,
  bufferLimit,
  httpFilters,
  type JsonObject,
  objectAt,
  routes,
} from '../../support/envoy/envoy-config.ts';
import { http1 } from '../../support/http/http1-client.ts';
import { http2 } from '../../support/http/http2-client.ts';
import { jsonBody } from '../../support/http/http-message.ts';
import { useChain } from '../../support/stack/chain.ts';

/** The lines of docs/envoy.md, by where they belong. */
const lines = new Map(
  readTable(readDocument('docs/envoy.md'), 'Line').map(([line = '', , where = '']) => [
    where,
    parse(line.slice(1, -1)),
  ]),
);
const FILTER_CONFIG = 'type.googleapis.com/envoy.config.route.v3.FilterConfig';

function addOptions(config: JsonObject): void {
  const [filter] = lines.get('first of `http_filters`') as [JsonObject];
  assert.equal(objectAt(filter, 'typed_config')['max_request_bytes'], bufferLimit(config, 'envoy.filters.http.buffer'));
  httpFilters(config).unshift(filter);
  const { allow_paths: paths } = lines.get('`admin`') as { readonly allow_paths: readonly JsonObject[] };
  // The tests ask there for the port.
  objectAt(config, 'admin')['allow_paths'] = [...paths, { prefix: '/listeners' }];
  routes(config).unshift({
    ...backendRoute(config),
    match: { path: '/large' },
    typed_per_filter_config: {
      'postern.body-size': { '@type': FILTER_CONFIG, disabled: true },
      'envoy.filters.http.buffer': {
        '@type': 'type.googleapis.com/envoy.extensions.filters.http.buffer.v3.BufferPerRoute',
        buffer: { max_request_bytes: 10_487_000 },
      },
    },
  });
}

describe('the options of newer Envoys', () => {
  const chain = useChain({ edit: addOptions });
  const limit = 10_486_784;

  it('refuse a long body at its headers, before a byte of it is sent', async () => {
    const socket = connect(chain.envoy.port, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: ${String(limit + 1)}\r\n\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    assert.match(answer.toString(), /^HTTP\/1\.1 413 [\s\S]*"code":"BODY_TOO_LARGE"/);
    assert.equal(chain.check.checks.length, 0);
  });

  it('refuse a body without a length that becomes too long, and take one of the limit', async () => {
    const piece = Buffer.alloc(1024 * 1024);
    const frames = [...Array<Buffer>(10).fill(piece), Buffer.alloc(limit + 1 - 10 * piece.length)];
    const answer = await http2(chain.envoy.port, { method: 'POST', frames, contentLength: false });
    assert.deepEqual([answer.status, (jsonBody(answer) as { code: string }).code], [413, 'BODY_TOO_LARGE']);
    assert.equal(chain.check.checks.length, 0);
    assert.equal((await http1(chain.envoy.port, { method: 'POST', body: Buffer.alloc(limit) })).status, 200);
  });

  it('can be off on a route', async () => {
    const body = Buffer.alloc(limit + 1);
    assert.equal((await http1(chain.envoy.port, { method: 'POST', target: '/large', body })).status, 200);
  });

  it('let the admin interface show what doctor and Prometheus read, and change nothing', async () => {
    const admin = `http://127.0.0.1:${String(chain.envoy.adminPort)}`;
    for (const path of ['/ready', '/stats/prometheus', '/config_dump?include_eds']) {
      assert.equal((await fetch(admin + path)).status, 200, path);
    }
    for (const path of ['/quitquitquit', '/healthcheck/fail', '/logging?level=trace', '/reset_counters']) {
      assert.equal((await fetch(admin + path, { method: 'POST' })).status, 403, path);
    }
    await http1(chain.envoy.port);
    const findings = await inspectEnvoyAt(new URL(admin), { own: unknownLimits, endpoints: null });
    assert.deepEqual(
      findings.filter(({ level }) => level !== 'ok').map(({ message }) => message),
      [],
    );
  });
});
