import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { createReplicaSource } from '../../../../src/cli/refusals/ask-replica.ts';
import { findAdminAddress } from '../../../../src/cli/store/admin-listener.ts';
import { collectAll } from '../../../../src/resources/changes/resource-store.ts';
import { RefusalMemory } from '../../../../src/check/refusals/refusal-memory.ts';
import { AdminServer } from '../../../../src/gateway/serving/admin-server.ts';
import { StoreUnavailable } from '../../../../src/check/store/credential-source.ts';
import { record } from '../../../support/refusals/refused.ts';

/** An admin listener that remembers these, on this address. */
async function listening(
  memory: RefusalMemory | null,
  host = '127.0.0.1',
): Promise<{ server: AdminServer; port: number }> {
  const server = new AdminServer({
    findUnreadiness: () => null,
    findNotice: () => null,
    collectMetrics: async () => await Promise.resolve({ text: '', contentType: 'text/plain' }),
    selectRefusals: memory === null ? null : (selection) => memory.select(selection),
  });
  await server.start({ kind: 'tcp', host, port: 0 });
  const address = server.address();
  return { server, port: address.kind === 'tcp' ? address.port : 0 };
}

/** Asks with headers that a client of ours does not send. */
async function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  localAddress = '127.0.0.1',
): Promise<{ status: number; text: string }> {
  return await new Promise((resolve, reject) => {
    const asked = httpRequest({ host: '127.0.0.1', port, path, headers, localAddress }, (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => (text += piece.toString('utf8')));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text });
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}

describe('refusals at the admin listener', () => {
  const memory = new RefusalMemory();
  const [first, second] = [record({ consumerId: 'acme', leftOut: 2 }), record({ consumerId: 'other' })];
  memory.add(first);
  memory.add(second);

  it('are what the replica remembers, as a command asks for it', async () => {
    const { server, port } = await listening(memory);
    await using owned = server;
    assert.ok(owned);
    const source = createReplicaSource({ kind: 'tcp', host: '0.0.0.0', port }, 5000);
    assert.deepEqual(await collectAll(source.find({ limit: 10 }).records), [second, first]);
    const stray = record({ consumerId: null, credentialId: null, endpointId: null, leftOut: 5 });
    const remembering = new RefusalMemory();
    for (const each of [first, stray, second]) remembering.add(each);
    const { server: another, port: at } = await listening(remembering);
    await using closed = another;
    assert.ok(closed);
    const mixed = createReplicaSource({ kind: 'tcp', host: '127.0.0.1', port: at }, 5000);
    const unmatched = mixed.find({ limit: 10, isUnmatched: true });
    assert.deepEqual([await collectAll(unmatched.records), await unmatched.countLeftOut()], [[stray], 5]);
    assert.deepEqual(await collectAll(mixed.find({ limit: 10 }).records), [second, first]);
    const ofAcme = source.find({ limit: 10, consumerId: 'acme' });
    assert.deepEqual(await collectAll(ofAcme.records), [first]);
    assert.equal(await ofAcme.countLeftOut(), 2);
  });

  const strangers: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
    ['through a proxy', { 'x-forwarded-for': '192.0.2.1' }, /neither through a proxy nor to a browser/],
    ['through Envoy', { 'x-envoy-internal': 'true' }, /neither through a proxy nor to a browser/],
    ['by a page of a browser', { 'sec-fetch-site': 'cross-site' }, /neither through a proxy nor to a browser/],
    ['by a name that somebody gave this address', { host: 'evil.example:9003' }, /by an address or by "localhost"/],
  ];
  for (const [who, headers, why] of strangers) {
    it(`are not shown when asked for ${who}`, async () => {
      const { server, port } = await listening(memory);
      await using owned = server;
      assert.ok(owned);
      const { status, text } = await ask(port, '/refusals', headers);
      assert.equal(status, 403);
      assert.match(text, why);
      assert.equal((await ask(port, '/livez', headers)).status, 200);
    });
  }

  it('are shown to no other address, such as that of a sidecar', async () => {
    const { server, port } = await listening(memory, '0.0.0.0');
    await using owned = server;
    assert.ok(owned);
    const { status, text } = await ask(port, '/refusals', {}, '127.0.0.6');
    assert.deepEqual([status, text], [403, 'refusals are shown to programs of this machine only: ask from there\n']);
    assert.equal((await ask(port, '/refusals', { host: 'localhost' })).status, 200);
  });

  it('are not there where the process does not keep them', async () => {
    const { server, port } = await listening(null);
    await using owned = server;
    assert.ok(owned);
    assert.equal((await ask(port, '/refusals')).status, 404);
    const source = createReplicaSource({ kind: 'tcp', host: '127.0.0.1', port }, 5000);
    await assert.rejects(
      source.find({ limit: 1 }).countLeftOut(),
      /answered 404: this process keeps no refusals itself/,
    );
  });

  it('take whole numbers only', async () => {
    const { server, port } = await listening(memory);
    await using owned = server;
    assert.ok(owned);
    assert.equal((await ask(port, '/refusals?limit=-1')).status, 400);
    assert.equal((await ask(port, '/refusals?sinceMs=yesterday')).status, 400);
  });

  it('cannot be asked for where nothing listens, and the command may try again', async () => {
    const { server, port } = await listening(memory);
    await server[Symbol.asyncDispose]();
    const source = createReplicaSource({ kind: 'tcp', host: '127.0.0.1', port }, 5000);
    await assert.rejects(collectAll(source.find({ limit: 1 }).records), (error) => {
      assert.ok(error instanceof StoreUnavailable);
      assert.match(error.message, /^http:\/\/127\.0\.0\.1:\d+ does not answer: /);
      return true;
    });
  });

  it('are asked for where the flag says, else where the setting does', () => {
    assert.deepEqual(findAdminAddress('http://localhost:9003/', {}), { kind: 'tcp', host: 'localhost', port: 9003 });
    const environment = { POSTERN_ADMIN_ADDRESS: 'unix:/run/admin.sock' };
    assert.deepEqual(findAdminAddress(undefined, environment), { kind: 'unix', path: '/run/admin.sock' });
    assert.throws(() => findAdminAddress('https://example.com', {}), /^UsageError: --admin: must be like http:\/\/127/);
  });
});
