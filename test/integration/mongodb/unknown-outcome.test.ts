import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { borrowReplicaSet } from '../../support/mongodb/borrow-servers.ts';
import { setFailPoint } from '../../support/mongodb/fail-point.ts';
import type { Mongod } from '../../support/mongodb/mongod.ts';
import type { ReplicaSet } from '../../support/mongodb/replica-set.ts';
import { poll } from '../../support/time/poll.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { type CommandResult, runCli } from '../../unit/cli/run-cli.ts';

/** The command stands before its commit for so long: time for a test to freeze members. */
const HELD_MS = 1500;

describe('a command whose commit no majority confirms', () => {
  let set: ReplicaSet;
  let folder: TemporaryDirectory;
  let environment: Record<string, string> = {};
  before(async function () {
    this.timeout(60_000);
    set = await borrowReplicaSet({ members: 3 });
    folder = await temporaryDirectory();
    const ring = join(folder.path, 'keyring.yaml');
    assert.equal((await runCli(['keyring', 'create', ring])).code, 0);
    environment = { POSTERN_STORE: set.uri('postern'), POSTERN_KEYRING: ring, POSTERN_ACTOR: 'ada' };
    await done('consumer create acme');
    await done('credential issue --consumer acme --method hmac --id acme-hmac');
  });
  afterEach(async () => {
    for (const member of set.members) member.thaw();
    await poll('commands that work again', async () => ((await run('consumer list')).code === 0 ? true : null));
  });
  after(async () => {
    await set[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  async function run(command: string): Promise<CommandResult> {
    return await runCli(command.split(' '), environment);
  }

  async function done(command: string): Promise<string> {
    const { code, out, err } = await run(command);
    assert.deepEqual([code, err], [0, ''], `${command}: ${err}`);
    return out;
  }

  async function secondaries(): Promise<readonly Mongod[]> {
    const primary = await set.primary();
    return set.members.filter((member) => member !== primary);
  }

  /** Runs a command, and freezes both secondaries when it is about to commit; thaws them after so long. */
  async function runWhileTheyFreeze(command: string, thawMs: number): Promise<CommandResult & { tookMs: number }> {
    const primary = await set.primary();
    const others = await secondaries();
    const uri = `mongodb://${primary.address}/?directConnection=true`;
    const data = { failCommands: ['commitTransaction'], blockConnection: true, blockTimeMS: HELD_MS };
    const startMs = performance.now();
    const point = await setFailPoint(uri, { mode: { times: 1 }, data });
    const running = run(command);
    await delay(HELD_MS / 2);
    await Promise.all(
      others.map(async (member) => {
        await member.freeze();
      }),
    );
    const thawed = delay(thawMs).then(() => {
      for (const member of others) member.thaw();
    });
    const result = await running;
    const tookMs = performance.now() - startMs;
    await thawed;
    // The member that had it may have ended its connections.
    await Promise.resolve(point[Symbol.asyncDispose]()).catch(() => undefined);
    return { ...result, tookMs };
  }

  async function secretInForce(id: string): Promise<{ revision: number; appSecret: string } | null> {
    const { code, out } = await run(`credential show ${id} --reveal -o json`);
    return code === 0 ? (JSON.parse(out) as { revision: number; appSecret: string }) : null;
  }

  it('says that it may be in force, in time, with the secret that then is', async () => {
    const { code, out, err, tookMs } = await runWhileTheyFreeze(
      'credential rotate acme-hmac --grace 0 --timeout 4s',
      6000,
    );
    assert.equal(code, 6, err);
    assert.ok(tookMs < 7000, `took ${String(tookMs)} ms`);
    assert.match(
      err,
      /it may be in force\..*\nWhether it was made:\n {2}credential acme-hmac: it was, when "postern credential show acme-hmac" shows revision 2\n/,
    );
    const printed = /App Secret {2}([\w-]{43})/.exec(out)?.[1];
    assert.ok(printed !== undefined, out);
    const stored = await poll('the credential', async () => await secretInForce('acme-hmac'));
    assert.equal(stored.appSecret === printed, stored.revision === 2, 'what it says of revisions is true');
  }).timeout(60_000);

  it('finds out within its time, and prints the secret once', async () => {
    const { code, out, err } = await runWhileTheyFreeze(
      'credential issue --consumer acme --method hmac --id ghost',
      3000,
    );
    assert.deepEqual([code, err], [0, '']);
    const printed = /App Secret {2}([\w-]{43})/.exec(out)?.[1];
    assert.equal((await secretInForce('ghost'))?.appSecret, printed);
    const events = JSON.parse(await done('audit list --resource credential/ghost -o json')) as unknown[];
    assert.equal(events.length, 1);
  }).timeout(60_000);

  it('has changed nothing when it says so', async () => {
    for (const member of await secondaries()) await member.freeze();
    const startMs = performance.now();
    const { code, out, err } = await run('credential issue --consumer acme --method hmac --id nobody --timeout 4s');
    const tookMs = performance.now() - startMs;
    assert.equal(code, 5, err);
    assert.match(err, /^postern credential issue: .*\. Nothing was changed\n$/);
    assert.doesNotMatch(out, /App Secret/);
    assert.ok(tookMs < 7000, `took ${String(tookMs)} ms`);
    for (const member of set.members) member.thaw();
    await poll('a primary', async () => await set.primary().catch(() => null));
    await delay(1000);
    assert.equal((await run('credential show nobody')).code, 3);
  }).timeout(60_000);

  it('is tried until a majority is back', async () => {
    const frozen = await secondaries();
    for (const member of frozen) await member.freeze();
    const running = run('consumer edit acme --label back=yes');
    await delay(4000);
    for (const member of frozen) member.thaw();
    const { code, err } = await running;
    assert.deepEqual([code, err], [0, '']);
  }).timeout(60_000);

  it('reads no longer than it may', async () => {
    for (const member of set.members) await member.freeze();
    const startMs = performance.now();
    const { code, err } = await run('consumer show acme --timeout 2s');
    const tookMs = performance.now() - startMs;
    for (const member of set.members) member.thaw();
    assert.equal(code, 5, err);
    assert.ok(tookMs < 5000, `took ${String(tookMs)} ms`);
  }).timeout(60_000);
});
