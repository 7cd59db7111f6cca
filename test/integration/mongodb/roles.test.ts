import assert from 'node:assert/strict';
import { type ChangeStream, type Db, type Document, MongoClient } from 'mongodb';
import { type UnavailableReason, MongodbUnavailable } from '../../../src/stores/mongodb/faults.ts';
import { connectMongodb } from '../../../src/stores/mongodb/connect.ts';
import { readEndings } from '../../../src/stores/mongodb/endings.ts';
import { describeFault, type DocumentFault } from '../../../src/stores/mongodb/mapping/document-fault.ts';
import { ensureSchema, findSchemaDifferences, repairSchema } from '../../../src/stores/mongodb/migrate.ts';
import { openMongoStore, type OpenedMongoStore } from '../../../src/stores/mongodb/open-mongo-store.ts';
import { createRefusalSink } from '../../../src/stores/mongodb/refusals.ts';
import { readRevision } from '../../../src/stores/mongodb/commit/store-revision.ts';
import { createReplicaDirectory, createReplicaRegister } from '../../../src/stores/mongodb/replicas.ts';
import { neededRights, roleNames } from '../../../src/stores/mongodb/rights.ts';
import { collections, SCHEMA_VERSION } from '../../../src/stores/mongodb/schema/collections.ts';
import { createTrafficSink } from '../../../src/stores/mongodb/traffic.ts';
import { requireSchema } from '../../../src/stores/mongodb/schema/schema-version.ts';
import { collectAll } from '../../../src/resources/changes/resource-store.ts';
import { operatorDefaults } from '../../../src/model/operator.ts';
import { creation, managed } from '../../conformance/resource-store.ts';
import { ringText, testKeyRing } from '../../support/keyring/test-key-ring.ts';
import { borrowReplicaSet } from '../../support/mongodb/borrow-servers.ts';
import type { ReplicaSet } from '../../support/mongodb/replica-set.ts';
import { runShellScript } from '../../support/mongodb/shell-script.ts';
import { fixedClock } from '../../support/time/fixed-clock.ts';
import { consumer, grant, keyEndpoint } from '../../support/pipeline/resources.ts';
import { record as refusal } from '../../support/refusals/refused.ts';
import { release } from '../../support/lifetime/release.ts';
import { poll } from '../../support/time/poll.ts';
import { runCli } from '../../unit/cli/run-cli.ts';
import { startTestGateway } from './gateway-under-test.ts';

const script = new URL('../../../deploy/mongodb/roles.js', import.meta.url);
const database = 'postern';
const passwords = { postern: 'pw: of/the@service', 'postern-operator': 'operator', 'postern-migrator': 'migrator' };

const REPLICA = { name: 'r1', version: '1.2.3', startedAtSeconds: 1_790_000_000, maxStaleSeconds: 3600 };

type Anything = { _id: string } & Document;

describe('the roles of deploy/mongodb, with authorization and TLS', () => {
  let set: ReplicaSet;
  let root: Db;
  const clients: MongoClient[] = [];

  before(async function () {
    this.timeout(60_000);
    set = await borrowReplicaSet({ authorization: true, tls: true });
    root = connect(set.uri(database));
    const run = await runShellScript(script, root, Object.values(passwords).values());
    assert.equal(run.prompts, 3);
    const migrator = openStore('postern-migrator');
    await migrator.resources.commit(
      [
        creation('endpoint', keyEndpoint()),
        creation('consumer', consumer()),
        creation('credential', managed()),
        creation('grant', grant()),
      ],
      { actor: 'ada', action: 'first' },
    );
    await release(migrator);
    await root.collection<Anything>('usage').updateOne({ _id: 'acme-hmac' }, { $set: { lastUsedAt: new Date() } });
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await release(set);
  });

  function connect(uri: string): Db {
    const client = connectMongodb(uri, 'commands');
    clients.push(client);
    return client.db();
  }

  const uriOf = (name: keyof typeof passwords): string => set.uri(database, { name, password: passwords[name] });
  const as = (name: keyof typeof passwords): Db => connect(uriOf(name));
  const openStore = (name: keyof typeof passwords): OpenedMongoStore =>
    openMongoStore(uriOf(name), { sealer: testKeyRing(), clock: fixedClock(), onFault: failOnFault });

  type Act = (db: Db) => Promise<unknown>;
  const resources = ['endpoints', 'consumers', 'credentials', 'grants'];
  const everyCollection = collections.map(({ name }) => name);
  const act = {
    read:
      (name: string): Act =>
      (db) =>
        db.collection(name).findOne(),
    insert:
      (name: string): Act =>
      (db) =>
        db.collection<Anything>(name).insertOne({ _id: 'x' }),
    update:
      (name: string): Act =>
      (db) =>
        db.collection(name).updateMany({}, { $set: { enabled: true } }),
    upsert:
      (name: string): Act =>
      (db) =>
        db.collection<Anything>(name).updateOne({ _id: 'x' }, { $set: { enabled: true } }, { upsert: true }),
    remove:
      (name: string): Act =>
      (db) =>
        db.collection(name).deleteMany({}),
    drop:
      (name: string): Act =>
      (db) =>
        db.dropCollection(name),
    bypass:
      (name: string): Act =>
      (db) =>
        db.collection<Anything>(name).insertOne({ _id: 'x' }, { bypassDocumentValidation: true }),
  };

  async function privilegesOf(role: string): Promise<readonly Privilege[]> {
    const { roles } = await root.command({ rolesInfo: role, showPrivileges: true });
    const [found] = roles as readonly [{ readonly privileges: readonly Privilege[] }];
    return found.privileges;
  }

  async function forbids(db: Db, acts: Readonly<Record<string, Act>>): Promise<void> {
    for (const [what, attempt] of Object.entries(acts)) await assert.rejects(attempt(db), { code: 13 }, what);
  }

  const each = (names: readonly string[], ...kinds: (keyof typeof act)[]): Record<string, Act> =>
    Object.fromEntries(names.flatMap((name) => kinds.map((kind) => [`${kind} ${name}`, act[kind](name)])));

  const beyondSchema: Readonly<Record<string, Act>> = {
    'drop the database': (db) => db.dropDatabase(),
    'make a user': (db) => db.command({ createUser: 'eve', pwd: 'eve', roles: ['posternOperator'] }),
    'give itself a role': (db) => db.command({ grantRolesToUser: 'postern', roles: ['posternOperator'] }),
    'read the users': (db) => db.command({ usersInfo: 1 }),
    'watch the database': (db) => next(db.watch()),
    'read other databases': (db) => db.client.db('admin').collection('system.users').findOne(),
  };
  const administration: Readonly<Record<string, Act>> = {
    'make a collection': (db) => db.createCollection('new'),
    'loosen a validator': (db) => db.command({ collMod: 'credentials', validationLevel: 'off' }),
    'drop an index': (db) => db.collection('credentials').dropIndex('appKeyHash_1'),
    ...beyondSchema,
  };

  it('are brought up to date by another run, which asks for no password', async () => {
    await root.command({ updateRole: 'posternService', privileges: [] });
    const run = await runShellScript(script, root, [].values());
    assert.equal(run.prompts, 0);
    assert.ok(run.printed.includes('postern: posternService'), run.printed.join('\n'));
    await requireSchema(as('postern'));
  });

  describe('posternService', () => {
    it('lets the service read, watch and note what was used', async () => {
      const db = as('postern');
      await requireSchema(db);
      for (const name of [...resources, 'revokedTokens']) {
        if (name !== 'revokedTokens') assert.ok(await db.collection(name).findOne());
        const stream = db.collection(name).watch([], { maxAwaitTimeMS: 100 });
        await stream.tryNext();
        await stream.close();
      }
      await db
        .collection('credentials')
        .aggregate([
          { $lookup: { from: 'consumers', localField: 'consumerId', foreignField: '_id', as: 'consumer' } },
          { $lookup: { from: 'grants', localField: 'consumerId', foreignField: 'consumerId', as: 'grants' } },
        ])
        .next();
      await db.collection<Anything>('replay').insertOne({ _id: 'used', expiresAt: new Date() });
      await createRefusalSink(db).write([refusal({ consumerId: 'other' })]);
      await db.collection<Anything>('revokedTokens').insertOne({ _id: 't', credentialId: 'a', expiresAt: new Date() });
      await db
        .collection<Anything>('usage')
        .bulkWrite([
          { updateOne: { filter: { _id: 'new' }, update: { $max: { lastUsedAt: new Date() } }, upsert: true } },
        ]);
      const count = { endpointId: 'orders', consumerId: 'acme', hour: 1, codes: { ALLOWED: 1 } };
      for (const sequence of [1, 2]) assert.deepEqual(await createTrafficSink(db).add([count], sequence), []);
    });

    it('lets the service say that it is there, and know the revision', async () => {
      const db = as('postern');
      const register = createReplicaRegister(db, { ...REPLICA, isOwnName: true });
      await register.report({ revision: await readRevision(db, {}), mode: 'following', unreadiness: null });
      const [seen] = await createReplicaDirectory(as('postern-operator')).list();
      assert.deepEqual([seen?.name, seen?.unreadiness], [REPLICA.name, null]);
      await register.leave();
      assert.deepEqual(await createReplicaDirectory(as('postern-operator')).list(), []);
    });

    it('forbids it everything else', async () => {
      await forbids(as('postern'), {
        ...each(['replicas'], 'read', 'drop', 'bypass'),
        ...each(resources, 'insert', 'update', 'upsert', 'remove', 'drop', 'bypass'),
        ...each(['audit', 'formerAppKeys'], 'read', 'insert', 'update', 'remove', 'drop'),
        ...each(['operators', 'sessions', 'idempotency', 'jobs'], 'read', 'insert', 'update', 'remove', 'drop'),
        ...each(['meta'], 'insert', 'update', 'remove', 'drop'),
        ...each(['usage'], 'remove', 'drop', 'bypass'),
        ...each(['traffic'], 'read', 'remove', 'drop', 'bypass'),
        ...each(['revokedTokens'], 'update', 'remove', 'drop', 'bypass'),
        ...each(['replay', 'refusals'], 'read', 'update', 'remove', 'drop', 'bypass'),
        ...administration,
      });
    });

    it('lets the service read what ends soon, as operators do', async () => {
      for (const user of ['postern', 'postern-operator'] as const) {
        const found = await readEndings(as(user), { nowSeconds: 0, withinSeconds: 1, limit: 1 });
        assert.deepEqual(found, []);
      }
    });

    it('forbids it to make or migrate the schema', async () => {
      await assertUnavailable(repairSchema(as('postern')), 'forbidden');
    });
  });

  describe('posternOperator', () => {
    it('lets commands make, change, list and delete every resource, with its audit event', async () => {
      await using store = openStore('postern-operator');
      const mine = [
        creation('consumer', consumer({ id: 'other' })),
        creation('credential', managed({ id: 'other-hmac', consumerId: 'other' })),
        creation('grant', grant({ consumerId: 'other' })),
        creation('operator', { ...operatorDefaults, id: 'alice', role: 'viewer' }),
      ];
      await store.resources.commit(mine, { actor: 'ben', action: 'apply' });
      for (const kind of ['grant', 'credential', 'consumer', 'operator'] as const) {
        const id = { grant: 'orders/other', credential: 'other-hmac', consumer: 'other', operator: 'alice' }[kind];
        const before = await store.resources.find(kind, id);
        const change = { kind, id, before, after: null } as unknown as (typeof mine)[number];
        await store.resources.commit([change], { actor: 'ben', action: 'delete' });
      }
      const told = [];
      for await (const { action } of store.audit.events({ actor: 'ben' })) told.push(action);
      assert.equal(told.length, 8);
      assert.equal((await store.usage.usageOf(['acme-hmac'])).size, 1);
      const found = store.refusals?.find({ limit: 1 });
      assert.equal(await found?.countLeftOut(), 0);
      assert.equal((await collectAll(found?.records ?? assert.fail())).length, 0, 'with the consumer');
      assert.equal(await store.isTokenRevoked?.('unknown'), false);
      for await (const { codes } of store.traffic.counts({ sinceHour: 0, consumers: 'each' })) assert.ok(codes);
      assert.equal((await store.replicas?.storeRevision())?.latest, 6);
      assert.equal(await store.replicas?.forget('unknown'), false);
      assert.deepEqual(await findSchemaDifferences(store.db), []);
      await using session = store.db.client.startSession();
      await store.db.client.db('admin').command({ killSessions: [session.id] });
    });

    it('lets "postern manage" keep sessions, and what requests were answered with', async () => {
      const db = as('postern-operator');
      const times = { createdAt: new Date(), expiresAt: new Date(Date.now() + 60_000) };
      const _id = '0'.repeat(64);
      await db.collection<Anything>('sessions').insertOne({ _id, operatorId: 'alice', ...times });
      await db.collection<Anything>('idempotency').insertOne({ _id, operatorId: 'alice', request: _id, ...times });
      for (const name of ['sessions', 'idempotency']) {
        const collection = db.collection<Anything>(name);
        await collection.updateOne({ _id }, { $set: { expiresAt: new Date() } });
        assert.ok(await collection.findOne({ _id }));
        assert.equal((await collection.deleteMany({ operatorId: 'alice' })).deletedCount, 1);
      }
      await forbids(db, each(['sessions', 'idempotency'], 'drop', 'bypass'));
    });

    it('forbids them to change the audit trail, and everything else', async () => {
      await forbids(as('postern-operator'), {
        ...each(['audit'], 'update', 'upsert', 'remove', 'drop', 'bypass'),
        ...each(['formerAppKeys'], 'remove', 'drop'),
        ...each(['revokedTokens', 'refusals', 'traffic'], 'insert', 'update'),
        ...each(['usage'], 'drop', 'bypass'),
        ...each(['traffic'], 'remove', 'drop'),
        ...each(['meta'], 'remove'),
        ...each(['replicas'], 'insert', 'update'),
        ...each(resources, 'drop', 'bypass'),
        ...administration,
      });
    });

    it('shows an operator whose database is empty which role it takes', async () => {
      const db = as('postern-operator');
      await root.collection<Anything>('meta').updateOne({ _id: 'schema' }, { $set: { version: 1 } });
      try {
        await assertUnavailable(ensureSchema(db), 'forbidden', /posternMigrator/);
      } finally {
        await root
          .collection<Anything>('meta')
          .updateOne({ _id: 'schema' }, { $set: { version: SCHEMA_VERSION }, $unset: { lease: '' } });
      }
    });
  });

  describe('posternMigrator', () => {
    it('lets the schema be made, fixed and migrated', async () => {
      const db = as('postern-migrator');
      assert.equal(await ensureSchema(db), 'current');
      await root.collection('grants').dropIndex('endpointId_1__id_1');
      await root.dropCollection('usage');
      await repairSchema(db);
      assert.deepEqual(await findSchemaDifferences(db), []);
      await root.collection<Anything>('meta').updateOne({ _id: 'schema' }, { $set: { version: 1 } });
      assert.equal(await ensureSchema(db), 'migrated');
    });

    it('forbids removing what was written, and administration', async () => {
      await forbids(as('postern-migrator'), {
        ...each(everyCollection, 'drop'),
        ...each(['audit', 'formerAppKeys', 'meta'], 'remove'),
        ...beyondSchema,
      });
    });
  });

  describe('a user of an older version', () => {
    const older = {
      posternService: ['revokedTokens', 'replay'],
      posternOperator: ['formerAppKeys'],
      posternMigrator: [''],
    };

    /** Takes from a role what a version before it did not have. */
    async function age(role: keyof typeof older): Promise<void> {
      const privileges = (await privilegesOf(role)).filter(
        ({ resource }) => !older[role].includes(resource.collection),
      );
      await root.command({ updateRole: role, privileges });
    }

    async function renew(): Promise<void> {
      await runShellScript(script, root, [].values());
    }

    async function examine(user: keyof typeof passwords): Promise<readonly string[]> {
      const { code, out } = await runCli(['doctor', '-o', 'json'], {
        POSTERN_STORE: uriOf(user),
        POSTERN_KEYRING: 'env:KEY_RING',
        KEY_RING: ringText(1),
      });
      const findings = JSON.parse(out) as readonly Readonly<Record<string, string>>[];
      const found = findings
        .filter(({ subject }) => subject === 'rights')
        .map((each) => `${String(each['level'])}: ${String(each['message'])}`);
      assert.equal(code, found.some((line) => line.startsWith('fault')) ? 1 : 0, out);
      assert.ok(!out.includes('without a login'), out);
      return found;
    }

    afterEach(renew);

    it('is found by doctor, collection by collection, with what does not work', async () => {
      assert.deepEqual(await examine('postern'), ['ok: the user postern has all for "postern serve"']);
      assert.deepEqual(await examine('postern-migrator'), [
        'ok: the user postern-migrator has all for commands and "postern manage"',
        'ok: the user postern-migrator has all for "postern doctor --fix"',
      ]);
      await age('posternService');
      await age('posternOperator');
      assert.deepEqual(await examine('postern'), [
        'fault: for "postern serve" the user postern lacks find, insert, changeStream on revokedTokens: access tokens are refused with 503, or not revoked',
        'fault: for "postern serve" the user postern lacks insert on replay: endpoints with replayProtection and clients with a private key get 503',
      ]);
      assert.deepEqual(await examine('postern-operator'), [
        'fault: for commands and "postern manage" the user postern-operator lacks find, insert, update on formerAppKeys: commands and "postern manage" fail where they need it',
      ]);
    });

    it('is told of by serve, in its log and in /readyz, until it has the rights', async () => {
      await age('posternService');
      await using tested = await startTestGateway(uriOf('postern'));
      await tested.line('the user of the database lacks rights that this version needs');
      const { status, text } = await tested.admin('/readyz');
      assert.equal(status, 200);
      const [, forbidden, next] = text.split('\n');
      assert.equal(
        forbidden,
        'MongoDB forbids the user of its address: find, insert, changeStream on revokedTokens: access tokens are refused with 503, or not revoked; insert on replay: endpoints with replayProtection and clients with a private key get 503',
      );
      assert.match(
        next ?? '',
        /^the MongoDB user of the address, .* lacks a right .*; deciding with what was read \d+ s ago$/,
      );
      assert.ok(!text.includes('does not answer'), text);
      await renew();
      await tested.line('the user of the database has all rights that this version needs');
      await poll('a notice less', async () =>
        /^ready\n(revision \d+\n)?$/.test((await tested.admin('/readyz')).text) ? true : null,
      );
    });
  });

  it('give exactly the rights that this version says it needs', async () => {
    for (const use of ['service', 'operator', 'migrator'] as const) {
      const given = (await privilegesOf(roleNames[use])).map(({ resource: { collection }, actions }) => ({
        collection,
        actions,
      }));
      assert.deepEqual(listed(given), listed(neededRights[use]), use);
    }
  });

  describe('who may not come in', () => {
    it('is told so by doctor, which does not call the server open', async () => {
      const { code, out } = await runCli(['doctor'], { POSTERN_STORE: set.uri(database, null) });
      assert.equal(code, 1);
      assert.match(out, /✗ MongoDB: the MongoDB user of the address, or a client without a user/);
      assert.ok(!out.includes('without a login'), out);
    });

    it('gets that as the reason, without the password', async () => {
      const wrong = connect(set.uri(database, { name: 'postern', password: 'wrong-password' }));
      await assertUnavailable(requireSchema(wrong), 'denied', /^MongoDB refuses the name or password/);
      await assertUnavailable(requireSchema(connect(set.uri(database, null))), 'forbidden');
    });

    it('gets that as the reason, when it does not use TLS or trusts another authority', async () => {
      const [member] = set.members;
      const plain = connectMongodb(`mongodb://${member?.address ?? ''}/${database}`, 'checks');
      const distrusting = connectMongodb(`mongodb://${member?.address ?? ''}/${database}?tls=true`, 'checks');
      clients.push(plain, distrusting);
      await assertUnavailable(requireSchema(plain.db()), 'unreachable', /both or neither use TLS/);
      await assertUnavailable(requireSchema(distrusting.db()), 'unreachable', /Check tls, tlsCAFile/);
    });
  });
});

interface Privilege {
  readonly resource: { readonly db: string; readonly collection: string };
  readonly actions: readonly string[];
}

/** `collection action` of each, however many entries a collection has. */
function listed(rights: readonly { readonly collection: string; readonly actions: readonly string[] }[]): string[] {
  return rights.flatMap(({ collection, actions }) => actions.map((action) => `${collection} ${action}`)).sort();
}

function failOnFault(fault: DocumentFault): never {
  assert.fail(describeFault(fault));
}

async function next(stream: ChangeStream): Promise<void> {
  try {
    await stream.tryNext();
  } finally {
    await stream.close();
  }
}

async function assertUnavailable(work: Promise<unknown>, reason: UnavailableReason, message = /./): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof MongodbUnavailable, String(error));
    assert.equal(error.reason, reason, error.message);
    assert.match(error.message, message);
    assert.ok(!/wrong-password|root-of-the-tests|pw:/.test(error.message));
    return true;
  });
}
