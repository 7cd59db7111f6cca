import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { parseConfig } from '../../../src/gateway/config.ts';
import { type Management, startManagement } from '../../../src/operators/process/management.ts';
import { operatorDefaults, type Operator } from '../../../src/model/operator.ts';
import { createLogger } from '../../../src/gateway/observe/logger.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { openMongoStore, type OpenedMongoStore } from '../../../src/stores/mongodb/open-mongo-store.ts';
import { type Certified, makeCertificate } from '../../support/grpc/certificate.ts';
import { testKeyRing, testKeyRingHolder } from '../../support/keyring/test-key-ring.ts';
import { release } from '../../support/lifetime/release.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { poll } from '../../support/time/poll.ts';
import { mountSecret, type SecretVolume } from '../../support/tls/secret-volume.ts';

describe('client certificates of programs that manage', () => {
  const database = useDatabase();
  const serverAuthority = makeCertificate('servers');
  const authority = makeCertificate('operators');
  const nextAuthority = makeCertificate('operators 2');
  const server = makeCertificate('management', serverAuthority);
  let folder: TemporaryDirectory;
  let volume: SecretVolume;
  let store: OpenedMongoStore;
  let management: Management;
  let port = 0;

  before(async () => {
    await ensureSchema(database.db());
    folder = await temporaryDirectory();
    volume = await mountSecret(join(folder.path, 'tls'), { own: server, ca: authority.cert });
    const parsed = parseConfig({
      ...{ POSTERN_STORE: database.uri(), POSTERN_MANAGE_ADDRESS: '127.0.0.1:0' },
      ...{ POSTERN_MANAGE_TLS_CERTIFICATE: volume.certificate, POSTERN_MANAGE_TLS_KEY: volume.key },
      POSTERN_MANAGE_TLS_CLIENT_CA: volume.ca,
    });
    assert.ok('config' in parsed, JSON.stringify(parsed));
    const open = (): OpenedMongoStore =>
      openMongoStore(database.uri(), { sealer: testKeyRing(), clock: systemClock, onFault: () => assert.fail() });
    store = open();
    const logger = createLogger('error', { write: () => undefined });
    management = await startManagement({
      config: parsed.config,
      clock: systemClock,
      logger,
      store: open(),
      keyRing: testKeyRingHolder(),
    });
    const { address } = management;
    port = address.kind === 'tcp' ? address.port : 0;
    await add('bot', { certificateNames: ['spiffe://example.com/bot', 'bot.example.com', 'bot@example.com'] });
    await add('off', { certificateNames: ['off.example.com'], enabled: false });
    await add('one', { certificateNames: ['one.example.com'] });
    await add('two', { certificateNames: ['two.example.com'] });
  });
  after(async () => {
    await release(management, store, folder);
  });

  async function add(id: string, more: Partial<Operator>): Promise<void> {
    const after = { ...operatorDefaults, id, role: 'viewer', ...more } as const;
    await store.resources.commit([{ kind: 'operator', id, before: null, after }], { actor: 'ada', action: 'test' });
  }

  /** The status and the code of an answer. */
  async function ask(
    client: Certified | null,
    headers: Readonly<Record<string, string>> = {},
    agent: Agent | false = false,
  ): Promise<string> {
    return await new Promise((resolve, reject) => {
      const shown = client === null ? {} : { cert: client.cert, key: client.key };
      const options = { host: '127.0.0.1', servername: 'localhost', port, ca: serverAuthority.cert, agent };
      const asked = request({ ...options, ...shown, path: '/v1/consumers', headers }, (answer) => {
        let text = '';
        answer.on('data', (piece: Buffer) => (text += piece.toString()));
        answer.on('end', () => {
          const { code = '' } = JSON.parse(text) as { code?: string };
          resolve(`${String(answer.statusCode)} ${code}`.trim());
        });
      });
      asked.on('error', reject);
      asked.end();
    });
  }
  const named = (...names: readonly string[]): Certified => makeCertificate('client', authority, { names });

  for (const name of ['spiffe://example.com/bot', 'bot.example.com', 'BOT.Example.com', 'bot@example.com']) {
    it(`let the operator in who has the name ${name}`, async () => {
      assert.equal(await ask(named('other.example.com', name)), '200');
    });
  }

  it('let nobody in by another name, a disabled operator, the names of two, or the common name', async () => {
    const none = [named('x.example.com'), named('off.example.com'), named('one.example.com', 'two.example.com')];
    for (const client of [...none, makeCertificate('bot.example.com', authority, { names: null })]) {
      assert.equal(await ask(client), '401 UNAUTHENTICATED');
    }
    const kinds = makeCertificate('client', authority, { names: ['spiffe://example.com/x, DNS:bot.example.com'] });
    assert.equal(await ask(kinds), '401 UNAUTHENTICATED', 'a name that looks like two');
  });

  it('let nobody in that another authority, or nobody, signed, or whose time is over', async () => {
    const names = ['bot.example.com'];
    const notAfter = new Date('2021-01-01T00:00:00Z');
    const foreign = [
      makeCertificate('client', nextAuthority, { names }),
      makeCertificate('client', undefined, { names }),
    ];
    for (const client of [...foreign, makeCertificate('client', authority, { names, notAfter }), null]) {
      assert.equal(await ask(client), '401 UNAUTHENTICATED');
    }
  });

  it('do not make up for a wrong token', async () => {
    assert.equal(await ask(named('bot.example.com'), { authorization: 'Bearer x' }), '401 UNAUTHENTICATED');
  });

  it('count for no request of a browser, which would show them for other sites too', async () => {
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }] as const) {
      assert.equal(await ask(named('bot.example.com'), { ...headers }), '401 UNAUTHENTICATED');
    }
  });

  it('count no more on a connection that was kept alive when its authority was removed', async () => {
    const client = named('bot.example.com');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      assert.deepEqual([await ask(client, {}, agent), await ask(client, {}, agent)], ['200', '200']);
      const [kept] = Object.values(agent.freeSockets).flat();
      assert.ok(kept !== undefined, 'no connection was kept alive');
      await volume.update({ ca: nextAuthority.cert });
      const next = makeCertificate('client', nextAuthority, { names: ['bot.example.com'] });
      await poll('the next authority', async () => ((await ask(next)) === '200' ? true : null));
      const closed = once(kept, 'close');
      assert.equal(await ask(client, {}, agent), '401 UNAUTHENTICATED');
      await closed;
    } finally {
      agent.destroy();
      await volume.update({ ca: authority.cert });
      await poll('the former authority', async () => ((await ask(client)) === '200' ? true : null));
    }
  });

  it('count by the authorities of now, without a restart', async () => {
    const former = named('bot.example.com');
    const next = makeCertificate('client', nextAuthority, { names: ['bot.example.com'] });
    assert.deepEqual([await ask(former), await ask(next)], ['200', '401 UNAUTHENTICATED']);
    await volume.update({ ca: nextAuthority.cert });
    await poll('the next authority', async () => ((await ask(next)) === '200' ? true : null));
    assert.equal(await ask(former), '401 UNAUTHENTICATED');
  });
});
