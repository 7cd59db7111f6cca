import assert from 'node:assert/strict';
import { usePartnerFleet } from '../../support/fleet/use-partner-fleet.ts';
import { mixedTraffic } from '../../support/fleet/partners.ts';

const REQUESTS_PER_SECOND = 80;
const KILLS = 3;
/** Between two steps. */
const SOME = 60;

describe('a replica that is killed again and again, and restarted in place at once', function () {
  this.timeout(180_000);
  const fleet = usePartnerFleet();

  it('answers nothing before it has read the database: only checks in flight at the kill may fail', async () => {
    const startTraffic = await mixedTraffic(fleet, fleet.partner);
    const [victim] = fleet.replicas;
    assert.ok(victim);
    await using load = startTraffic(REQUESTS_PER_SECOND);
    await load.more(SOME);
    let inFlight = 0;
    const reasons = new Set<unknown>();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = load.count();
      await victim.kill();
      inFlight += before.underWay + load.count().begun - before.begun;
      await victim.start();
      await load.more(SOME);
      for (const { detail } of victim.process.logs()) reasons.add(detail);
    }
    const { failed, outcomes } = await load.stop();
    assert.ok(!reasons.has('MongoDB is being read'), 'the other replica could have decided');
    const slow = Object.entries(outcomes).filter(([outcome]) => outcome.endsWith(' 503 STORE_UNAVAILABLE'));
    const lost = failed - slow.reduce((sum, [, count]) => sum + count, 0);
    // What Envoy had sent when the process died was perhaps processed, and is not sent again.
    assert.ok(lost <= inFlight, `${String(lost)} lost, ${String(inFlight)} in flight: ${JSON.stringify(outcomes)}`);
  });
});
