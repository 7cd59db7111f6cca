import { SCHEMA_VERSION } from '../../src/stores/mongodb/schema/collections.ts';
import { startFleet } from '../../test/support/fleet/fleet.ts';
import { makeEndpoints, makePartner, mixedTraffic } from '../../test/support/fleet/partners.ts';
import { setSchemaVersion, withDatabase } from '../../test/support/fleet/schema-version.ts';
import type { Drill } from '../framework/drill.ts';
import { expectNoFailure } from '../framework/traffic.ts';

const REQUESTS_PER_SECOND = 200;
/** Between two steps. */
const SOME = 200;

/** The schema goes up by a version while replicas serve, and they are replaced one after the other. */
export const schemaUpgrade: Drill = {
  name: 'schema-upgrade',
  title: 'the schema of the database is upgraded while partners call',
  services: ['envoy', 'mongodb'],
  isQuick: false,
  run: async (stage) => {
    await using fleet = await startFleet({ prepare: makeEndpoints });
    const startTraffic = await mixedTraffic(fleet, await makePartner(fleet));
    await using load = startTraffic(REQUESTS_PER_SECOND);
    await load.more(SOME);
    stage.step(
      'Two replicas serve on a database of the former schema (it lacks the collections "sessions" and "idempotency")',
    );
    await withDatabase(fleet, async (db) => {
      for (const name of ['sessions', 'idempotency']) await db.dropCollection(name);
      await setSchemaVersion(db, SCHEMA_VERSION - 1);
    });
    await stage.postern(fleet, 'doctor', { code: 1 });
    await load.more(SOME);

    stage.step('Bring the schema up to date first');
    await stage.postern(fleet, 'doctor --fix');
    await load.more(SOME);

    stage.step('Then replace the replicas, one after the other');
    for (const [at, replica] of fleet.replicas.entries()) {
      await replica.stop();
      await replica.start();
      await fleet.healthy(2);
      stage.expect(`replica ${String(at + 1)} serves again`, true);
      await load.more(SOME);
    }
    expectNoFailure(stage, await load.stop());

    stage.step('A newer Postern has changed the schema: commands refuse, running replicas keep serving');
    await withDatabase(fleet, async (db) => {
      await setSchemaVersion(db, SCHEMA_VERSION + 1);
    });
    await stage.postern(fleet, 'consumer create initech', { code: 1 });
    await using rest = startTraffic(REQUESTS_PER_SECOND);
    await rest.more(SOME);
    expectNoFailure(stage, await rest.stop());
    stage.note('If a replica of this version restarts now, it is not ready until the schema is one that it knows.');
  },
};
