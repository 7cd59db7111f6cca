import { type Fleet, startFleet } from '../../support/fleet/fleet.ts';
import { makeEndpoints, makePartner, mixedTraffic } from '../../support/fleet/partners.ts';
import { type Load } from '../../support/load/open-load.ts';
import { poll } from '../../support/time/poll.ts';
import { release } from '../../support/lifetime/release.ts';
import { assertNoFailure, mixedKinds } from './assert-no-failure.ts';

const REQUESTS_PER_SECOND = 80;
/** Between two steps. */
const SOME = 60;

describe('an election of MongoDB under load of known callers', function () {
  this.timeout(120_000);
  let fleet: Fleet;
  let startTraffic: (perSecond: number) => Load;
  before(async () => {
    fleet = await startFleet({ members: 3, prepare: makeEndpoints });
    startTraffic = await mixedTraffic(fleet, await makePartner(fleet));
  });
  after(() => release(fleet));

  async function startKnownLoad(): Promise<Load> {
    const load = startTraffic(REQUESTS_PER_SECOND);
    await load.more(SOME);
    return load;
  }

  it('fails no request when the primary steps down', async () => {
    await using load = await startKnownLoad();
    await fleet.mongodb.stepDown();
    await fleet.mongodb.primary();
    await load.more(SOME);
    assertNoFailure(await load.stop(), mixedKinds);
  });

  it('fails no request when the primary is killed, and comes back', async () => {
    await using load = await startKnownLoad();
    const primary = await fleet.mongodb.primary();
    await primary.kill();
    await fleet.mongodb.primary();
    await load.more(SOME);
    await primary.restart();
    await inOrder();
    await load.more(SOME);
    assertNoFailure(await load.stop(), mixedKinds);
  });

  /** Resolves when every member is the primary or a secondary. */
  async function inOrder(): Promise<void> {
    await poll('all members', async () => {
      const status = await fleet.mongodb.command({ replSetGetStatus: 1 }).catch(() => null);
      const members = (status?.['members'] ?? []) as readonly { readonly state: number }[];
      return members.length === 3 && members.every(({ state }) => state === 1 || state === 2) ? true : null;
    });
  }
});
