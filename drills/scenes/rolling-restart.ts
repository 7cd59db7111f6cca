import { startFleet } from '../../test/support/fleet/fleet.ts';
import { makeEndpoints, makePartner, mixedTraffic } from '../../test/support/fleet/partners.ts';
import type { Drill } from '../framework/drill.ts';
import { expectNoFailure } from '../framework/traffic.ts';

const REQUESTS_PER_SECOND = 500;
/** Between two steps. */
const SOME = 500;

/** Two replicas are replaced, one after the other, at 500 requests a second. */
export const rollingRestart: Drill = {
  name: 'rolling-restart',
  title: 'two replicas are replaced, one after the other, at 500 requests a second',
  services: ['envoy', 'mongodb'],
  isQuick: false,
  run: async (stage) => {
    await using fleet = await startFleet({ prepare: makeEndpoints });
    const startTraffic = await mixedTraffic(fleet, await makePartner(fleet));
    fleet.backend.reset();
    stage.step('Two replicas serve; partners call by key, hmac and access token, and ask for tokens');
    await using load = startTraffic(REQUESTS_PER_SECOND);
    await load.more(SOME);
    for (const [at, replica] of fleet.replicas.entries()) {
      const name = `replica ${String(at + 1)}`;
      stage.step(`Replace ${name}: SIGTERM, wait for its end, start it, wait until Envoy counts it again`);
      await replica.stop();
      stage.show(
        `${name} logs: ${replica.process
          .logs()
          .slice(-2)
          .map(({ message }) => String(message))
          .join(', ')}`,
      );
      stage.expect(`${name} ended with exit code 0, and cut nothing`, !replica.process.output().includes('cut'));
      await load.more(SOME);
      await replica.start();
      await fleet.healthy(2);
      stage.expect(`${name} serves again`, true);
      await load.more(SOME);
    }
    stage.step('Count');
    const report = await load.stop();
    expectNoFailure(stage, report);
    const forwarded = report.sent - (report.outcomes['token 200'] ?? 0);
    const { length } = fleet.backend.requests;
    stage.expect('the back end got every request exactly once', length === forwarded, String(length));
  },
};
