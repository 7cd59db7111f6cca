import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { standAloneDatabase } from '../../support/mongodb/borrow-servers.ts';
import { type Mongod, startMongod } from '../../support/mongodb/mongod.ts';
import { startRelay } from '../../support/stack/relay.ts';
import { poll } from '../../support/time/poll.ts';
import { release } from '../../support/lifetime/release.ts';
import { ringText } from '../../support/keyring/test-key-ring.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

interface Told {
  /** Of `postern doctor`: its exit code, and the only fault. */
  readonly doctor: readonly [code: number, fault: string];
  /** Of a command: its exit code and what it wrote. */
  readonly command: readonly [code: number, error: string];
}

describe('a MongoDB address that does not fit its servers', () => {
  let folder: TemporaryDirectory;
  let member: Mongod;
  let guarded: Mongod;
  before(async function () {
    this.timeout(60_000);
    folder = await temporaryDirectory();
    await writeFile(join(folder.path, 'keyring.yaml'), ringText(1), { mode: 0o600 });
    [member, guarded] = await Promise.all([startMongod(['--replSet', 'rs0']), startMongod(['--auth'])]);
  });
  after(() => release(folder, member, guarded));

  async function askAbout(store: string): Promise<Told> {
    const environment = { POSTERN_STORE: store, POSTERN_KEYRING: join(folder.path, 'keyring.yaml') };
    // Each waits for what does not come.
    const [doctor, command] = await Promise.all([
      runCli(['doctor', '-o', 'json'], environment),
      runCli(['endpoint', 'list', '--timeout', '3s'], environment),
    ]);
    const findings = JSON.parse(doctor.out) as readonly { readonly level: string; readonly message: string }[];
    const faults = findings.filter(({ level }) => level === 'fault').map(({ message }) => message);
    return { doctor: [doctor.code, faults.join('\n')], command: [command.code, command.err.trim()] };
  }

  const uri = ({ address }: Mongod, options = '', login = ''): string =>
    `mongodb://${login}${address}/postern${options}`;

  it('is reported as such: a replica set that is not initiated', async () => {
    const message = `MongoDB at ${member.address} answers, but is not in its replica set: if it is new, run rs.initiate() there once, in mongosh; if it was a member, restart it where it can resolve its own name`;
    const told = await Promise.all(['?replicaSet=rs0', ''].map((options) => askAbout(uri(member, options))));
    for (const each of told) {
      assert.deepEqual(each, { doctor: [5, message], command: [5, `postern endpoint list: ${message}`] });
    }
  }).timeout(60_000);

  it('is reported as such: a stand-alone server', async () => {
    const message =
      'replicaSet=rs0 of the MongoDB address is wrong: the server is a stand-alone one; start it with --replSet rs0 and run rs.initiate() once, or leave replicaSet out: it is then read every 2 s, and commands change nothing';
    assert.deepEqual(await askAbout(`${await standAloneDatabase()}?replicaSet=rs0`), {
      doctor: [1, message],
      command: [1, `postern endpoint list: ${message}`],
    });
  }).timeout(60_000);

  it('is reported as such: another name of the replica set, and an empty database', async () => {
    await initiate(member);
    const message =
      'replicaSet=other of the MongoDB address is wrong: the server is in the replica set rs0; write replicaSet=rs0 in POSTERN_STORE';
    assert.deepEqual(await askAbout(uri(member, '?replicaSet=other')), {
      doctor: [1, message],
      command: [1, `postern endpoint list: ${message}`],
    });
    const { doctor, command } = await askAbout(uri(member, '?replicaSet=rs0'));
    assert.deepEqual([doctor[0], command[0]], [1, 1]);
    assert.match(
      doctor[1],
      /^the database "postern" is empty: no Postern has been used with it; correct its name, or make/,
    );
    assert.equal(command[1], `postern endpoint list: ${doctor[1]}`);
  }).timeout(60_000);

  it('is reported as such: a member by a name that this machine does not reach', async () => {
    await using mongod = await startMongod(['--replSet', 'rs1']);
    // The server reaches itself under this address as long as there is a way.
    const relay = await startRelay(Number(mongod.address.split(':')[1]));
    const member = `127.0.0.1:${String(relay.port)}`;
    try {
      await initiate(mongod, 'rs1', member);
    } finally {
      await relay[Symbol.asyncDispose]();
    }
    const message = `MongoDB at ${mongod.address} answered: it is in the replica set rs1, which names the member ${member}; this machine cannot reach it (ECONNREFUSED). Either make that name and port reachable from here, or, to use ${mongod.address} alone, add directConnection=true to the address`;
    for (const options of ['?replicaSet=rs1', '']) {
      assert.deepEqual(await askAbout(uri(mongod, options)), {
        doctor: [5, message],
        command: [5, `postern endpoint list: ${message}`],
      });
    }
    const { command } = await askAbout(uri(mongod, '?directConnection=true'));
    assert.match(command[1], /the database "postern" is empty/);
  }).timeout(60_000);

  it('is reported as such: no login, and a wrong one', async () => {
    const none = await askAbout(uri(guarded));
    assert.deepEqual([none.doctor[0], none.command[0]], [1, 1]);
    for (const text of [none.doctor[1], none.command[1]])
      assert.match(text, /or a client without a user when the address names none, lacks a right/);
    const wrong = await askAbout(uri(guarded, '', 'ada:hunter2@'));
    const message = 'MongoDB refuses the name or password of its address; correct POSTERN_STORE';
    assert.deepEqual(wrong, { doctor: [1, message], command: [1, `postern endpoint list: ${message}`] });
  }).timeout(60_000);

  it('is reported as such: no server', async () => {
    const { doctor, command } = await askAbout('mongodb://127.0.0.1:9/postern');
    assert.deepEqual([doctor[0], command[0]], [5, 5]);
    assert.match(doctor[1], /^MongoDB does not answer at 127\.0\.0\.1:9 \(ECONNREFUSED\); check that it runs/);
  }).timeout(60_000);
});

async function initiate({ address }: Mongod, set = 'rs0', host = address): Promise<void> {
  const client = new MongoClient(`mongodb://${address}/?directConnection=true`);
  try {
    await client.db('admin').command({ replSetInitiate: { _id: set, members: [{ _id: 0, host }] } });
    await poll('a primary', async () => {
      const { isWritablePrimary } = await client.db('admin').command({ hello: 1 });
      return isWritablePrimary === true ? true : null;
    });
  } finally {
    await client.close();
  }
}
