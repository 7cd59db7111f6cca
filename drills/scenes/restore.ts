import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BSON, type Db } from 'mongodb';
import { areAllDuplicates } from '../../src/stores/mongodb/duplicates.ts';
import { withClient } from '../../test/support/mongodb/command.ts';
import { startFleet } from '../../test/support/fleet/fleet.ts';
import { handOver, keyed, makeEndpoints, makePartner, signed } from '../../test/support/fleet/partners.ts';
import type { Drill } from '../framework/drill.ts';
import { expectCall, untilCall } from '../framework/traffic.ts';

/** The database is dropped, and made again from each kind of backup. */
export const restore: Drill = {
  name: 'restore',
  title: 'the database is dropped, and restored from each kind of backup',
  services: ['envoy', 'mongodb'],
  isQuick: true,
  run: async (stage) => {
    await using fleet = await startFleet({ replicas: 1, prepare: makeEndpoints });
    const { folder } = fleet;
    const partner = await makePartner(fleet);
    const quiet = await handOver(fleet, 'credential issue --consumer acme --method key --id acme-quiet');
    const withDb = async <T>(work: (db: Db) => Promise<T>): Promise<T> =>
      await withClient(fleet.environment.POSTERN_STORE, async (client) => await work(client.db()));

    stage.step(
      'Make both backups: a declarative file with secrets, and the collections as they are (what mongodump does)',
    );
    await expectCall(stage, fleet, 'a partner calls, hmac', signed(partner.hmac), '200');
    await stage.postern(fleet, 'export --with-secrets --to backup.yaml');
    const dump = await withDb(dumpDatabase);
    await writeFile(join(folder, 'backup.bson'), BSON.serialize({ collections: dump }));
    stage.note(
      'Keep the key ring apart: the collections are worth nothing without it. The file holds the secrets in clear: encrypt it.',
    );
    const text = await readFile(join(folder, 'backup.bson'), 'latin1');
    stage.expect('no App Secret is readable in the collections', !text.includes(partner.hmac.appSecret ?? ''));

    stage.step('The database is dropped by mistake');
    await withDb(async (db) => await db.dropDatabase());
    await expectCall(stage, fleet, 'a cached caller, decided by the last state', signed(partner.hmac), '200');
    await untilCall(stage, fleet, 'another caller', () => keyed(quiet), '503 STORE_UNAVAILABLE');

    stage.step('Restore from the file, into the empty database');
    await stage.postern(fleet, 'doctor --fix', { lines: 6 });
    await stage.postern(fleet, 'apply -f backup.yaml', { lines: 3 });
    await stage.postern(fleet, 'diff -f backup.yaml');
    await untilCall(stage, fleet, 'the refused caller, with the same App Key as before', () => keyed(quiet), '200');
    await untilCall(stage, fleet, 'the partner who called before', () => signed(partner.hmac), '200');
    stage.note('The file lacks the audit trail, last uses, revoked tokens and App Keys of deleted credentials.');

    stage.step('The same, from the collections');
    await withDb(async (db) => await db.dropDatabase());
    await withDb(async (db) => {
      await restoreDatabase(db, dump);
    });
    await stage.postern(fleet, 'doctor --fix', { lines: 6 });
    await stage.postern(fleet, 'doctor --deep', { lines: 12 });
    await untilCall(stage, fleet, 'the refused caller', () => keyed(quiet), '200');
    await untilCall(stage, fleet, 'the partner who called before', () => signed(partner.hmac), '200');
    const { length } = JSON.parse(await fleet.postern('audit', 'list', '-o', 'json')) as readonly unknown[];
    stage.expect('the audit trail is restored, too', length > 0);

    stage.step('Another key ring opens no secret: keep the ring that belongs to the backup');
    const other = { ...fleet.environment, POSTERN_KEYRING: join(folder, 'other.yaml') };
    await stage.postern({ folder, environment: other }, 'keyring create other.yaml');
    const out = await stage.postern({ folder, environment: other }, 'doctor --deep', { code: 1, lines: 11 });
    stage.expect('doctor says so', /key/.test(out));
  },
};

type Dump = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

async function dumpDatabase(db: Db): Promise<Dump> {
  const names = (await db.listCollections().toArray()).map(({ name }) => name).sort();
  const all = await Promise.all(names.map(async (name) => [name, await db.collection(name).find().toArray()] as const));
  return Object.fromEntries(all);
}

/** As mongorestore does: a document stays that the running replica has written again since the database was dropped. */
async function restoreDatabase(db: Db, dump: Dump): Promise<void> {
  for (const [name, documents] of Object.entries(dump)) {
    if (documents.length === 0) continue;
    await db
      .collection(name)
      .insertMany([...documents], { ordered: false })
      .catch((error: unknown) => {
        if (!areAllDuplicates(error)) throw error;
      });
  }
}
