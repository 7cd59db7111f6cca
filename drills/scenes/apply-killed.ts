import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fleet, startFleet } from '../../test/support/fleet/fleet.ts';
import { handOver, keyed, makeEndpoints, makePartner, signed } from '../../test/support/fleet/partners.ts';
import type { PlainRequest } from '../../test/support/http/http-client.ts';
import { withClient } from '../../test/support/mongodb/command.ts';
import { type Child, startChild } from '../../test/support/process/child-process.ts';
import { poll } from '../../test/support/time/poll.ts';
import { runCli } from '../../test/unit/cli/run-cli.ts';
import type { Drill } from '../framework/drill.ts';
import type { Stage } from '../framework/stage.ts';
import { call, expectCall } from '../framework/traffic.ts';

const program = new URL('../../dist/main.js', import.meta.url).pathname;
const CONSUMERS = 20_000;
/**
 * How soon the quickest of three emergency stops is in force: well below a second, unless the machine is overloaded.
 */
const IN_FORCE_MS = 3000;
/** How much a busy machine may add to what takes no time. */
const MAX_BUSY_MS = 10_000;

/** A large `apply` is under way, and dies: emergency stops wait for neither. */
export const applyKilled: Drill = {
  name: 'apply-killed',
  title: 'a large apply runs and is killed; credentials are revoked and issued all the same',
  services: ['envoy', 'mongodb'],
  isQuick: false,
  run: async (stage) => {
    await using fleet = await startFleet({ replicas: 1, prepare: makeEndpoints });
    const partner = await makePartner(fleet);
    await writeFile(join(fleet.folder, 'many.json'), manyPartners());

    const keys = ['one', 'two', 'three'];
    const leaked = await Promise.all(
      keys.map(async (id) => await handOver(fleet, `credential issue --consumer acme --method key --id ${id}`)),
    );
    stage.step('Partners call');
    await expectCall(stage, fleet, 'key', keyed(partner.key), '200');
    await expectCall(stage, fleet, 'hmac', signed(partner.hmac), '200');
    for (const each of leaked) await expectCall(stage, fleet, `key ${each.id}`, keyed(each), '200');
    // What the commands of this process load is loaded now.
    await runCli('credential revoke one --yes --dry-run'.split(' '), fleet.environment);

    stage.step('A file with 40 000 changes is applied; three credentials are revoked at the same time');
    const apply = await startApply(fleet);
    let hasEnded = false;
    void apply.ended.then(() => (hasEnded = true));
    try {
      const times: number[] = [];
      for (const each of leaked) {
        await untilTransaction(fleet);
        times.push(await revoke(stage, fleet, each.id, () => keyed(each)));
      }
      const quickestMs = Math.min(...times);
      stage.expect('none waited for the apply', quickestMs <= IN_FORCE_MS, `at least ${quickestMs.toFixed(0)} ms`);
      stage.expect('the apply goes on', !hasEnded);

      stage.step('The apply is killed (SIGKILL) in the middle of a transaction, which the server keeps for a minute');
      await untilTransaction(fleet);
    } finally {
      apply.signal('SIGKILL');
      await apply.ended;
    }
    const inForceMs = await revoke(stage, fleet, 'acme-hmac', () => signed(partner.hmac));
    stage.expect('it did not wait for the minute', inForceMs <= MAX_BUSY_MS, `${inForceMs.toFixed(0)} ms`);
    stage.note('A new credential, which is committed after other changes:');
    const startMs = performance.now();
    const issued = await runCli(
      'credential issue --consumer acme --method hmac --id acme-new'.split(' '),
      fleet.environment,
    );
    const tookMs = performance.now() - startMs;
    stage.show(`$ postern credential issue --consumer acme --method hmac --id acme-new: ${tookMs.toFixed(0)} ms`);
    stage.expect(
      'it is issued, and did not wait for the minute',
      issued.code === 0 && tookMs < 5 * IN_FORCE_MS,
      issued.err,
    );

    stage.step('Apply the same file again: it does what is left, and revives nothing');
    stage.show('$ postern apply -f many.json');
    await fleet.postern('apply', '-f', 'many.json');
    await stage.postern(fleet, 'diff -f many.json', { lines: 1 });
    for (const each of leaked) {
      await expectCall(stage, fleet, `key ${each.id}`, keyed(each), '401 AUTHENTICATION_FAILED');
    }
    await expectCall(stage, fleet, 'key', keyed(partner.key), '200');
    await expectCall(stage, fleet, 'hmac', signed(partner.hmac), '401 AUTHENTICATION_FAILED');
  },
};

/**
 * Revokes a credential, and waits until the replica refuses it. Gives how many milliseconds that took, without the
 * second or so that a process takes to start.
 */
async function revoke(stage: Stage, fleet: Fleet, id: string, request: () => PlainRequest): Promise<number> {
  const startMs = performance.now();
  const { code, err } = await runCli(['credential', 'revoke', id, '--yes'], fleet.environment);
  const tookMs = performance.now() - startMs;
  stage.expect(`postern credential revoke ${id} --yes: exit code 0`, code === 0, err);
  await poll('the refusal', async () => ((await call(fleet, request())).startsWith('401') ? true : null));
  const inForceMs = performance.now() - startMs;
  stage.show(`took ${tookMs.toFixed(0)} ms, in force at the replica after ${inForceMs.toFixed(0)} ms`);
  return inForceMs;
}

async function startApply({ environment, folder }: Fleet): Promise<Child> {
  const args = [program, 'apply', '-f', 'many.json', '-o', 'json'];
  return await startChild({ command: process.execPath, args, cwd: folder, env: environment });
}

/** Waits until a transaction has been open for a while. */
async function untilTransaction({ mongodb }: Fleet): Promise<void> {
  await withClient(mongodb.uri(), async (client) => {
    const isOpen = { $match: { 'transaction.timeOpenMicros': { $gt: 200_000 } } };
    await poll('a transaction', async () => {
      const [found] = await client
        .db('admin')
        .aggregate([{ $currentOp: { idleSessions: true } }, isOpen])
        .toArray();
      return found === undefined ? null : true;
    });
  });
}

function manyPartners(): string {
  const consumers = Array.from({ length: CONSUMERS }, (_, index) => {
    const id = `many-${String(index)}`;
    return { id, credentials: [{ id: `${id}-key`, method: 'key', appKey: randomBytes(16).toString('hex') }] };
  });
  return JSON.stringify({ version: 1, consumers });
}
