import assert from 'node:assert/strict';
import { once } from 'node:events';
import { link, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { createGrpcJsTransport } from '../../src/wire/server/grpc-js-transport.ts';
import { createHttp2Transport } from '../../src/wire/server/http2-transport.ts';
import type { TlsIdentity, Transport, TransportOptions } from '../../src/wire/server/transport.ts';
import type { ListenAddress } from '../../src/base/net/listen-address.ts';
import { type Certified, makeCertificate } from '../support/grpc/certificate.ts';
import { RawClient } from '../support/grpc/raw-client.ts';
import { poll } from '../support/time/poll.ts';
import { type Harness, startHarness } from '../support/grpc/transport-harness.ts';

const NOTHING = Buffer.alloc(0);
const implementations: readonly (readonly [string, (options: TransportOptions) => Transport])[] = [
  ['native', (options) => createHttp2Transport(options)],
  ['grpc-js', createGrpcJsTransport],
];

const authority = makeCertificate('Test CA');
const server = makeCertificate('localhost', authority);
const renewed = makeCertificate('localhost', authority);
const client = makeCertificate('client', authority);
const stranger = makeCertificate('stranger');
const nextAuthority = makeCertificate('Next test CA');
const nextClient = makeCertificate('client', nextAuthority);
const expired = makeCertificate('client', authority, { notAfter: new Date('2021-01-01') });
const early = makeCertificate('client', authority, { notBefore: new Date('2048-01-01') });

for (const [name, create] of implementations) {
  describe(`gRPC listener, ${name}`, () => {
    describe('on TCP', () => {
      it('rejects the start on an address in use, with the reason', async () => {
        await using first = await startHarness(create);
        await assert.rejects(startHarness(create, { address: first.address }), /EADDRINUSE/);
      });

      it('listens on IPv6', async () => {
        await using harness = await startHarness(create, { address: { kind: 'tcp', host: '::1', port: 0 } });
        assert.ok(harness.address.kind === 'tcp' && harness.address.host === '::1' && harness.address.port > 0);
      });

      it('has no address before it is started', () => {
        const transport = create({
          address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
          methods: new Map(),
          clock: { nowMs: () => 0, nowSeconds: () => 0, elapsedMs: () => 0 },
          observer: { defect: () => undefined, connectionRefused: () => undefined, memoryRefused: () => undefined },
        });
        assert.throws(() => transport.address(), /not been started/);
      });
    });

    describe('on a unix socket', () => {
      let directory: string;
      let address: ListenAddress & { readonly kind: 'unix' };
      beforeEach(async () => {
        directory = await mkdtemp(join(tmpdir(), 'postern-'));
        address = { kind: 'unix', path: join(directory, 'grpc.sock') };
      });
      afterEach(async () => {
        await rm(directory, { recursive: true });
      });

      it('serves, and leaves no file behind', async () => {
        const harness = await startHarness(create, { address });
        const raw = await RawClient.connect(harness.address);
        assert.equal((await raw.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
        await raw[Symbol.asyncDispose]();
        await harness.transport.drain(1000);
        await assert.rejects(stat(address.path), { code: 'ENOENT' });
      });

      it('lets those connect whom the permissions of the file name', async () => {
        for (const unixSocketMode of [0o600, 0o660]) {
          await using harness = await startHarness(create, { address, unixSocketMode });
          assert.equal((await stat(address.path)).mode & 0o777, unixSocketMode);
          await using raw = await RawClient.connect(harness.address);
          assert.equal((await raw.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
        }
      });

      it('takes the place of a file that a killed process left', async () => {
        await leaveStaleSocket(address.path);
        assert.ok((await stat(address.path)).isSocket());
        await using harness = await startHarness(create, { address });
        await using raw = await RawClient.connect(harness.address);
        assert.equal((await raw.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
      });

      it('does not take a socket that somebody serves', async () => {
        await using harness = await startHarness(create, { address });
        await assert.rejects(startHarness(create, { address }), /in use by another process/);
        await using raw = await RawClient.connect(harness.address);
        assert.equal((await raw.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
      });

      it('does not remove a file that is no socket', async () => {
        await writeFile(address.path, 'precious');
        await assert.rejects(startHarness(create, { address }), /is not a socket/);
        assert.ok((await stat(address.path)).isFile());
      });
    });

    describe('with TLS', () => {
      const identity: TlsIdentity = { key: server.key, cert: server.cert };
      const mutual: TlsIdentity = { ...identity, ca: authority.cert };
      const trust = { ca: authority.cert };

      it('serves those that trust its certificate', async () => {
        await using harness = await startHarness(create, { tls: identity });
        await using raw = await RawClient.connect(harness.address, trust);
        assert.equal((await raw.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
      });

      it('closes on a peer that speaks plain text', async () => {
        await using harness = await startHarness(create, { tls: identity });
        await assert.rejects(RawClient.connect(harness.address));
      });

      it('lets only those pass whose certificate its CA signed, when it has one', async () => {
        await using harness = await startHarness(create, { tls: mutual });
        await using raw = await RawClient.connect(harness.address, { ...trust, cert: client.cert, key: client.key });
        assert.equal((await raw.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
        assert.equal(await isServed(harness.address, client), true);
        assert.equal(await isServed(harness.address, null), false);
        assert.equal(await isServed(harness.address, stranger), false);
        assert.equal(await isServed(harness.address, expired), false);
        assert.equal(await isServed(harness.address, early), false);
      });

      it('speaks TLS 1.2 and 1.3, with forward secrecy and authenticated encryption only', async () => {
        await using harness = await startHarness(create, { tls: identity });
        const speaks = async (options: ConnectionOptions): Promise<boolean> => {
          const socket = connectTo(harness, { ALPNProtocols: ['h2'], ...options });
          const outcome = await handshake(socket);
          socket.destroy();
          return outcome === 'done';
        };
        assert.equal(await speaks({ minVersion: 'TLSv1.3' }), true);
        const tls12: ConnectionOptions = { maxVersion: 'TLSv1.2' };
        assert.equal(await speaks({ ...tls12, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' }), true);
        assert.equal(await speaks({ ...tls12, ciphers: 'ECDHE-ECDSA-AES128-SHA256' }), false);
        assert.equal(await speaks({ ...tls12, ciphers: 'ECDHE-ECDSA-AES128-SHA' }), false);
        const old: ConnectionOptions = { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' };
        assert.equal(await speaks({ ...old, maxVersion: 'TLSv1.1' }), false);
        assert.equal(await speaks({ ...old, maxVersion: 'TLSv1' }), false);
        harness.transport.replaceTls({ key: renewed.key, cert: renewed.cert });
        assert.equal(await speaks({ ...tls12, ciphers: 'ECDHE-ECDSA-AES128-SHA256' }), false, 'after a replacement');
      });

      for (const [what, ALPNProtocols] of [
        ['no protocol', undefined],
        ['HTTP/1.1 only', ['http/1.1']],
      ] as const) {
        it(`closes on a peer that offers ${what} (ALPN)`, async () => {
          await using harness = await startHarness(create, { tls: identity });
          const socket = connectTo(harness, ALPNProtocols === undefined ? {} : { ALPNProtocols: [...ALPNProtocols] });
          await closed(socket);
        });
      }

      it('judges every connection anew: no session is taken up again', async () => {
        await using harness = await startHarness(create, { tls: mutual });
        for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
          const options = { cert: client.cert, key: client.key, ALPNProtocols: ['h2'], maxVersion };
          const first = connectTo(harness, options);
          const sessions: Buffer[] = [];
          first.on('session', (session: Buffer) => sessions.push(session));
          first.on('error', () => undefined);
          first.write(preface);
          await once(first, 'data');
          sessions.push(first.getSession() ?? Buffer.alloc(0));
          first.destroy();
          for (const session of sessions.filter(({ length }) => length > 0)) {
            const second = connectTo(harness, { ...options, session });
            assert.equal(await handshake(second), 'done');
            assert.equal(second.isSessionReused(), false, maxVersion);
            second.destroy();
          }
        }
      });

      it('closes on a peer that connects and says nothing', async () => {
        await using harness = await startHarness(create, { tls: identity, handshakeTimeoutMs: 50 });
        await closed(connect(portOf(harness.address), '127.0.0.1'));
      });

      it('shows a new certificate to new connections, and keeps the old ones', async () => {
        await using harness = await startHarness(create, { tls: identity });
        await using before = await RawClient.connect(harness.address, trust);
        harness.transport.replaceTls({ key: renewed.key, cert: renewed.cert });
        await using after = await RawClient.connect(harness.address, trust);
        assert.notDeepEqual(fingerprint(after), fingerprint(before));
        assert.equal((await before.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
        assert.equal((await after.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
      });

      it('keeps its identity when the new one is none', async () => {
        await using harness = await startHarness(create, { tls: identity });
        assert.throws(() => {
          harness.transport.replaceTls({ key: renewed.key, cert: server.cert });
        });
        assert.throws(() => {
          harness.transport.replaceTls({ key: 'no key', cert: 'no certificate' });
        });
        await using raw = await RawClient.connect(harness.address, trust);
        assert.equal((await raw.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
      });

      it('keeps its client authorities when the new ones are none, or cut off as in a file that is half written', async () => {
        await using harness = await startHarness(create, { tls: mutual });
        const bundle = authority.cert + nextAuthority.cert;
        const cuts = ['', '\n', 'no certificate', authority.cert.slice(0, 200), bundle.slice(0, bundle.length - 60)];
        for (const ca of cuts) {
          assert.throws(() => {
            harness.transport.replaceTls({ ...identity, ca });
          }, /holds no certificate|cut off/);
        }
        assert.equal(await isServed(harness.address, client), true);
        assert.equal(await isServed(harness.address, nextClient), false);
      });

      it('takes a further authority, and leaves connections as they are', async () => {
        await using harness = await startHarness(create, { tls: mutual });
        await using raw = await RawClient.connect(harness.address, { ...trust, cert: client.cert, key: client.key });
        const leaving = once(raw.session, 'goaway').then(() => 'goaway');
        harness.transport.replaceTls({ ...identity, ca: authority.cert + nextAuthority.cert });
        assert.equal(await isServed(harness.address, client), true);
        assert.equal(await isServed(harness.address, nextClient), true);
        const call = raw.call('/test.Test/Echo', NOTHING).then(({ grpcStatus: status }) => status);
        assert.equal(await Promise.race([leaving, call]), 0);
      });

      it('sends those away whom an authority vouched for that is removed, when their calls have ended', async () => {
        await using harness = await startHarness(create, {
          tls: { ...identity, ca: authority.cert + nextAuthority.cert },
        });
        await using raw = await RawClient.connect(harness.address, { ...trust, cert: client.cert, key: client.key });
        const answered = raw.call('/test.Test/Hold', NOTHING);
        const held = await harness.nextHeld();
        const [leaving, gone] = [once(raw.session, 'goaway'), once(raw.session, 'close')];
        harness.transport.replaceTls({ ...identity, ca: nextAuthority.cert });
        await leaving;
        held.answer(Buffer.from('done'));
        assert.equal((await answered).grpcStatus, 0);
        await gone;
        assert.equal(await isServed(harness.address, client), false);
        assert.equal(await isServed(harness.address, nextClient), true);
      });

      it('does not stop asking for client certificates, nor begin to, while it runs', async () => {
        await using withCa = await startHarness(create, { tls: mutual });
        await using without = await startHarness(create, { tls: identity });
        await using plain = await startHarness(create);
        assert.throws(() => {
          withCa.transport.replaceTls(identity);
        }, /cannot change/);
        assert.throws(() => {
          without.transport.replaceTls(mutual);
        }, /cannot change/);
        assert.throws(() => {
          plain.transport.replaceTls(identity);
        }, /without TLS/);
      });

      it('lets nobody in whose handshake began before their authority was removed', async () => {
        const identity = { key: server.key, cert: server.cert };
        await using harness = await startHarness(create, {
          tls: { ...identity, ca: authority.cert + nextAuthority.cert },
        });
        // Accepted before the removal, and silent until after it.
        const slow = [connect(portOf(harness.address), '127.0.0.1'), connect(portOf(harness.address), '127.0.0.1')];
        await Promise.all(slow.map((socket) => once(socket, 'connect')));
        assert.equal(await isServed(harness.address, client), true, 'all three were accepted, in turn');
        harness.transport.replaceTls({ ...identity, ca: nextAuthority.cert });
        for (const [index, socket] of slow.entries()) {
          const { cert, key } = index === 0 ? client : nextClient;
          const late = connectTls({ socket, host: '127.0.0.1', ca: authority.cert, cert, key, ALPNProtocols: ['h2'] });
          late.on('data', () => assert.fail('it is served'));
          late.write(preface);
          await closed(late);
        }
        assert.equal(await isServed(harness.address, nextClient), true);
      });

      it('lets only clients in whose certificate is for one of the names, when there are some', async () => {
        const spiffe = 'spiffe://cluster.local/ns/gateways/sa/envoy';
        const tls = { key: server.key, cert: server.cert, ca: authority.cert, clientNames: ['envoy.internal', spiffe] };
        await using harness = await startHarness(create, { tls });
        const named = (names: readonly string[] | null): Certified => makeCertificate('client', authority, { names });
        for (const names of [['envoy.internal'], ['other', 'ENVOY.internal'], [spiffe], ['a', spiffe]]) {
          assert.equal(await isServed(harness.address, named(names)), true, names.join());
        }
        for (const names of [
          null,
          [],
          ['localhost'],
          ['*.internal'],
          [`${spiffe}2`],
          ['a, DNS:envoy.internal'],
          ['a"'],
        ]) {
          assert.equal(await isServed(harness.address, named(names)), false, names?.join());
        }
        const inCommonName = makeCertificate('envoy.internal', authority, { names: null });
        assert.equal(await isServed(harness.address, inCommonName), false);
        assert.match(
          harness.told.refusedConnections.at(-1)?.reason ?? '',
          /none of the names in POSTERN_TLS_CLIENT_NAMES/,
        );
      });

      it('says why the certificate of a peer is not accepted', async () => {
        await using harness = await startHarness(create, {
          tls: { key: server.key, cert: server.cert, ca: authority.cert },
        });
        const reasons = async (own: Certified | null): Promise<string> => {
          harness.told.refusedConnections.length = 0;
          assert.equal(await isServed(harness.address, own), false);
          await poll('the listener to tell', () => Promise.resolve(harness.told.refusedConnections[0] ?? null));
          return harness.told.refusedConnections.map(({ reason }) => reason).join();
        };
        assert.equal(await reasons(expired), 'TLS: the certificate of the peer is not accepted (CERT_HAS_EXPIRED)');
        assert.equal(await reasons(early), 'TLS: the certificate of the peer is not accepted (CERT_NOT_YET_VALID)');
        assert.match(await reasons(stranger), /is not accepted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
        assert.equal(await reasons(null), 'TLS: peer did not return a certificate');
      });

      it('closes on a peer that does not offer h2, and says so', async () => {
        await using harness = await startHarness(create, {
          tls: { key: server.key, cert: server.cert },
        });
        if (harness.address.kind !== 'tcp') assert.fail();
        const socket: TLSSocket = connectTls({ port: harness.address.port, host: '127.0.0.1', ca: authority.cert });
        socket.on('error', () => undefined);
        await once(socket, 'close');
        assert.match(harness.told.refusedConnections[0]?.reason ?? '', /ALPN/);
      });
    });
  });
}

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1');

function portOf(address: ListenAddress): number {
  return address.kind === 'tcp' ? address.port : 0;
}

function connectTo({ address }: Harness, options: ConnectionOptions): TLSSocket {
  return connectTls({ port: portOf(address), host: '127.0.0.1', ca: authority.cert, ...options });
}

/** Resolves when the other side has closed, with an error or without. */
async function closed(socket: Socket): Promise<void> {
  socket.on('error', () => undefined); // shows as the close
  socket.resume();
  await new Promise<void>((resolve) => {
    socket.once('close', () => {
      resolve();
    });
  });
}

async function handshake(socket: TLSSocket): Promise<'done' | 'failed'> {
  return await new Promise((resolve) => {
    socket.once('secureConnect', () => {
      resolve('done');
    });
    socket.once('error', () => {
      resolve('failed');
    });
    socket.once('close', () => {
      resolve('failed');
    });
  });
}

/** Whether a peer with this certificate gets so far that it hears from the HTTP/2 server. */
async function isServed(address: ListenAddress, own: Certified | null): Promise<boolean> {
  const { cert, key } = own ?? {};
  const socket = connectTls({
    port: portOf(address),
    host: '127.0.0.1',
    ca: authority.cert,
    cert,
    key,
    ALPNProtocols: ['h2'],
  });
  socket.on('error', () => undefined); // shows as the close
  socket.write(preface);
  const served = await new Promise<boolean>((resolve) => {
    socket.once('data', () => {
      resolve(true);
    });
    socket.once('close', () => {
      resolve(false);
    });
  });
  socket.destroy();
  return served;
}

function fingerprint(raw: RawClient): string {
  return (raw.session.socket as TLSSocket).getPeerCertificate().fingerprint256;
}

/** A socket file without a listener: what stays of a process that was killed. */
async function leaveStaleSocket(path: string): Promise<void> {
  const listener = createServer();
  listener.listen(path);
  await once(listener, 'listening');
  // A second name keeps the file when the listener removes the first.
  await link(path, `${path}.kept`);
  listener.close();
  await once(listener, 'close');
  await rename(`${path}.kept`, path);
}
