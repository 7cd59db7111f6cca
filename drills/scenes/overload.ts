import { startFleet } from '../../test/support/fleet/fleet.ts';
import { makeEndpoints, makePartner, mixedTraffic } from '../../test/support/fleet/partners.ts';
import { startLoad } from '../../test/support/load/open-load.ts';
import type { Drill } from '../framework/drill.ts';
import { describeLoad, expectNoFailure } from '../framework/traffic.ts';

const REQUESTS_PER_SECOND = 100;
/** More than any machine that this runs on can bear; as many as it can are under way. */
const FLOOD_PER_SECOND = 20_000;
const FLOOD = 6000;
const SOME = 200;

/** A flood of unknown App Keys, beside partners; then a replica that hangs. */
export const overload: Drill = {
  name: 'overload',
  title: 'a flood of invented App Keys, and a replica that hangs',
  services: ['envoy', 'mongodb'],
  isQuick: false,
  run: async (stage) => {
    await using fleet = await startFleet({ prepare: makeEndpoints });
    const startTraffic = await mixedTraffic(fleet, await makePartner(fleet));
    const { port } = fleet.envoy;
    {
      stage.step('Partners call, and an attacker sends as many invented App Keys as the machine can');
      await using partners = startTraffic(REQUESTS_PER_SECOND);
      await partners.more(SOME);
      let tried = 0;
      await using flood = startLoad({
        port,
        perSecond: FLOOD_PER_SECOND,
        next: () => {
          tried += 1;
          return {
            kind: 'invented',
            request: { target: '/keyed', headers: [['x-app-key', `invented-${String(tried)}`]] },
          };
        },
      });
      await flood.more(FLOOD);
      const flooded = await flood.stop();
      const outcomes = Object.keys(flooded.outcomes);
      const clean = ['invented 401 AUTHENTICATION_FAILED', 'invented 503 STORE_UNAVAILABLE'];
      stage.expect(
        'every invented App Key was refused: 401, or 503 where it was not looked up',
        outcomes.length > 0 && outcomes.every((outcome) => clean.includes(outcome)),
        describeLoad(flooded),
      );
      stage.note('The partners, at the same time:');
      expectNoFailure(stage, await partners.stop());
    }
    {
      stage.step('A replica hangs (SIGSTOP): it accepts requests and does not answer');
      const [hanging] = fleet.replicas;
      if (hanging === undefined) throw new Error('a fleet has replicas');
      await using partners = startTraffic(REQUESTS_PER_SECOND);
      await partners.more(SOME);
      hanging.process.signal('SIGSTOP');
      await fleet.healthy(1);
      const during = await partners.stop();
      const clean = Object.keys(during.outcomes).every((outcome) => / (200|50[34] \w+)$/.test(outcome));
      stage.expect(
        "requests that it had accepted ended with 503 or 504 within Envoy's 5 s, and no other failed",
        clean,
        describeLoad(during),
      );
      stage.step('Envoy does not use it after two failed health checks; the other replica serves alone');
      await using alone = startTraffic(REQUESTS_PER_SECOND);
      await alone.more(SOME);
      expectNoFailure(stage, await alone.stop());
      stage.step('It wakes up');
      hanging.process.signal('SIGCONT');
      await fleet.healthy(2);
      await using both = startTraffic(REQUESTS_PER_SECOND);
      await both.more(SOME);
      expectNoFailure(stage, await both.stop());
    }
  },
};
