import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { systemClock } from '../../../src/base/clock.ts';
import { parseConfig } from '../../../src/gateway/config.ts';
import { startManagement } from '../../../src/operators/process/management.ts';
import { createLogger } from '../../../src/gateway/observe/logger.ts';
import { openMongoStore } from '../../../src/stores/mongodb/open-mongo-store.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { http1, Http1Connection, http1Bytes } from '../../support/http/http1-client.ts';
import { testKeyRing, testKeyRingHolder } from '../../support/keyring/test-key-ring.ts';
import { type Answer, useManagement } from '../../support/management/use-management.ts';

const KIB = 1024;
const problemCode = (body: Buffer): unknown => (JSON.parse(body.toString()) as { readonly code?: unknown }).code;

describe('the management API against peers that mean harm', () => {
  const management = useManagement();
  const { ask, port } = management;
  let token = '';
  before(async () => {
    token = await management.newOperator('root', '--role admin');
    await management.run('consumer create acme --label team=orders');
  });
  const authorization = (): readonly [string, string] => ['Authorization', `Bearer ${token}`];

  it('keeps every answer out of caches, frames and guesses of its type, and does not say what it runs on', async () => {
    const answers: readonly Answer[] = await Promise.all([
      ask('GET', '/v1/consumers', { token }),
      ask('GET', '/v1/consumers/acme', { token }),
      ask('GET', '/v1/consumers/nobody', { token }),
      ask('GET', '/v1/consumers'),
      ask('POST', '/v1/consumers', { token, body: '{' }),
      ask('PATCH', '/v1/consumers/acme', { token, body: {} }),
      ask('GET', '/openapi.json'),
      ask('GET', '/livez'),
      ask('GET', '/v1/nothing-there', { token }),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 404, 401, 400, 428, 200, 200, 404],
    );
    for (const { status, headers } of answers) {
      assert.equal(headers.get('cache-control'), 'no-store', String(status));
      assert.equal(headers.get('x-content-type-options'), 'nosniff', String(status));
      assert.equal(headers.get('x-frame-options'), 'DENY', String(status));
      assert.equal(headers.get('referrer-policy'), 'no-referrer', String(status));
      for (const name of ['server', 'x-powered-by']) assert.equal(headers.get(name), null, name);
    }
  });

  it('gives no page of another origin leave to read or to send', async () => {
    const origin = { origin: 'https://evil.example' };
    const preflight = await ask('OPTIONS', '/v1/consumers', {
      headers: {
        ...origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    });
    const read = await ask('GET', '/v1/consumers', { token, headers: origin });
    for (const { headers } of [preflight, read]) {
      const allowing = [...headers.keys()].filter((name) => name.startsWith('access-control-'));
      assert.deepEqual(allowing, []);
    }
    assert.ok(preflight.status >= 400, String(preflight.status));
  });

  it('takes the method of the request line, and no other that a header or the query names', async () => {
    for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override']) {
      const sent = { token, body: {}, headers: { [name]: 'DELETE', 'if-match': '*' } };
      await ask('POST', '/v1/consumers/acme', sent);
      await ask('GET', '/v1/consumers/acme', { token, headers: { [name]: 'DELETE', 'if-match': '*' } });
    }
    await ask('POST', '/v1/consumers/acme?_method=DELETE', { token, body: {}, headers: { 'if-match': '*' } });
    assert.equal((await ask('GET', '/v1/consumers/acme', { token })).status, 200);
  });

  it('takes a token from the header Authorization only', async () => {
    const others = [`?access_token=${token}`, `?token=${token}`, `?authorization=Bearer%20${token}`];
    for (const query of others) assert.equal((await ask('GET', `/v1/consumers${query}`)).status, 401, query);
    for (const headers of [{ cookie: `token=${token}` }, { 'x-api-key': token }, { authorization: `Basic ${token}` }]) {
      assert.equal((await ask('GET', '/v1/consumers', { headers })).body['code'], 'UNAUTHENTICATED');
    }
  });

  it('opens no way around the token by another spelling of a path', async () => {
    const targets = [
      ...['/v1', '/v1/', '/v1/consumers/', '//v1/consumers', '/v1//consumers', '/V1/consumers', '/v1/consumers;a=b'],
      ...['/v1/%63onsumers', '/%76%31/consumers', '/v1%2fconsumers', '/v1%5cconsumers', '/v1\\consumers'],
      ...['/livez/../v1/consumers', '/livez/%2e%2e/v1/consumers', '/./v1/consumers', '/openapi.json/../v1/consumers'],
      ...['/v1/consumers?x=/livez', '/v1/consumers#/livez', '/v1/consumers%00', '/v1/consumers%0d%0aX-A:b'],
      ...['http://127.0.0.1/v1/consumers', 'http://evil.example/v1/consumers', '*', '/v1/operators', '/v1/consumers%'],
    ];
    for (const target of targets) {
      const { status, headers, body } = await http1(port(), { target, host: '127.0.0.1' });
      // What is not the API's is the console's, which asks for a sign-in.
      assert.ok([303, 400, 401, 404].includes(status), `${target}: ${String(status)}`);
      if (status === 303) assert.match(fieldValue(headers, 'location') ?? '', /^\/sign-in(?:\?|$)/, target);
      assert.ok(!body.includes('acme'), target);
    }
  });

  it('finds a route by one spelling of its path only', async () => {
    const headers = [authorization()];
    for (const target of ['/v1/consumers/', '/v1//consumers', '/v1/consumers%00']) {
      const { status, body } = await http1(port(), { target, headers });
      assert.deepEqual([status, problemCode(body)], [404, 'NOT_FOUND'], target);
    }
    // Those are pages to the console, which takes no token.
    for (const target of ['//v1/consumers', '/V1/consumers']) {
      const { status, headers: sent, body } = await http1(port(), { target, headers });
      assert.deepEqual([status, body.toString()], [303, ''], target);
      assert.match(fieldValue(sent, 'location') ?? '', /^\/sign-in(?:\?|$)/, target);
    }
  });

  it('refuses methods that a path does not take, and names those that it does', async () => {
    for (const method of ['TRACE', 'OPTIONS', 'PURGE', 'LOCK']) {
      const sent = { method, target: '/v1/consumers/acme', headers: [authorization()] };
      const { status, headers, body } = await http1(port(), sent);
      assert.deepEqual([status, problemCode(body)], [405, 'METHOD_NOT_ALLOWED'], method);
      assert.equal(fieldValue(headers, 'allow'), 'DELETE, GET, HEAD, PATCH', method);
      assert.ok(!body.includes(token), method);
      const { status: without } = await http1(port(), { method, target: '/v1/consumers/acme' });
      assert.equal(without, 401, method);
    }
  });

  it('refuses ids that are none, whatever they would mean to a database, a file system or a shell', async () => {
    const ids = [
      ...['..%2f..%2fetc%2fpasswd', '%2e%2e', '$ne', '%7b%22$gt%22:%22%22%7d', '__proto__', 'constructor', 'a%00b'],
      ...['%3Cscript%3E', '%27%20or%201=1', 'acme%0a', 'acme%20', '%F0%9F%98%80', 'a'.repeat(200), '-rf'],
    ];
    for (const id of ids) {
      const { status, body } = await ask('GET', `/v1/consumers/${id}`, { token });
      assert.ok(
        (status === 400 && body['code'] === 'MALFORMED_REQUEST') || (status === 404 && body['code'] === 'NOT_FOUND'),
        `${id}: ${String(status)} ${String(body['code'])}`,
      );
    }
  });

  it('takes only the fields that a resource has: none that it keeps itself, and none of JavaScript', async () => {
    const extra: readonly Readonly<Record<string, unknown>>[] = [
      { revision: 1 },
      { createdAt: '2026-01-01T00:00:00Z' },
      { updatedAt: '2026-01-01T00:00:00Z' },
      { _id: 'acme' },
      { role: 'admin' },
      { credentials: [] },
      { constructor: { prototype: { role: 'admin' } } },
      { 'labels.$set': 'x' },
      { 'labels.team': 'payments' },
    ];
    for (const fields of extra) {
      const { status, body } = await ask('POST', '/v1/consumers', { token, body: { id: 'mass', ...fields } });
      assert.deepEqual([status, body['code']], [422, 'INVALID_RESOURCE'], JSON.stringify(fields));
      const headers = { 'if-match': '*' };
      const patched = await ask('PATCH', '/v1/consumers/acme', { token, body: fields, headers });
      assert.deepEqual([patched.status, patched.body['code']], [422, 'INVALID_RESOURCE'], JSON.stringify(fields));
    }
    assert.equal((await ask('GET', '/v1/consumers/mass', { token })).body['code'], 'NOT_FOUND');
    const body = '{"id":"mass","__proto__":{"enabled":false,"role":"admin"}}';
    const { status, body: refused } = await ask('POST', '/v1/consumers', { token, body });
    assert.deepEqual([status, refused['code']], [422, 'INVALID_RESOURCE']);
    assert.equal((await ask('GET', '/v1/consumers/mass', { token })).body['code'], 'NOT_FOUND');
    assert.equal(({} as Record<string, unknown>)['role'], undefined);
  });

  it('gives stored markup back as JSON that no browser takes for a page', async () => {
    const name = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>';
    const made = await ask('POST', '/v1/consumers', { token, body: { id: 'markup', name } });
    assert.equal(made.status, 201);
    const shown = await ask('GET', '/v1/consumers/markup', { token });
    assert.equal(shown.body['name'], name);
    assert.match(shown.headers.get('content-type') ?? '', /^application\/json/);
    const missing = await ask('GET', '/v1/%3Cscript%3Ealert(1)%3C/script%3E', { token });
    assert.equal(missing.headers.get('content-type'), 'application/problem+json');
    assert.ok(!missing.text.includes('<script>'));
  });

  it('refuses a body that is too large before it was sent whole, with a length and in chunks', async () => {
    const tooLarge = 256 * KIB + 1;
    const type: readonly [string, string] = ['Content-Type', 'application/json'];
    const head = ['POST /v1/consumers HTTP/1.1', 'Host: 127.0.0.1', authorization().join(': '), type.join(': ')];
    await using announced = await Http1Connection.open(port());
    announced.write(`${[...head, `Content-Length: ${String(tooLarge)}`].join('\r\n')}\r\n\r\n{`);
    const { status, body } = await announced.answer('POST');
    assert.deepEqual([status, problemCode(body)], [413, 'BODY_TOO_LARGE']);

    await using chunked = await Http1Connection.open(port());
    chunked.write(`${[...head, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n`);
    const chunk = 'x'.repeat(16 * KIB);
    for (let sent = 0; sent < tooLarge; sent += chunk.length) chunked.write(`4000\r\n${chunk}\r\n`);
    const endless = await chunked.answer('POST');
    assert.deepEqual([endless.status, problemCode(endless.body)], [413, 'BODY_TOO_LARGE']);
  });

  it('refuses headers that are too large, or too many', async () => {
    const large = await http1(port(), { target: '/livez', headers: [['X-Large', 'x'.repeat(17 * KIB)]] });
    assert.equal(large.status, 431);
    const many = Array.from({ length: 3000 }, (_, index): [string, string] => [`X-${String(index)}`, 'x']);
    const { status } = await http1(port(), { target: '/livez', headers: many });
    assert.equal(status, 431);
  });

  it('refuses requests whose length two readers would see differently', async () => {
    const both = `POST /v1/consumers HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
    const twice = `POST /v1/consumers HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde`;
    const folded = `GET /livez HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c\r\n\r\n`;
    const hostless = `GET /livez HTTP/1.1\r\n\r\n`;
    for (const bytes of [both, twice, folded, hostless])
      assert.equal((await http1Bytes(port(), bytes)).status, 400, bytes);
  });

  it('serves others while one address holds connections open with slow headers and bodies, and ends those', async () => {
    const parsed = parseConfig({
      ...{ POSTERN_STORE: management.database.uri(), POSTERN_KEYRING: management.ring() },
      POSTERN_MANAGE_ADDRESS: '127.0.0.1:0',
    });
    assert.ok('config' in parsed, JSON.stringify(parsed));
    let log = '';
    await using hurried = await startManagement({
      ...{ config: parsed.config, clock: systemClock },
      logger: createLogger('info', { write: (line: string) => (log += line) }),
      store: openMongoStore(management.database.uri(), {
        ...{ sealer: testKeyRing(), clock: systemClock, onFault: () => assert.fail() },
      }),
      keyRing: testKeyRingHolder(),
      times: { headersTimeout: 500, requestTimeout: 1500, connectionsCheckingInterval: 100 },
    });
    const { address } = hurried;
    assert.ok(address.kind === 'tcp');
    const askHurried = async (): Promise<number> => {
      const url = `http://127.0.0.1:${String(address.port)}/v1/consumers/acme`;
      return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status;
    };
    const connectionsOfAddress = 300; // the listener keeps 256 of one address
    const head = `POST /v1/consumers HTTP/1.1\r\nHost: x\r\n${authorization().join(': ')}\r\n`;
    const body = 'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{';
    const sockets = Array.from({ length: connectionsOfAddress }, (_, index): Socket => {
      const socket = connect({ port: address.port, host: '127.0.0.1', localAddress: '127.0.0.7' });
      socket.on('error', () => undefined); // shows as the close
      socket.once('connect', () => socket.write(index % 2 === 0 ? head : `${head}${body}`));
      socket.resume();
      return socket;
    });
    // A reset is an end, too: once() would reject for the error before the close.
    const closed = sockets.map(
      (socket) =>
        new Promise<void>((resolve) => {
          if (socket.closed) resolve();
          else
            socket.on('close', () => {
              resolve();
            });
        }),
    );
    assert.equal(await askHurried(), 200);
    await Promise.all(closed);
    assert.equal(await askHurried(), 200);
    assert.ok(log.includes('"answered"') && !log.includes(token));
  }).timeout(90_000);

  it('writes no token into its log', () => {
    assert.ok(management.logs().includes('"answered"'));
    assert.ok(!management.logs().includes(token));
    assert.ok(!management.logs().includes(token.split('.')[1] ?? token));
  });
});
