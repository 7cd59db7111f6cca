import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  MAX_DESCRIPTION_CHARACTERS,
  MAX_ENDPOINTS,
  MAX_ENDPOINTS_BYTES,
  MAX_GROUP_GRANTS,
  MAX_GROUP_GRANTS_OF_ENDPOINT,
  MAX_LABEL_CHARACTERS,
  MAX_LABELS,
  MAX_NAME_CHARACTERS,
} from '../../../src/model/bounds.ts';
import { hashAppKey } from '../../../src/model/app-key.ts';
import type { Labels } from '../../../src/model/labels.ts';
import { shownGrantId } from '../../../src/resources/grant.ts';
import {
  writeConsumerDocument,
  writeEndpointDocument,
  writeGrantDocument,
  writeVersion,
} from '../../../src/stores/mongodb/mapping/records.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { messagesOf, RawClient } from '../../support/grpc/raw-client.ts';
import { ringText } from '../../support/keyring/test-key-ring.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { startManagementProcess } from '../../support/management/management-process.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { checkRequest } from '../../support/pipeline/check-request.ts';
import { consumer, groupGrant, keyEndpoint } from '../../support/pipeline/resources.ts';
import { startPostern } from '../../support/stack/postern-process.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

const version = writeVersion({ revision: 1, createdAt: 0, updatedAt: 0 });
/** Two bytes in UTF-8 and in V8's memory. */
const WIDE = '\u0101';

/** Labels at the bound, other ones for each number; `letter` fills them. */
function fullLabels(number: number, letter: string): Labels {
  const entry = (at: number): readonly [string, string] => {
    const name = `${String(at)}-${String(number)}-`;
    return [name.padEnd(MAX_LABEL_CHARACTERS, letter), letter.repeat(MAX_LABEL_CHARACTERS)];
  };
  return Object.fromEntries(Array.from({ length: MAX_LABELS }, (_, at) => entry(at)));
}

function* insertsOf<T>(count: number, make: (at: number) => T): Generator<readonly T[]> {
  for (let start = 0; start < count; start += 1000) {
    yield Array.from({ length: Math.min(1000, count - start) }, (_, index) => make(start + index));
  }
}

describe('a store at its bounds', function () {
  this.timeout(180_000);
  const database = useDatabase();
  const CONSUMERS = 1100;
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
  let settings: Readonly<Record<`POSTERN_${string}`, string>>;
  let token: string;

  async function fill(collection: string, count: number, make: (at: number) => object): Promise<void> {
    for (const documents of insertsOf(count, make)) {
      await database
        .db()
        .collection(collection)
        .insertMany([...documents], { ordered: false });
    }
  }

  before(async () => {
    folder = await temporaryDirectory();
    const keyring = join(folder.path, 'keyring.yaml');
    await writeFile(keyring, ringText(1));
    await chmod(keyring, 0o600);
    settings = { POSTERN_STORE: database.uri(), POSTERN_KEYRING: keyring, POSTERN_ACTOR: 'ada' };
    await ensureSchema(database.db());
    const added = await runCli(['operator', 'add', 'first', '--role', 'admin', '-o', 'json'], settings);
    token = (JSON.parse(added.out) as { readonly token: { readonly token: string } }).token.token;
    const small = writeEndpointDocument(keyEndpoint({ id: 'e0' }), version);
    const filling = 'd'.repeat(MAX_DESCRIPTION_CHARACTERS);
    const labels = {
      filling: 'x'.repeat(Math.floor(MAX_ENDPOINTS_BYTES / MAX_ENDPOINTS) - JSON.stringify(small).length - 1150),
    };
    await fill('endpoints', MAX_ENDPOINTS, (at) =>
      writeEndpointDocument(
        {
          ...keyEndpoint({ id: `e${String(at)}`, paths: [{ prefix: `/e${String(at)}` }] }),
          accessCondition: 'authenticated-and-authorized',
          ...{ description: filling, labels },
        },
        version,
      ),
    );
    await fill('grants', MAX_GROUP_GRANTS, (at) =>
      writeGrantDocument(
        groupGrant({
          endpointId: `e${String(Math.floor(at / MAX_GROUP_GRANTS_OF_ENDPOINT))}`,
          consumerSelector: fullLabels(at % MAX_GROUP_GRANTS_OF_ENDPOINT, 'a'),
          priority: at % MAX_GROUP_GRANTS_OF_ENDPOINT,
        }),
        version,
      ),
    );
    await fill('consumers', CONSUMERS, (at) =>
      writeConsumerDocument(
        consumer({
          id: `c${String(at)}`,
          name: WIDE.repeat(MAX_NAME_CHARACTERS),
          description: WIDE.repeat(MAX_DESCRIPTION_CHARACTERS),
          // The first one belongs to the group that is looked at last; the others nearly do.
          labels: at === 0 ? fullLabels(0, 'a') : fullLabels(at, WIDE),
        }),
        version,
      ),
    );
    await fill('credentials', CONSUMERS, (at) => ({
      ...{ _id: `k${String(at)}`, consumerId: `c${String(at)}`, methods: ['key'], state: 'active' },
      ...{ appKeyHash: hashAppKey(`key-${String(at)}`), ...version },
    }));
  });
  after(() => folder[Symbol.asyncDispose]());

  it('is served within 640 MiB of heap: every consumer called once, each grant looked at', async () => {
    await using serve = await startPostern('', settings, ['--max-old-space-size=640']);
    await using client = await RawClient.connect({ kind: 'tcp', host: '127.0.0.1', port: serve.grpcPort });
    const check = async (at: number): Promise<number> => {
      const message = checkRequest({ path: `/e0?appKey=key-${String(at)}` });
      const answer = await client.call('/envoy.service.auth.v3.Authorization/Check', message);
      return messagesOf(answer.body).length;
    };
    let at = 0;
    const call = async (): Promise<void> => {
      while (at < CONSUMERS) {
        const one = at;
        at += 1;
        assert.equal(await check(one), 1);
      }
    };
    await Promise.all(Array.from({ length: 5 }, call));
    const metrics = await serve.metrics();
    const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
    // A slow machine may answer some with 503; none ends the process.
    assert.ok(value('postern_credential_cache_entries') > CONSUMERS / 2, metrics);
    assert.ok(value('postern_credential_cache_bytes') <= 100_000 * 3072);
    assert.equal(/postern_checks_total\{[^}]*code="ALLOWED"[^}]*\} (\d+)/.exec(metrics)?.[1], '1');
    assert.equal((await serve.stop()).code, 0);
  });

  it('is managed within 256 MiB of heap: pages are smaller, and nothing is lost between them', async () => {
    await using manage = await startManagementProcess(settings, ['--max-old-space-size=256']);
    const get = async (path: string): Promise<{ items: { id: string }[]; nextCursor: string | null }> => {
      const answer = await fetch(`http://127.0.0.1:${String(manage.port)}${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const text = await answer.text();
      assert.equal(answer.status, 200, `${path}: ${text.slice(0, 500)}`);
      return JSON.parse(text) as { items: { id: string }[]; nextCursor: string | null };
    };
    for (const path of ['/v1/consumers', '/v1/grants', '/v1/endpoints']) {
      const ids: string[] = [];
      let from = '';
      for (let pages = 0; pages < 2; pages += 1) {
        const { items, nextCursor } = await get(`${path}?limit=500${from}`);
        assert.ok(items.length > 0 && JSON.stringify(items).length < 5 * 1024 * 1024, path);
        assert.ok(nextCursor !== null, path);
        ids.push(...items.map(({ id }) => id));
        from = `&cursor=${nextCursor}`;
      }
      const collection = database.db().collection(path.slice('/v1/'.length));
      const stored = collection.find({}, { projection: { _id: 1 }, sort: { _id: 1 }, limit: ids.length });
      assert.deepEqual(
        ids,
        (await stored.toArray()).map(({ _id }) => String(_id)),
        path,
      );
    }
    await Promise.all(Array.from({ length: 3 }, () => get('/v1/consumers?limit=500')));
  });

  it('takes no more than that', async () => {
    const run = async (command: string): Promise<string> => {
      const { code, err } = await runCli(command.split(' '), settings);
      assert.equal(code, 4, err);
      return err;
    };
    assert.match(
      await run('grant add --endpoint e0 --label tier=gold --priority 1000'),
      /"e0" has 100 grants for groups or more, as many as may be; remove one/,
    );
    assert.match(
      await run('grant add --endpoint e9000 --label tier=gold'),
      /there would be 5001 grants for groups, and at most 5000 may be; remove some. Nothing was changed/,
    );
    assert.match(
      await run('endpoint create more --path /more --authentication key'),
      /there would be 10001 endpoints, and at most 10000 may be; remove some. Nothing was changed/,
    );
  });
});

describe('a store beyond the bounds, of an older version', function () {
  this.timeout(120_000);
  const database = useDatabase();
  const labels = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`label-${String(at)}`, 'x'.repeat(20)]));
  const target = { endpointId: 'orders', consumerSelector: labels };
  const id = shownGrantId(target);
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
  let settings: Readonly<Record<`POSTERN_${string}`, string>>;

  before(async () => {
    folder = await temporaryDirectory();
    const keyring = join(folder.path, 'keyring.yaml');
    await writeFile(keyring, ringText(1));
    await chmod(keyring, 0o600);
    settings = { POSTERN_STORE: database.uri(), POSTERN_KEYRING: keyring, POSTERN_ACTOR: 'ada' };
    const db = database.db();
    await ensureSchema(db);
    const endpoint = { ...keyEndpoint({ id: 'orders' }), accessCondition: 'authenticated-and-authorized' } as const;
    await db.collection('endpoints').insertOne(writeEndpointDocument(endpoint, version) as object);
    await db.collection('consumers').insertOne(writeConsumerDocument(consumer({ labels }), version) as object);
    await db.collection('grants').insertOne(writeGrantDocument(groupGrant(target), version) as object);
    await db.collection('credentials').insertOne({
      ...{ _id: 'acme-key', consumerId: 'acme', methods: ['key'], state: 'active' },
      ...{ appKeyHash: hashAppKey('key-of-acme'), ...version },
    } as object);
  });
  after(() => folder[Symbol.asyncDispose]());

  async function run(command: string): Promise<{ readonly code: number; readonly text: string }> {
    const { code, out, err } = await runCli(command.split(' '), settings);
    return { code, text: out + err };
  }

  it('is served', async () => {
    await using serve = await startPostern('', settings);
    await using client = await RawClient.connect({ kind: 'tcp', host: '127.0.0.1', port: serve.grpcPort });
    const message = checkRequest({ path: '/orders?appKey=key-of-acme' });
    for (let count = 0; count < 3; count += 1) {
      await client.call('/envoy.service.auth.v3.Authorization/Check', message);
    }
    assert.match(await serve.metrics(), /postern_checks_total\{[^}]*code="ALLOWED"[^}]*\} 3/);
  });

  it('is told by the doctor, with what removes it', async () => {
    const { text } = await run('doctor --deep');
    assert.ok(text.includes(`the grant ${id} is beyond a bound: "consumerSelector" must have at most 32 labels`), text);
    assert.ok(text.includes(`postern grant remove --endpoint orders --hash ${id.slice('orders/'.length)}`), text);
    assert.ok(text.includes('the consumer acme is beyond a bound: "labels" must have at most 32 labels'), text);
  });

  it('can be shown, changed elsewhere, and removed by the API', async () => {
    const added = await runCli(['operator', 'add', 'first', '--role', 'admin', '-o', 'json'], settings);
    const { token } = (JSON.parse(added.out) as { readonly token: { readonly token: string } }).token;
    await using manage = await startManagementProcess(settings);
    const ask = async (method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> => {
      const answer = await fetch(`http://127.0.0.1:${String(manage.port)}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'if-match': '*', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: await answer.json() };
    };
    const listed = await ask('GET', '/v1/grants?limit=1&fields=id');
    assert.deepEqual(listed.body, { items: [{ id }], nextCursor: null });
    assert.equal((await ask('GET', `/v1/grants/${id}`)).status, 200);
    assert.equal((await ask('PATCH', `/v1/grants/${id}`, { priority: 7 })).status, 200);
    assert.equal((await ask('PATCH', '/v1/consumers/acme', { enabled: false })).status, 200);
    assert.equal((await ask('PATCH', '/v1/consumers/acme', { labels: { more: 'x' } })).status, 422);
    assert.equal((await ask('DELETE', `/v1/grants/${id}?dryRun=true`)).status, 200);
    assert.equal((await ask('DELETE', '/v1/consumers/acme?dryRun=true')).status, 200);
    assert.equal((await ask('DELETE', `/v1/grants/${id}`)).status, 200);
    assert.equal((await ask('GET', `/v1/grants/${id}`)).status, 404);
  });

  it('can be removed by commands', async () => {
    const stored = writeGrantDocument(groupGrant(target), version);
    await database.db().collection<{ _id: string }>('grants').replaceOne({ _id: stored._id }, stored, { upsert: true });
    const remove = `grant remove --endpoint orders --hash ${id.slice('orders/'.length)}`;
    assert.equal((await run(remove)).code, 0);
    const { code, text } = await run(remove);
    assert.equal(code, 3);
    assert.match(text, /there is no grant orders\/~/);
    assert.equal((await run('consumer delete acme --yes')).code, 0);
  });
});
