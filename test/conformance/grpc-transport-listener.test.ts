import assert from 'node:assert/strict';
import { once } from 'node:events';
import { link, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { createGrpcJsTransport } from '../../src/server/grpc-js-transport.ts';
import { createHttp2Transport } from '../../src/server/http2-transport.ts';
import {
  type ListenAddress,
  type TlsIdentity,
  type Transport,
  type TransportOptions,
} from '../../src/server/transport.ts';
import { type Certified, makeCertificate } from '../support/grpc/certificate.ts';
import { RawClient } from '../support/grpc/raw-client.ts';
import { startHarness } from '../support/grpc/transport-harness.ts';

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
          clock: { nowMs: () => 0, nowSeconds: () => 0 },
          observer: { defect: () => undefined, connectionRefused: () => undefined },
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
    });
  });
}

describe('gRPC listener, native, with TLS', () => {
  it('closes on a peer that does not offer h2, and says so', async () => {
    await using harness = await startHarness((options) => createHttp2Transport(options), {
      tls: { key: server.key, cert: server.cert },
    });
    if (harness.address.kind !== 'tcp') assert.fail();
    const socket: TLSSocket = connectTls({ port: harness.address.port, host: '127.0.0.1', ca: authority.cert });
    socket.on('error', () => undefined);
    await once(socket, 'close');
    assert.match(harness.told.refusedConnections[0]?.reason ?? '', /ALPN/);
  });
});

/** Whether a peer with this certificate gets so far that it hears from the HTTP/2 server. */
async function isServed(address: ListenAddress, own: Certified | null): Promise<boolean> {
  const { cert, key } = own ?? {};
  const port = address.kind === 'tcp' ? address.port : 0;
  const socket = connectTls({ port, host: '127.0.0.1', ca: authority.cert, cert, key, ALPNProtocols: ['h2'] });
  socket.on('error', () => undefined); // shows as the close
  socket.write(Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1'));
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
