import { startFleet } from '../../test/support/fleet/fleet.ts';
import { handOver, keyed, makeEndpoints, makePartner, signed } from '../../test/support/fleet/partners.ts';
import { poll } from '../../test/support/time/poll.ts';
import type { Drill } from '../framework/drill.ts';
import { expectCall, untilCall } from '../framework/traffic.ts';

/** The database is down. */
export const mongodbLost: Drill = {
  name: 'mongodb-lost',
  title: 'the database is down: cached callers are served, others get 503, recovery is automatic',
  services: ['envoy', 'mongodb'],
  isQuick: false,
  run: async (stage) => {
    await using fleet = await startFleet({ replicas: 1, prepare: makeEndpoints });
    const { mongodb, replicas } = fleet;
    const partner = await makePartner(fleet);
    const quiet = await handOver(fleet, 'credential issue --consumer acme --method key --id acme-quiet');
    const [server] = mongodb.members;
    const [replica] = replicas;
    if (server === undefined || replica === undefined) throw new Error('a fleet has a server and a replica');
    const admin = async (path: string): Promise<string> => {
      const answer = await fetch(`http://127.0.0.1:${String(replica.process.adminPort)}${path}`);
      return `${String(answer.status)} ${(await answer.text()).trimEnd()}`;
    };
    const metric = async (name: string): Promise<string> =>
      new RegExp(`^${name} .*$`, 'm').exec(await replica.process.metrics())?.[0] ?? '';
    const logged = async (message: string): Promise<void> => {
      const line = await replica.process.logLine((entry) => String(entry['message']).startsWith(message));
      stage.show(`log: ${String(line['level'])}: ${String(line['message'])}`);
    };

    stage.step('Two partners have credentials; one of them calls');
    await expectCall(stage, fleet, 'the partner who calls, hmac', signed(partner.hmac), '200');
    await expectCall(stage, fleet, 'the partner who calls, key', keyed(partner.key), '200');

    stage.step('MongoDB is lost (SIGKILL of its only member)');
    await server.kill();
    await logged('the database cannot be read');
    await expectCall(stage, fleet, 'a cached caller, hmac', signed(partner.hmac), '200');
    await expectCall(stage, fleet, 'a cached caller, key', keyed(partner.key), '200');
    await untilCall(stage, fleet, 'another caller', () => keyed(quiet), '503 STORE_UNAVAILABLE');

    stage.step('What monitoring shows');
    const readiness = await admin('/readyz');
    stage.show(`GET /readyz: ${readiness.replaceAll('\n', ': ')}`);
    stage.expect('the replica stays in service', readiness.startsWith('200 '));
    const up = await poll('the metric', async () =>
      (await metric('postern_store_up')).endsWith(' 0') ? 'postern_store_up 0' : null,
    );
    stage.show(up);
    await stage.postern(fleet, 'consumer list', { code: 5 });

    stage.step('MongoDB comes back');
    await server.restart();
    await mongodb.primary();
    await logged('the database is back');
    await untilCall(stage, fleet, 'the caller who was refused', () => keyed(quiet), '200');
    stage.expect(
      'nothing was restarted',
      replica.process.logs().filter(({ message }) => message === 'ready').length === 1,
    );
    stage.show(await metric('postern_store_up'));
  },
};
