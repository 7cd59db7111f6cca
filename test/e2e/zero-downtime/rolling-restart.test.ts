import assert from 'node:assert/strict';
import { usePartnerFleet } from '../../support/fleet/use-partner-fleet.ts';
import { mixedTraffic } from '../../support/fleet/partners.ts';
import { assertNoFailure, mixedKinds } from './assert-no-failure.ts';

const REQUESTS_PER_SECOND = 100;
/** Between two steps. */
const SOME = 60;

describe('a rolling restart of two replicas under load', function () {
  this.timeout(120_000);
  const fleet = usePartnerFleet();

  it('fails no request, whatever its method, and sends each to the back end once', async () => {
    const startTraffic = await mixedTraffic(fleet, fleet.partner);
    fleet.backend.reset();
    const pids = fleet.replicas.map(({ process }) => process.pid);
    await using load = startTraffic(REQUESTS_PER_SECOND);
    await load.more(SOME);
    for (const replica of fleet.replicas) {
      await replica.stop();
      await load.more(SOME);
      await replica.start();
      await fleet.healthy(2);
      await load.more(SOME);
    }
    const report = await load.stop();
    assertNoFailure(report, mixedKinds);
    assert.ok(fleet.replicas.every(({ process }) => !pids.includes(process.pid)));
    assert.equal(fleet.backend.requests.length, report.sent - (report.outcomes['token 200'] ?? 0));
    for (const { process } of fleet.replicas) {
      const cut = process.logs().filter(({ level }) => level === 'warn' || level === 'error');
      assert.deepEqual(cut, []);
    }
  });
});
