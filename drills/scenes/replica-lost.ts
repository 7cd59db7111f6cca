import { startFleet } from '../../test/support/fleet/fleet.ts';
import { makeEndpoints, makePartner, mixedTraffic } from '../../test/support/fleet/partners.ts';
import type { Drill } from '../framework/drill.ts';
import { describeLoad, expectNoFailure } from '../framework/traffic.ts';

const REQUESTS_PER_SECOND = 200;
/** Between two steps. */
const SOME = 400;
/** More than requests that were under way when the machine was lost. */
const MOST_FAILED_SHARE = 0.05;

/** The machine of one replica is lost. */
export const replicaLost: Drill = {
  name: 'replica-lost',
  title: 'the machine of one replica of two is lost, and comes back',
  services: ['envoy', 'mongodb'],
  isQuick: false,
  run: async (stage) => {
    await using fleet = await startFleet({ prepare: makeEndpoints });
    const startTraffic = await mixedTraffic(fleet, await makePartner(fleet));
    const [lost] = fleet.replicas;
    if (lost === undefined) throw new Error('a fleet has replicas');
    stage.step('Two replicas serve. Kill one (SIGKILL): nothing is drained, and no one is notified');
    {
      await using load = startTraffic(REQUESTS_PER_SECOND);
      await load.more(SOME);
      await lost.kill();
      await fleet.healthy(1);
      const report = await load.stop();
      const { failed, sent } = report;
      stage.expect(
        'requests that it was deciding may fail; nearly all others were answered',
        failed <= sent * MOST_FAILED_SHARE,
        describeLoad(report),
      );
    }
    stage.step('Use the other replica alone');
    {
      await using load = startTraffic(REQUESTS_PER_SECOND);
      await load.more(SOME);
      expectNoFailure(stage, await load.stop());
    }
    stage.step('Bring it back');
    {
      await using load = startTraffic(REQUESTS_PER_SECOND);
      await lost.start();
      await fleet.healthy(2);
      await load.more(SOME);
      expectNoFailure(stage, await load.stop());
    }
  },
};
