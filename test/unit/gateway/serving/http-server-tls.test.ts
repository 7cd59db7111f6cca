import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { connect } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import {
  type HttpLimits,
  httpLimits,
  HttpServer,
  type HttpServerPorts,
} from '../../../../src/gateway/serving/http-server.ts';
import { makeCertificate } from '../../../support/grpc/certificate.ts';
import { poll } from '../../../support/time/poll.ts';
import { release } from '../../../support/lifetime/release.ts';

const authority = makeCertificate('authority');
const nextAuthority = makeCertificate('next authority');
const server = makeCertificate('postern', authority);
const renewed = makeCertificate('postern', authority);
const envoy = makeCertificate('envoy', authority);
const nextEnvoy = makeCertificate('envoy', nextAuthority);
const identity = { key: server.key, cert: server.cert };
const mutual = { ...identity, ca: authority.cert };

/** What one request got, and the certificate it was shown. */
interface Outcome {
  readonly status: number;
  readonly connection: string | undefined;
  readonly shown: string;
}

describe('the HTTP listener with TLS', () => {
  const kept: AsyncDisposable[] = [];
  let refused: string[];
  let trusted: boolean[];
  beforeEach(() => {
    refused = [];
    trusted = [];
  });
  afterEach(() => release(...kept.splice(0)));

  async function start(
    tls: HttpServerPorts['tls'],
    limits: HttpLimits = httpLimits,
  ): Promise<{ server: HttpServer; port: number }> {
    const listener = new HttpServer({
      isTrustedAddress: () => false,
      address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
      service: ({ isPeerTrusted }) => {
        trusted.push(isPeerTrusted);
        return Promise.resolve({ status: 200, headers: {}, body: '{}' });
      },
      limits,
      onConnectionRefused: (reason) => refused.push(reason),
      ...(tls === undefined ? {} : { tls }),
    });
    kept.push(listener);
    await listener.start();
    const address = listener.address();
    assert.ok(address.kind === 'tcp');
    return { server: listener, port: address.port };
  }

  async function ask(port: number, options: RequestOptions = {}): Promise<Outcome> {
    return await new Promise((resolve, reject) => {
      const request = httpsRequest(
        { host: '127.0.0.1', port, path: '/oauth2/token', ca: authority.cert, agent: false, ...options },
        (answer) => {
          answer.resume();
          const shown = answer.socket instanceof TLSSocket ? answer.socket.getPeerCertificate().fingerprint256 : '';
          answer.once('end', () => {
            resolve({ status: answer.statusCode ?? 0, connection: answer.headers.connection, shown });
          });
        },
      );
      request.once('error', reject);
      request.end();
    });
  }

  it('serves those that trust its certificate, and shows a renewed one to new connections', async () => {
    const { server: listener, port } = await start(identity);
    const before = await ask(port);
    assert.equal(before.status, 200);
    listener.replaceTls({ key: renewed.key, cert: renewed.cert });
    const after = await ask(port);
    assert.equal(after.status, 200);
    assert.notEqual(after.shown, before.shown);
  });

  it('knows as an Envoy whoever shows a good certificate, and nobody where none is asked for', async () => {
    const { port } = await start(mutual);
    await ask(port, { key: envoy.key, cert: envoy.cert });
    const { port: plain } = await start(identity);
    await ask(plain, { key: envoy.key, cert: envoy.cert });
    assert.deepEqual(trusted, [true, false]);
  });

  it('lets only those pass whose certificate an authority of its file signed, and tells of the others', async () => {
    const { port } = await start(mutual);
    assert.equal((await ask(port, { cert: envoy.cert, key: envoy.key })).status, 200);
    await assert.rejects(ask(port));
    await assert.rejects(ask(port, { cert: nextEnvoy.cert, key: nextEnvoy.key }));
    await poll('both to be told', () => Promise.resolve(refused.length === 2 ? true : null));
    assert.match(refused.join('\n'), /^TLS: peer did not return a certificate\nTLS: .* is not accepted \(UNABLE_TO_/);
  });

  it('lets only clients in whose certificate is for one of the names, also after a renewal', async () => {
    const named = { ...mutual, clientNames: ['envoy.internal'] };
    const { server: listener, port } = await start(named);
    const right = makeCertificate('envoy', authority, { names: ['envoy.internal'] });
    for (const renewal of [false, true]) {
      if (renewal) listener.replaceTls({ ...named, key: renewed.key, cert: renewed.cert });
      assert.equal((await ask(port, { cert: right.cert, key: right.key })).status, 200);
      await assert.rejects(ask(port, { cert: envoy.cert, key: envoy.key }));
    }
    assert.match(refused.join('\n'), /^TLS: .* is for none of the names in POSTERN_TLS_CLIENT_NAMES/);
  });

  it('keeps its identity when the new one is none', async () => {
    const { server: listener, port } = await start(mutual);
    for (const next of [{ ...identity, key: renewed.key }, identity, { ...identity, ca: '' }]) {
      assert.throws(() => {
        listener.replaceTls(next);
      });
    }
    assert.equal((await ask(port, { cert: envoy.cert, key: envoy.key })).status, 200);
    await assert.rejects(ask(port));
    const plain = await start(undefined);
    assert.throws(() => {
      plain.server.replaceTls(identity);
    }, /without TLS/);
  });

  it('ends connections with their next answer when their authority is removed, and keeps them otherwise', async () => {
    const { server: listener, port } = await start(mutual);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const own = { cert: envoy.cert, key: envoy.key, agent };
    assert.equal((await ask(port, own)).connection, 'keep-alive');
    listener.replaceTls({ ...identity, ca: authority.cert + nextAuthority.cert });
    assert.equal((await ask(port, own)).connection, 'keep-alive');
    listener.replaceTls({ ...identity, ca: nextAuthority.cert });
    const last = await ask(port, own);
    assert.deepEqual([last.status, last.connection], [200, 'close']);
    await assert.rejects(ask(port, own));
    assert.equal((await ask(port, { cert: nextEnvoy.cert, key: nextEnvoy.key })).status, 200);
    agent.destroy();
  });

  it('closes without an answer on peers that say nothing, speak plain text, or end before the handshake', async () => {
    const { port } = await start(identity, { ...httpLimits, handshakeTimeoutMs: 50 });
    for (const text of ['', 'GET /oauth2/token HTTP/1.1\r\nhost: a\r\n\r\n', '\x16\x03']) {
      const socket = connect(port, '127.0.0.1');
      let heard = '';
      socket.on('error', () => undefined); // a reset is an end, too
      socket.on('data', (piece: Buffer) => (heard += piece.toString('latin1')));
      socket.write(text);
      await new Promise((resolve) => socket.once('close', resolve));
      assert.doesNotMatch(heard, /HTTP/);
    }
    assert.match(refused.join('\n'), /^TLS: TLS handshake timeout\nTLS: http request\nTLS: TLS handshake timeout$/);
    assert.equal((await ask(port)).status, 200);
  });

  it('offers HTTP/1.1 and nothing else (ALPN)', async () => {
    const { port } = await start(identity);
    const socket = connectTls({ port, host: '127.0.0.1', ca: authority.cert, ALPNProtocols: ['h2', 'http/1.1'] });
    await once(socket, 'secureConnect');
    assert.equal(socket.alpnProtocol, 'http/1.1');
    socket.destroy();
  });
});
