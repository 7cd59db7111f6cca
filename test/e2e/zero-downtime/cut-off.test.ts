import assert from 'node:assert/strict';
import { type Fleet, startFleet } from '../../support/fleet/fleet.ts';
import { handOver, keyed, makeEndpoints } from '../../support/fleet/partners.ts';
import { send } from '../../support/http/http-client.ts';
import { poll } from '../../support/time/poll.ts';
import { type Relay, startRelay } from '../../support/stack/relay.ts';
import { release } from '../../support/lifetime/release.ts';

const CALLS = 40;

describe('two replicas, one of them cut off from MongoDB', function () {
  this.timeout(120_000);
  let relay: Relay | undefined;
  let fleet: Fleet;
  before(async () => {
    fleet = await startFleet({
      prepare: async (parts) => {
        const [member] = parts.mongodb.members;
        assert.ok(member);
        relay = await startRelay(member.port);
        await makeEndpoints(parts);
      },
      // Directly: a driver that is told of the set would find its members, past the relay.
      storeOf: (number, mongodb) =>
        number === 0 && relay !== undefined
          ? `mongodb://127.0.0.1:${String(relay.port)}/postern?directConnection=true`
          : mongodb.uri('postern'),
    });
  });
  after(async () => {
    await release(fleet);
    await relay?.[Symbol.asyncDispose]();
  });

  const statuses = async (appKeys: readonly string[]): Promise<Readonly<Record<string, number>>> => {
    const counts: Record<string, number> = {};
    for (const appKey of appKeys) {
      const { status } = await send('HTTP/1.1', fleet.envoy.port, keyed({ id: '', appKey, appSecret: null }));
      counts[String(status)] = (counts[String(status)] ?? 0) + 1;
    }
    return counts;
  };
  const admin = async (): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${String(fleet.replicas[0]?.process.adminPort)}/readyz`);
    return `${String(answer.status)} ${await answer.text()}`;
  };

  it('leads new callers to the other one, and known callers to both when both are', async () => {
    assert.ok(relay);
    const known = await handOver(fleet, 'credential issue --consumer acme --method key');
    const calls = Array.from({ length: CALLS }, () => known.appKey);
    assert.deepEqual(await statuses(calls), { '200': CALLS });

    relay.cut();
    await fleet.healthy(1);
    assert.match(await admin(), /^200 ready\n.*callers not in memory are refused with 503\nrevision \d+\n$/);
    const fresh = await Promise.all(
      Array.from({ length: 12 }, () => handOver(fleet, 'credential issue --consumer acme --method key')),
    );
    assert.deepEqual(await statuses(fresh.map(({ appKey }) => appKey)), { '200': fresh.length });
    assert.deepEqual(await statuses(calls), { '200': CALLS });

    const [member] = fleet.mongodb.members;
    assert.ok(member);
    await member.kill();
    await fleet.healthy(0);
    assert.deepEqual(await statuses(calls), { '200': CALLS }, 'known callers are served while no replica can look up');
    await member.restart();
    relay.restore();
    await fleet.healthy(2);
    await poll('a replica that reads its database again', async () =>
      /^200 ready\n(revision \d+\n)?$/.test(await admin()) ? true : null,
    );
    assert.deepEqual(await statuses(calls), { '200': CALLS });
  });
});
