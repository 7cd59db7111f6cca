import assert from 'node:assert/strict';
import { usePartnerFleet } from '../../support/fleet/use-partner-fleet.ts';
import { startChild } from '../../support/process/child-process.ts';
import { type FleetReplica } from '../../support/fleet/fleet.ts';
import { mixedTraffic } from '../../support/fleet/partners.ts';
import { setSchemaVersion, withDatabase } from '../../support/fleet/schema-version.ts';
import { withClient } from '../../support/mongodb/command.ts';
import { poll } from '../../support/time/poll.ts';
import { SCHEMA_VERSION } from '../../../src/stores/mongodb/schema/collections.ts';
import { assertNoFailure, mixedKinds } from './assert-no-failure.ts';

const program = new URL('../../../dist/main.js', import.meta.url).pathname;
const REQUESTS_PER_SECOND = 80;
/** Between two steps. */
const SOME = 60;

/** A `postern serve` that may or may not become ready. */
interface StartedProcess extends AsyncDisposable {
  /** What `/readyz` answers. */
  readiness(): Promise<string>;
  ready(): Promise<void>;
}

describe('a change of the schema under load', function () {
  this.timeout(120_000);
  const fleet = usePartnerFleet();

  const version = async (): Promise<unknown> => {
    const found = await withClient(fleet.environment.POSTERN_STORE, async (client) =>
      client.db().collection<{ _id: string; version: number }>('meta').findOne({ _id: 'schema' }),
    );
    return found?.version;
  };
  async function startMixedLoad() {
    const startTraffic = await mixedTraffic(fleet, fleet.partner);
    return startTraffic(REQUESTS_PER_SECOND);
  }
  /** Starts a process in the place of a replica that was stopped; it need not become ready. */
  async function startInPlaceOf({ process: { grpcPort, httpPort } }: FleetReplica): Promise<StartedProcess> {
    const child = await startChild({
      command: process.execPath,
      args: [program, 'serve'],
      env: {
        ...fleet.environment,
        POSTERN_GRPC_ADDRESS: `127.0.0.1:${String(grpcPort)}`,
        POSTERN_HTTP_ADDRESS: `127.0.0.1:${String(httpPort)}`,
        POSTERN_ADMIN_ADDRESS: '127.0.0.1:0',
        POSTERN_SHUTDOWN_GRACE_SECONDS: '0',
      },
    });
    const told = async (message: string) =>
      await child.line('stdout', (line) => {
        const entry = JSON.parse(line) as Readonly<Record<string, unknown>>;
        return String(entry['message']).startsWith(message) ? entry : null;
      });
    const { admin } = await told('the gRPC and OAuth2 listeners open when');
    return {
      readiness: async () => {
        const answer = await fetch(`http://${String(admin)}/readyz`);
        return `${String(answer.status)} ${await answer.text()}`;
      },
      ready: async () => {
        await told('ready');
      },
      [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
    };
  }

  it('fails no request while "doctor --fix" brings the schema of version 3 up to date, and replicas that wait for it begin', async () => {
    await using load = await startMixedLoad();
    await load.more(SOME);
    // What later versions added, and replicas of version 3 do not know.
    await withDatabase(fleet, async (db) => {
      for (const name of ['replay', 'sessions', 'idempotency']) await db.dropCollection(name);
      await setSchemaVersion(db, 3);
    });
    await load.more(SOME);
    const [first] = fleet.replicas;
    assert.ok(first);
    await first.stop();
    {
      await using waiting = await startInPlaceOf(first);
      await load.more(SOME);
      assert.match(
        await poll('a reason', async () => await reason(waiting)),
        new RegExp(`has schema version 3, and this Postern needs ${String(SCHEMA_VERSION)}: .*postern doctor --fix`),
      );
      assert.match(await fleet.postern('doctor', '--fix'), /no faults/);
      assert.equal(await version(), SCHEMA_VERSION);
      await waiting.ready();
      await fleet.healthy(2);
      await load.more(SOME);
      // Before the process ends, which gives nobody time.
      assertNoFailure(await load.stop(), mixedKinds);
    }
    await first.start();
    await fleet.healthy(2);
  });

  it('fails no request when a newer version changes the schema; a replica that is restarted then waits, and says why', async () => {
    await using load = await startMixedLoad();
    await load.more(SOME);
    await withDatabase(fleet, async (db) => {
      await setSchemaVersion(db, SCHEMA_VERSION + 1);
    });
    await load.more(SOME);
    const [first] = fleet.replicas;
    assert.ok(first);
    await first.stop();
    {
      await using waiting = await startInPlaceOf(first);
      await load.more(SOME);
      assert.match(
        await poll('a reason', async () => await reason(waiting)),
        new RegExp(
          `has schema version ${String(SCHEMA_VERSION + 1)}, and this Postern knows ${String(SCHEMA_VERSION)} at most`,
        ),
      );
      await withDatabase(fleet, async (db) => {
        await setSchemaVersion(db, SCHEMA_VERSION);
      });
      await waiting.ready();
      await fleet.healthy(2);
      await load.more(SOME);
      assertNoFailure(await load.stop(), mixedKinds);
    }
    await first.start();
    await fleet.healthy(2);
  });
});

/** Why a process is not ready, once it has found out; null before. */
async function reason(started: StartedProcess): Promise<string | null> {
  const text = await started.readiness();
  return text.includes('schema') ? text : null;
}
