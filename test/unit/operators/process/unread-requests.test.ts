import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/base/clock.ts';
import { createConsole } from '../../../../src/operators/console/console.ts';
import { memoryJobs } from '../../../support/console/memory-job-store.ts';
import { ApiListener } from '../../../../src/operators/process/listener.ts';
import { divideRequests } from '../../../../src/operators/process/routes.ts';
import { MemoryApi } from '../../../support/api/memory-api.ts';
import { fieldValue, type HttpAnswer } from '../../../support/http/http-message.ts';
import { http1, http1Bytes, Http1Connection } from '../../../support/http/http1-client.ts';

describe('requests that the management listener cannot read', () => {
  const memory = new MemoryApi();
  const { answered, defects } = memory;
  let listener: ApiListener;
  let port = 0;
  before(async () => {
    await memory.add('root', 'admin');
    const observer = {
      answered: (request: (typeof answered)[number]) => answered.push(request),
      defect: (error: unknown) => defects.push(error),
      answerLost: (error: unknown) => defects.push(error),
    };
    const pages = createConsole({
      ...{ api: memory.api, clock: systemClock, observer, jobs: memoryJobs(systemClock) },
      findSession: async () => await Promise.resolve(null),
    });
    const fetch = divideRequests({ api: memory.api.fetch, console: pages.fetch });
    listener = new ApiListener({
      ...{ fetch, clock: systemClock, isTrustedAddress: () => false },
      refuse: async (unread) => await memory.api.fetch(new Request('http://unread.invalid/'), { unread }),
    });
    await listener.start({ kind: 'tcp', host: '127.0.0.1', port: 0 }, 0o600);
    const address = listener.address();
    assert.ok(address.kind === 'tcp');
    port = address.port;
  });
  after(async () => {
    await listener[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    answered.length = 0;
    defects.length = 0;
  });

  /** A problem with the headers of every answer, one line for the log, and no defect. */
  function assertRefused({ status, headers, body }: HttpAnswer, what: string): void {
    assert.equal(status, 400, what);
    const problem = JSON.parse(body.toString()) as { readonly code: string; readonly requestId: string };
    assert.equal(problem.code, 'MALFORMED_REQUEST', what);
    assert.equal(fieldValue(headers, 'content-type'), 'application/problem+json', what);
    assert.equal(fieldValue(headers, 'cache-control'), 'no-store', what);
    assert.equal(fieldValue(headers, 'x-content-type-options'), 'nosniff', what);
    assert.equal(fieldValue(headers, 'x-request-id'), problem.requestId, what);
    assert.deepEqual(defects, [], what);
    const [line, ...more] = answered.splice(0);
    assert.deepEqual(more, [], what);
    assert.deepEqual([line?.requestId, line?.status, line?.route], [problem.requestId, 400, null], what);
    assert.match(line?.reason ?? '', /^[a-z]/i, what);
  }

  it('are refused for a Host that is none, none at all, or two', async () => {
    const hosts = ['1.2.3.4.5', 'a.1', '300.1.1.1', 'xn--a', 'a b', 'user:pw@h', '[::1', 'h:99999', 'h:80:80', 'a/b'];
    for (const host of [...hosts, 'a#b', '%zz', '', 'é', 'h:']) {
      for (const target of ['/livez', '/v1/consumers', '/']) {
        assertRefused(await http1(port, { host, target }), `${host} ${target}`);
      }
    }
    assertRefused(await http1(port, { host: null, target: '/livez' }), 'none');
    assertRefused(await http1(port, { host: 'a', target: '/livez', headers: [['Host', 'b']] }), 'two');
    assertRefused(await http1(port, { host: 'a', target: '/livez', headers: [['HOST', 'a']] }), 'the same twice');
    assertRefused(await http1Bytes(port, 'GET /livez HTTP/1.0\r\n\r\n'), 'HTTP/1.0 without one');
  });

  it('are refused for a target that is no address', async () => {
    const targets = ['/\\', '/a\\b', '/a#b', 'http://a.1/', 'http:///', 'http://', 'http://h:99999/', '*'];
    for (const target of [...targets, 'http://u:p@h/v1/consumers', 'http://u@h/livez', 'ftp://h/']) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        assertRefused(await http1(port, { method, target }), `${method} ${target}`);
      }
    }
  });

  it('are refused for bytes that are no request', async () => {
    const lines = ['GET x HTTP/1.1', 'FOO / HTTP/1.1', 'GET /\x80 HTTP/1.1', 'get / HTTP/1.1', 'GET / HTTP/9.9'];
    for (const line of lines) assertRefused(await http1Bytes(port, `${line}\r\nHost: h\r\n\r\n`), line);
    for (const field of ['A\x00: b', 'A b: c', 'A: b\x00', ': c']) {
      assertRefused(await http1Bytes(port, `GET /livez HTTP/1.1\r\nHost: h\r\n${field}\r\n\r\n`), field);
    }
  });

  it('are refused for an expectation that cannot be met', async () => {
    assertRefused(await http1(port, { target: '/livez', headers: [['Expect', 'more']] }), 'Expect');
  });

  it('are told to the log when headers are too large, without a body', async () => {
    const large = await http1(port, { target: '/livez', headers: [['X-Large', 'x'.repeat(20_000)]] });
    assert.deepEqual([large.status, large.body.length], [431, 0]);
    assert.equal(fieldValue(large.headers, 'cache-control'), 'no-store');
    assert.deepEqual([answered.length, answered[0]?.status], [1, 431]);
  });

  it('are no defect of this program when a body ends early or is malformed', async () => {
    const token = memory.tokenOf('root');
    const head = `POST /v1/consumers HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json`;
    await using early = await Http1Connection.open(port);
    early.write(`${head}\r\nContent-Length: 100\r\n\r\n{"id"`);
    await early[Symbol.asyncDispose]();
    await http1Bytes(port, `${head}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`);
    // Both are answered, or given up, before the next request of the same process is.
    assert.equal((await http1(port, { target: '/livez' })).status, 200);
    assert.deepEqual(defects, []);
  });

  it('are not those with an address in another form', async () => {
    for (const target of ['/livez', 'http://h/livez', 'http://h:80/livez', 'https://h/livez', '/livez?a=b\\c']) {
      assert.equal((await http1(port, { target })).status, 200, target);
    }
    for (const host of ['h', 'H:80', '127.0.0.1:9004', '[::1]:9004', 'a-b.example.']) {
      assert.equal((await http1(port, { host, target: '/livez' })).status, 200, host);
    }
  });
});
