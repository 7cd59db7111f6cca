import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type OAuth2Answer, type OAuth2Request } from '../../../../src/gateway/oauth2/messages.ts';
import { type HttpLimits, httpLimits, HttpServer } from '../../../../src/gateway/serving/http-server.ts';
import { poll } from '../../../support/time/poll.ts';
import { release } from '../../../support/lifetime/release.ts';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';

interface RunningServer {
  readonly server: HttpServer;
  readonly port: number;
  readonly requests: OAuth2Request[];
}

const ok: OAuth2Answer = {
  status: 200,
  headers: { 'content-type': 'application/json', 'x-test': 'yes' },
  body: '{"a":1}',
};

describe('the HTTP listener', () => {
  const kept: AsyncDisposable[] = [];
  afterEach(async () => {
    await release(...kept.splice(0));
  });

  async function start(
    limits: Partial<HttpLimits> = {},
    answer: (request: OAuth2Request) => OAuth2Answer | Promise<OAuth2Answer> = () => ok,
  ): Promise<RunningServer> {
    const requests: OAuth2Request[] = [];
    const server = new HttpServer({
      isTrustedAddress: () => false,
      address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
      limits: { ...httpLimits, checkIntervalMs: 20, ...limits },
      service: async (request) => {
        requests.push(request);
        return await answer(request);
      },
    });
    kept.push(server);
    await server.start();
    const address = server.address();
    assert.ok(address.kind === 'tcp');
    return { server, port: address.port, requests };
  }

  async function open(port: number): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    // A server that has had enough may reset the connection under what is still being written.
    socket.on('error', () => undefined);
    kept.push({
      [Symbol.asyncDispose]: () => {
        socket.destroy();
        return Promise.resolve();
      },
    });
    await once(socket, 'connect');
    return socket;
  }

  /** Everything that comes until the server closes. */
  async function readAll(socket: Socket): Promise<string> {
    let text = '';
    socket.on('data', (piece: string) => (text += piece));
    await once(socket, 'close');
    return text;
  }

  async function exchange(port: number, text: string): Promise<string> {
    const socket = await open(port);
    socket.write(text, 'latin1');
    return await readAll(socket);
  }

  /** Status and error of one answer in the form of RFC 6749, after which the connection is closed. */
  function refusalIn(text: string): string {
    const [head = '', body = ''] = text.split('\r\n\r\n');
    assert.match(head, /\r\nconnection: close/i);
    assert.match(head, /\r\ncontent-type: application\/json/i);
    assert.match(head, /\r\ncache-control: no-store/i);
    assert.match(head, new RegExp(`\\r\\ncontent-length: ${String(body.length)}`, 'i'));
    const { error, error_description } = JSON.parse(body) as Record<string, unknown>;
    assert.equal(typeof error_description, 'string');
    return `${head.split(' ')[1] ?? ''} ${String(error)}`;
  }

  it('hands requests on whole, and answers', async () => {
    const { port, requests } = await start();
    const text = await exchange(
      port,
      'POST /oauth2/token?x HTTP/1.1\r\nHost: a\r\nX-Twice: 1\r\nx-twice: 2\r\nContent-Length: 3\r\nConnection: close\r\n\r\na=\xe9',
    );
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(text, /\r\nx-test: yes\r\n/);
    assert.match(text, /\r\ncontent-length: 7\r\n/);
    assert.ok(text.endsWith('\r\n\r\n{"a":1}'));
    const [request] = requests;
    assert.ok(request);
    assert.deepEqual(
      [request.method, request.target, request.headerValues('x-twice'), request.headerValues('absent')],
      ['POST', '/oauth2/token?x', ['1', '2'], []],
    );
    assert.deepEqual([request.body.toString('latin1'), request.peerAddress], ['a=\xe9', '127.0.0.1']);
  });

  it('keeps connections open, answers chunked bodies, and sends no body for HEAD', async () => {
    const { port, requests } = await start();
    const text = await exchange(
      port,
      'HEAD / HTTP/1.1\r\nHost: a\r\n\r\nPOST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\na=b\r\n0\r\n\r\n',
    );
    assert.equal(text.split('HTTP/1.1 200 OK').length, 3);
    assert.equal(text.split('{"a":1}').length, 2);
    assert.equal(requests[1]?.body.toString(), 'a=b');
  });

  it('takes bodies up to its limit, and no byte more', async () => {
    const { port, requests } = await start({ maxBodyBytes: 10 });
    const post = (length: number): string =>
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${String(length)}\r\nConnection: close\r\n\r\n${'x'.repeat(length)}`;
    assert.match(await exchange(port, post(10)), /^HTTP\/1\.1 200 /);
    assert.equal(refusalIn(await exchange(port, post(11))), '413 invalid_request');
    const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
    const chunked = `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunk('x'.repeat(6))}${chunk('x'.repeat(6))}`;
    assert.equal(refusalIn(await exchange(port, chunked)), '413 invalid_request');
    assert.equal(requests.length, 1);
  });

  for (const [what, text, expected] of [
    ['no HTTP', 'hello\r\n\r\n', '400 invalid_request'],
    ['a control character in a header', 'GET / HTTP/1.1\r\nHost: a\r\nX: \x01\r\n\r\n', '400 invalid_request'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      '400 invalid_request',
    ],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      '400 invalid_request',
    ],
    ['a bad chunk', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', '400 invalid_request'],
    [
      'headers that are too large',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      '431 invalid_request',
    ],
    [
      'an expectation',
      'POST / HTTP/1.1\r\nHost: a\r\nExpect: magic\r\nConnection: close\r\n\r\n',
      '417 invalid_request',
    ],
  ] as const) {
    it(`refuses ${what}: ${expected}`, async () => {
      const { port, requests } = await start();
      assert.equal(refusalIn(await exchange(port, text)), expected);
      assert.equal(requests.length, 0);
    });
  }

  it('serves requests without Host, which say nothing that matters here', async () => {
    const { port } = await start();
    assert.match(await exchange(port, 'GET / HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 OK/);
  });

  it('cuts senders that are slow with headers, with the body, or say nothing', async () => {
    const { port, requests } = await start({ headersTimeoutMs: 60, requestTimeoutMs: 120 });
    assert.equal(refusalIn(await exchange(port, 'POST / HTTP/1.1\r\nHost:')), '408 invalid_request');
    const slowBody = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab';
    assert.equal(refusalIn(await exchange(port, slowBody)), '408 invalid_request');
    await exchange(port, '');
    assert.equal(requests.length, 0);
  });

  it('closes connections that are idle for too long', async () => {
    const { port } = await start({ keepAliveTimeoutMs: 30 });
    assert.match(await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'), /^HTTP\/1\.1 200 OK/);
  });

  it('takes no more connections than its limit while requests of all are worked on', async () => {
    let answer: ((answer: OAuth2Answer) => void) | undefined;
    const { port } = await start(
      { maxConnections: 1, maxOfAddress: 1 },
      () => new Promise((resolve) => (answer = resolve)),
    );
    const first = await open(port);
    first.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await poll('the request', () => Promise.resolve(answer ?? null));
    assert.equal(await readAll(await open(port)), '');
    answer?.(ok);
    assert.match(await readAll(first), /200 OK/);
  });

  it('goes on when a client leaves in the middle of a request', async () => {
    const { port, requests } = await start();
    const socket = await open(port);
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab');
    socket.destroy();
    assert.match(await exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'), /200 OK/);
    assert.equal(requests.length, 1);
  });

  describe('when it drains', () => {
    /** A server whose answers wait until a test lets them go, and a request that waits for one. */
    async function waiting() {
      let letGo = (): void => undefined;
      const gate = new Promise<void>((resolve) => (letGo = resolve));
      let came = (): void => undefined;
      const arrival = new Promise<void>((resolve) => (came = resolve));
      const { server, port } = await start({}, async () => {
        came();
        await gate;
        return ok;
      });
      const socket = await open(port);
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      await arrival;
      return { server, port, letGo, answer: readAll(socket) };
    }

    it('ends requests that run, and closes their connections', async () => {
      const { server, port, letGo, answer } = await waiting();
      const drained = server.drain(10_000);
      const late = connect(port, '127.0.0.1');
      const [error] = (await once(late, 'error')) as [NodeJS.ErrnoException];
      assert.equal(error.code, 'ECONNREFUSED');
      letGo();
      assert.equal(await drained, 0);
      assert.match(await answer, /^HTTP\/1\.1 200 OK\r\n[^]*connection: close/i);
    });

    it('cuts what still runs at the end of the grace period, and counts it', async () => {
      const { server, answer } = await waiting();
      assert.equal(await server.drain(20), 1);
      assert.equal(await answer, '');
    });

    it('waits for nobody who is idle', async () => {
      const { server, port } = await start();
      const socket = await open(port);
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      await once(socket, 'data');
      assert.equal(await server.drain(60_000), 0);
    });
  });

  it('tells Envoy whether requests may be sent here, without asking the service', async () => {
    let isReady = false;
    const server = new HttpServer({
      isTrustedAddress: () => false,
      address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
      isReady: () => isReady,
      service: () => Promise.reject(new Error('nobody should be asked')),
    });
    kept.push(server);
    await server.start();
    const address = server.address();
    assert.ok(address.kind === 'tcp');
    const ask = async (): Promise<string> =>
      await exchange(address.port, 'GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    assert.match(await ask(), /^HTTP\/1\.1 503 [^]*\r\n\r\nnot ready\n$/);
    isReady = true;
    assert.match(await ask(), /^HTTP\/1\.1 200 [^]*\r\n\r\nready\n$/);
  });

  it('says of every request whether it came from an Envoy that is known', async () => {
    const asked: string[] = [];
    const told: boolean[] = [];
    let isTrusted = true;
    const server = new HttpServer({
      isTrustedAddress: (address) => {
        asked.push(address);
        return isTrusted;
      },
      address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
      service: ({ isPeerTrusted }) => {
        told.push(isPeerTrusted);
        return Promise.resolve(ok);
      },
    });
    kept.push(server);
    await server.start();
    const address = server.address();
    assert.ok(address.kind === 'tcp');
    await exchange(address.port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    isTrusted = false;
    await exchange(address.port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    assert.deepEqual(
      [asked, told],
      [
        ['127.0.0.1', '127.0.0.1'],
        [true, false],
      ],
    );
  });

  it('listens on a Unix socket, in place of one that was left behind', async () => {
    const directory = await temporaryDirectory();
    kept.push(directory);
    const path = join(directory.path, 'http.sock');
    const sources: (string | boolean | null)[] = [];
    const server = new HttpServer({
      isTrustedAddress: () => false,
      address: { kind: 'unix', path },
      service: ({ peerAddress, isPeerTrusted }) => {
        sources.push(peerAddress, isPeerTrusted);
        return Promise.resolve(ok);
      },
    });
    kept.push(server);
    await server.start();
    assert.deepEqual(server.address(), { kind: 'unix', path });
    const socket = connect(path).setEncoding('latin1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    assert.match(await readAll(socket), /200 OK/);
    assert.deepEqual(sources, [null, true]);
  });
});
