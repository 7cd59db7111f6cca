import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer as createPlainServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { noLabelOwners } from '../../../src/model/label-owners.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { checkMongodb } from '../../../src/stores/mongodb/doctor/check-mongodb.ts';
import { connectMongodb } from '../../../src/stores/mongodb/connect.ts';
import { MongodbUnavailable, withFaults } from '../../../src/stores/mongodb/faults.ts';
import { type Certified, makeCertificate } from '../../support/grpc/certificate.ts';
import { testKeyRing } from '../../support/keyring/test-key-ring.ts';
import { adminCommand, withClient } from '../../support/mongodb/command.ts';
import { type Mongod, startMongod } from '../../support/mongodb/mongod.ts';
import { root } from '../../support/mongodb/security.ts';
import { poll } from '../../support/time/poll.ts';
import { release } from '../../support/lifetime/release.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { startTestGateway } from './gateway-under-test.ts';

const authority = makeCertificate('authority');
const nextAuthority = makeCertificate('next authority');
const server = makeCertificate('localhost', authority);
const postern = makeCertificate('postern', authority);
const bothInOne = ({ cert, key }: Certified): string => cert + key;

describe('MongoDB over TLS', () => {
  let directory: TemporaryDirectory;
  const path = (name: string): string => join(directory.path, name);
  const tls = (port: number, more: Readonly<Record<string, string>> = {}): string => {
    const options = new URLSearchParams({ tls: 'true', tlsCAFile: path('ca.pem'), ...more });
    return `mongodb://127.0.0.1:${String(port)}/postern?${String(options)}`;
  };
  const writeOwn = async (): Promise<void> => {
    await writeFile(path('ca.pem'), authority.cert);
    await writeFile(path('postern.pem'), bothInOne(postern));
  };
  before(async () => {
    directory = await temporaryDirectory();
    await writeOwn();
  });
  beforeEach(writeOwn);
  after(() => release(directory));

  describe('that cannot be had', () => {
    const peers: Server[] = [];
    const sockets = new Set<Socket>();
    after(() => {
      for (const socket of sockets) socket.destroy();
      for (const peer of peers) peer.close();
    });

    /** Something that listens where MongoDB should; it gets no further than its TLS handshake. */
    async function listen(listener: Server): Promise<number> {
      peers.push(listener);
      listener.on('connection', (socket: Socket) => {
        sockets.add(socket);
        socket.on('error', () => undefined); // clients end in the middle
      });
      await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
      return (listener.address() as AddressInfo).port;
    }

    const serve = ({ cert, key }: Certified): Server => createTlsServer({ cert, key });
    const cases: Readonly<
      Record<string, { readonly peer: () => Server; readonly code: string; readonly told: string }>
    > = {
      'has a certificate of another authority': {
        peer: () => serve(makeCertificate('localhost', nextAuthority)),
        code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
        told: 'its certificate was signed by none of the authorities that are trusted here',
      },
      'signed its certificate itself': {
        peer: () => serve(makeCertificate('localhost')),
        code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
        told: 'its certificate was signed by none of the authorities that are trusted here',
      },
      'has an expired certificate': {
        peer: () => serve(makeCertificate('localhost', authority, { notAfter: new Date('2021-01-01') })),
        code: 'CERT_HAS_EXPIRED',
        told: 'its certificate, or that of an authority above it, has expired',
      },
      'has a certificate for another name': {
        peer: () => serve(makeCertificate('localhost', authority, { names: null })),
        code: 'ERR_TLS_CERT_ALTNAME_INVALID',
        told: 'its certificate is for a different name than the one it is called by',
      },
      'wants a client certificate': {
        peer: () =>
          createTlsServer({
            cert: server.cert,
            key: server.key,
            ca: authority.cert,
            requestCert: true,
            rejectUnauthorized: true,
          }),
        code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
        told: 'it does not accept the client certificate that it was shown, or was shown none',
      },
      'speaks no TLS': {
        peer: () =>
          createPlainServer((socket) => {
            socket.end('not TLS\r\n');
          }),
        code: 'ERR_SSL_WRONG_VERSION_NUMBER',
        told: 'it does not speak TLS on that port',
      },
    };

    const examined = new Map<
      string,
      { readonly port: number; readonly findings: Awaited<ReturnType<typeof examine>> }
    >();
    before(async () => {
      // At once: the doctor waits a second for each.
      const all = Object.entries(cases).map(async ([what, { peer: open }]) => {
        const port = await listen(open());
        const findings = await examine(tls(port).replace('127.0.0.1', 'eve:hunter2@127.0.0.1'));
        examined.set(what, { port, findings });
      });
      await Promise.all(all);
    });

    for (const [what, { code, told }] of Object.entries(cases)) {
      it(`is reported as what it is by the doctor: a server that ${what}`, () => {
        const { port, findings } = examined.get(what) ?? assert.fail('it was not examined');
        const [authorities, finding, ...others] = findings;
        assert.deepEqual(others, []);
        assert.equal(authorities?.message, 'is valid until 2049-12-31T23:59:59Z');
        assert.equal(finding?.level, 'fault');
        const expected = `MongoDB does not answer at 127.0.0.1:${String(port)} (${code}): ${told}. Check tls, `;
        assert.ok(finding.message.startsWith(expected), finding.message);
        assert.doesNotMatch(JSON.stringify(finding), /hunter2/);
      });
    }

    it('is reported at the start, too, and is waited for', async () => {
      const port = await listen(serve(makeCertificate('localhost', authority, { notAfter: new Date('2021-01-01') })));
      await using tested = await startTestGateway(tls(port));
      const line = await tested.line(
        'the database cannot be read; the gRPC and OAuth2 listeners stay closed until it can',
      );
      assert.match(
        String(line['detail']),
        /\(CERT_HAS_EXPIRED\): its certificate, or that of an authority above it, has/,
      );
      assert.equal((await tested.admin('/readyz')).status, 503);
    });

    for (const [what, write, told] of [
      [
        'that is not there',
        () => Promise.resolve({ tlsCAFile: '/nowhere/ca.pem' }),
        /^the file \/nowhere\/ca\.pem, .*ENOENT/,
      ],
      ['that is a folder', () => Promise.resolve({ tlsCAFile: directory.path }), /is a folder \(EISDIR\)$/],
      [
        'whose key belongs to another certificate',
        async () => {
          await writeFile(path('mixed.pem'), postern.cert + server.key);
          return { tlsCertificateKeyFile: path('mixed.pem') };
        },
        /mixed\.pem: OpenSSL does not accept what it holds \(ERR_OSSL_X509_KEY_VALUES_MISMATCH\)/,
      ],
    ] as const) {
      it(`says which file it is that cannot be used: one ${what}`, async () => {
        const port = await listen(serve(server));
        const [finding] = await examine(tls(port, await write()));
        assert.equal(finding?.level, 'fault');
        assert.match(finding.message, told);
        assert.equal(finding.advice, 'correct the file, or the option of POSTERN_STORE that names it');
      });
    }

    it('is reported with the client certificate that expires soon', async () => {
      const notAfter = new Date(systemClock.nowMs() + 5.5 * 86_400_000);
      await writeFile(path('postern.pem'), bothInOne(makeCertificate('postern', authority, { notAfter })));
      const port = await listen(serve(server));
      const findings = await examine(tls(port, { tlsCertificateKeyFile: path('postern.pem') }));
      const told = findings.map(({ level, subject, message }) => `${level}: ${subject}: ${message}`).join('\n');
      assert.match(
        told,
        /^warning: tlsCertificateKeyFile of POSTERN_STORE \S+postern\.pem: expires at \S+, in 5 days$/m,
      );
    });

    async function examine(uri: string): ReturnType<typeof checkMongodb> {
      return await checkMongodb(uri, {
        clock: systemClock,
        keyRing: testKeyRing(),
        isDeep: false,
        isFixing: false,
        labelOwners: noLabelOwners,
        timeoutMs: 5000,
      });
    }
  });

  describe('with X.509 certificates for both', () => {
    let mongod: Mongod;
    const x509 = (more: Readonly<Record<string, string>> = {}): string =>
      tls(mongod.port, {
        tlsCertificateKeyFile: path('postern.pem'),
        authMechanism: 'MONGODB-X509',
        authSource: '$external',
        directConnection: 'true',
        ...more,
      });

    beforeEach(async function () {
      this.timeout(60_000);
      await writeFile(path('server-ca.pem'), authority.cert);
      await writeFile(path('server.pem'), bothInOne(server));
      const files = ['--tlsCertificateKeyFile', path('server.pem'), '--tlsCAFile', path('server-ca.pem')];
      mongod = await startMongod(['--auth', '--tlsMode', 'requireTLS', ...files]);
      const own = { tlsCertificateKeyFile: path('postern.pem'), directConnection: 'true' };
      // The first user may be made without one, from the same machine.
      await adminCommand(tls(mongod.port, own), { createUser: root.name, pwd: root.password, roles: ['root'] });
      const login = `${root.name}:${root.password}@127.0.0.1`;
      const asRoot = tls(mongod.port, { ...own, authSource: 'admin' }).replace('127.0.0.1', login);
      const roles = [{ role: 'readWrite', db: 'postern' }];
      await withClient(asRoot, (client) => client.db('$external').command({ createUser: 'CN=postern', roles }));
    });
    afterEach(() => release(mongod));

    it('logs in by the certificate alone, and refuses who shows none or one of another authority', async () => {
      const client = connectMongodb(x509(), 'checks');
      assert.equal(await withFaults(() => client.db().collection('meta').countDocuments()), 0);
      await client.close();
      await writeFile(path('stranger.pem'), bothInOne(makeCertificate('postern', nextAuthority)));
      for (const uri of [
        tls(mongod.port, { directConnection: 'true' }),
        x509({ tlsCertificateKeyFile: path('stranger.pem') }),
      ]) {
        const refused = connectMongodb(uri, 'checks');
        await assert.rejects(
          withFaults(() => refused.db().collection('meta').countDocuments()),
          (error) => error instanceof MongodbUnavailable && error.reason === 'unreachable',
        );
        await refused.close();
      }
    });

    it('takes renewed certificates and authorities with the next connection, without a restart of Postern', async () => {
      const client = connectMongodb(x509(), 'checks');
      const count = async (): Promise<number> => await client.db().collection('meta').countDocuments();
      assert.equal(await count(), 0);
      await writeFile(path('server-ca.pem'), nextAuthority.cert);
      await writeFile(path('server.pem'), bothInOne(makeCertificate('localhost', nextAuthority)));
      await writeFile(path('ca.pem'), nextAuthority.cert);
      await writeFile(path('postern.pem'), bothInOne(makeCertificate('postern', nextAuthority)));
      await mongod.stop();
      await mongod.restart();
      assert.equal(await poll('the client to be back', () => count().catch(() => null)), 0);
      // Half written: connections go on with what was good.
      await writeFile(path('postern.pem'), postern.cert.slice(0, 100));
      await mongod.stop();
      await mongod.restart();
      assert.equal(await poll('the client to be back', () => count().catch(() => null)), 0);
      await client.close();
    });
  });
});
