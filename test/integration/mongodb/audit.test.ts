import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Document } from 'mongodb';
import { auditFilter } from '../../../src/stores/mongodb/audit-trail.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import type { AuditSelection } from '../../../src/resources/changes/resource-store.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { emptyCollections } from '../../support/mongodb/empty-collections.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { type CommandResult, type Given, runCli } from '../../unit/cli/run-cli.ts';

describe('the audit trail in MongoDB', () => {
  const database = useDatabase();
  let folder: TemporaryDirectory;
  let environment: Record<string, string> = {};
  before(async () => {
    folder = await temporaryDirectory();
    const ring = join(folder.path, 'keyring.yaml');
    assert.equal((await runCli(['keyring', 'create', ring])).code, 0);
    environment = { POSTERN_STORE: database.uri(), POSTERN_KEYRING: ring, POSTERN_ACTOR: 'ada' };
  });
  beforeEach(async () => {
    await ensureSchema(database.db());
    await emptyCollections(database.db());
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  async function run(command: string, given: Given = {}): Promise<CommandResult> {
    return await runCli(command.split(' '), environment, given);
  }

  async function done(command: string): Promise<string> {
    const { code, out, err } = await run(command);
    assert.equal(code, 0, `${command}: ${err}`);
    return out;
  }

  /** The revision of the newest operation. */
  async function newest(): Promise<number> {
    const [operation] = JSON.parse(await done('audit list --operations --limit 1 -o json')) as {
      storeRevision: number;
    }[];
    return operation?.storeRevision ?? 0;
  }

  async function prepare(): Promise<void> {
    await done('endpoint create orders --path /orders --authentication hmac --limit 9/minute/endpoint');
    await done('consumer create acme');
    await done('grant add --endpoint orders --consumer acme --limit 5/minute');
    await done('credential issue --consumer acme --method hmac --id acme-hmac');
  }

  it('finds what concerns a partner in events that an earlier version wrote', async () => {
    const at = new Date('2026-01-01T00:00:00Z');
    const common = { at, actor: 'ada', action: 'apply', storeRevision: 1 };
    await database
      .db()
      .collection('audit')
      .insertMany([
        { ...common, kind: 'consumer', id: 'acme', before: null, after: { id: 'acme', enabled: true } },
        { ...common, kind: 'credential', id: 'k', before: { consumer: 'acme', id: 'k', method: 'key' }, after: null },
        { ...common, kind: 'grant', id: 'orders/acme', before: null, after: { endpoint: 'orders', consumer: 'acme' } },
        { ...common, kind: 'grant', id: 'acme/other', before: null, after: { endpoint: 'acme', consumer: 'other' } },
      ]);
    const listed = JSON.parse(await done('audit list --consumer acme -o json')) as { id: string }[];
    assert.deepEqual(
      listed.map(({ id }) => id),
      ['orders/acme', 'k', 'acme'],
    );
  });

  it('finds the plans that list an endpoint, or listed it before', async () => {
    await prepare();
    await done('endpoint create stock --path /stock --authentication key');
    await done('plan create gold --endpoint orders --endpoint stock --limit 7/day');
    await done('plan set gold --limit 8/day');
    await done('plan set gold --endpoint stock');
    await done('plan set gold --limit 9/day');
    await done('plan create every --priority 9 --limit 7/day');
    const listed = JSON.parse(await done('audit list --endpoint orders -o json')) as {
      readonly kind: string;
      readonly id: string;
      readonly after: { readonly limits?: readonly { readonly requests: number }[] };
    }[];
    const plans = listed.filter(({ kind }) => kind === 'plan');
    assert.deepEqual(
      plans.map(({ id, after }) => [id, after.limits?.[0]?.requests]),
      [
        ['gold', 8],
        ['gold', 8],
        ['gold', 7],
      ],
    );
    assert.deepEqual([...new Set(listed.map(({ kind }) => kind))].toSorted(), ['endpoint', 'grant', 'plan']);
  });

  it('is read in the order of time from an index, whatever it is selected by', async () => {
    const audit = database.db().collection('audit');
    const other = (number: number): Document => ({
      ...{ at: new Date(number), actor: 'ada', action: 'apply', storeRevision: number, kind: 'grant' },
      ...{ id: `e/c${String(number)}`, before: null, after: { endpoint: 'e', consumer: `c${String(number)}` } },
    });
    await audit.insertMany(Array.from({ length: 3000 }, (_, number) => other(number)));
    await prepare();
    await done('plan create gold --endpoint orders --limit 7/day');
    const selections: readonly AuditSelection[] = [
      { consumerId: 'acme' },
      { consumerId: 'acme', sinceMs: 5 },
      { consumerId: 'acme', actor: 'ada' },
      { endpointId: 'orders' },
      { endpointId: 'orders', untilMs: Date.now() + 5000 },
      { resource: { kind: 'consumer', id: 'acme' } },
      { storeRevision: await newest() },
    ];
    for (const selection of selections) {
      const sort = { at: -1, _id: -1 } as const;
      const plan = await audit.find(auditFilter(selection) as Document, { sort, limit: 100 }).explain();
      const { nReturned, totalDocsExamined } = plan['executionStats'] as Record<string, number>;
      assert.ok((nReturned ?? 0) > 0, JSON.stringify(selection));
      assert.ok(
        (totalDocsExamined ?? 99) <= (nReturned ?? 0) + 1,
        `${JSON.stringify(selection)}: ${String(totalDocsExamined)}`,
      );
    }
  });

  it('undoes a command and keeps every secret sealed as it was', async () => {
    await prepare();
    const credentials = database.db().collection('credentials');
    const before = await credentials.find().toArray();
    await done('credential revoke acme-hmac --yes');
    await done(`audit revert ${String(await newest())} --yes --revive --reason OPS-20`);
    const strip = (document: Document): Document => ({ ...document, revision: 0, updatedAt: 0 });
    assert.deepEqual((await credentials.find().toArray()).map(strip), before.map(strip));
    const [event] = JSON.parse(await done('audit list --limit 1 -o json')) as Record<string, unknown>[];
    assert.deepEqual([event?.['action'], event?.['reason']], ['audit revert', 'OPS-20']);
    await done('consumer delete acme --yes');
    const { code, err } = await run(`audit revert ${String(await newest())} --yes`);
    assert.equal(code, 0, err);
    assert.match(err, /^note: the credential "acme-hmac" does not come back/);
    assert.match(await done('grant list --consumer acme'), /orders +acme +5\/minute/);
    assert.equal(await credentials.countDocuments(), 0);
  });

  it('is planned again when a resource changes between plan and commit: a conflict, or kept beside it', async () => {
    await prepare();
    await done('endpoint edit orders --description first');
    const revision = String(await newest());
    const answerAfter = (command: string): Given => ({
      ask: async () => {
        await done(command);
        return 'yes';
      },
    });
    const conflict = await run(`audit revert ${revision}`, answerAfter('endpoint edit orders --description second'));
    assert.equal(conflict.code, 4);
    assert.match(
      conflict.err,
      /the endpoint "orders" has changed since\n {4}description: the change left first, now it is second/,
    );
    assert.match(await done('endpoint show orders'), /second/);
    await done('endpoint edit orders --description first');
    const kept = await run(`audit revert ${revision}`, answerAfter('endpoint disable orders'));
    assert.equal(kept.code, 0, kept.err);
    const orders = JSON.parse(await done('endpoint show orders -o json')) as Record<string, unknown>;
    assert.deepEqual([orders['description'], orders['enabled']], [undefined, false]);
  });

  it('makes all of an operation, or nothing when another operator is quicker', async () => {
    await prepare();
    await done('endpoint delete orders --yes');
    const revision = String(await newest());
    const taken = await run(`audit revert ${revision}`, {
      ask: async () => {
        await done('endpoint create intruder --path /orders --authentication key');
        return 'yes';
      },
    });
    assert.equal(taken.code, 4);
    assert.match(taken.err, /the endpoints "intruder" and "orders" would take the same requests/);
    assert.equal(await database.db().collection('grants').countDocuments(), 0);
    await done('endpoint delete intruder --yes');
    await done(`audit revert ${revision} --yes`);
    assert.equal(await database.db().collection('grants').countDocuments(), 1);
  });

  it('says that MongoDB is unreachable', async () => {
    const nowhere = { ...environment, POSTERN_STORE: 'mongodb://127.0.0.1:1/postern' };
    for (const command of ['audit list', 'audit show 1', 'audit revert 1 --yes']) {
      const { code, err } = await runCli([...command.split(' '), '--timeout', '1s'], nowhere);
      assert.equal(code, 5, err);
      assert.match(err, /^postern audit \w+: MongoDB/);
    }
  });
});
