import { type Fleet, startFleet } from '../../test/support/fleet/fleet.ts';
import {
  getToken,
  handOver,
  makeEndpoints,
  makePartner,
  mixedRequests,
  signed,
  withToken,
} from '../../test/support/fleet/partners.ts';
import { startLoad } from '../../test/support/load/open-load.ts';
import { decodeSegment, partsOf } from '../../test/support/oauth2/forged-token.ts';
import { poll } from '../../test/support/time/poll.ts';
import { bringRing, giveRings, ringOf } from '../framework/bring-ring.ts';
import type { Drill } from '../framework/drill.ts';
import type { Stage } from '../framework/stage.ts';
import { expectCall, expectNoFailure, untilCall } from '../framework/traffic.ts';

const REQUESTS_PER_SECOND = 200;
/** Between two steps. */
const SOME = 200;

/** Every replica has a copy of the ring, which gets new keys while partners call. */
export const keyRingRotation: Drill = {
  name: 'key-ring-rotation',
  title: 'a new key for App Secrets and tokens, with a copy of the ring for each replica',
  services: ['envoy', 'mongodb'],
  isQuick: false,
  run: async (stage) => {
    await using fleet = await startFleet({
      ringOf,
      prepare: async (parts) => {
        await makeEndpoints(parts);
        await giveRings(parts);
      },
    });
    const partner = await makePartner(fleet);
    const oldToken = await getToken(fleet.envoy.port, partner.oauth2);
    const start = (token: string) =>
      startLoad({ port: fleet.envoy.port, perSecond: REQUESTS_PER_SECOND, next: mixedRequests(partner, token) });
    {
      await using load = start(oldToken);
      stage.step('Add a key that is not used yet, and bring the ring to each replica');
      await stage.postern(fleet, 'keyring rotate --stage');
      for (const at of [0, 1]) await bringTo(stage, fleet, at);
      await load.more(SOME);

      stage.step('Use the key, and bring the ring to each replica again');
      await stage.postern(fleet, 'keyring rotate --promote');
      await bringTo(stage, fleet, 0);
      stage.note(
        'Now one replica signs with the new key and the other with the former one. An operator issues a credential:',
      );
      const issued = await handOver(fleet, 'credential issue --consumer acme --method hmac --id acme-new');
      await untilCall(stage, fleet, 'a caller whose secret is sealed with the new key', () => signed(issued), '200');
      await bringTo(stage, fleet, 1);
      await load.more(SOME);

      stage.step('Seal every secret with the new key');
      await stage.postern(fleet, 'keyring rewrap');
      await load.more(SOME);
      expectNoFailure(stage, await load.stop());
    }
    stage.step('After an hour, when no token of the former key is left, remove it');
    const keyOf = (token: string): unknown => decodeSegment(partsOf(token).header)['kid'];
    // A new key signs after it was in the ring of a replica for ten seconds.
    const newToken = await poll('a token of the new key', async () => {
      const token = await getToken(fleet.envoy.port, partner.oauth2);
      return keyOf(token) === keyOf(oldToken) ? null : token;
    });
    const shown = JSON.parse(await fleet.postern('keyring', 'show', '-o', 'json')) as {
      readonly keys: readonly { readonly id: string; readonly state: string }[];
    };
    const former = shown.keys.find(({ state }) => state !== 'current')?.id ?? '';
    {
      await using load = start(newToken);
      await load.more(SOME);
      await stage.postern(fleet, `keyring remove ${former} --yes`);
      for (const at of [0, 1]) await bringTo(stage, fleet, at);
      await load.more(SOME);
      expectNoFailure(stage, await load.stop());
    }
    await expectCall(stage, fleet, 'a remaining token of the removed key', withToken(oldToken), '401 TOKEN_INVALID');
    await stage.postern(fleet, 'keyring show');
  },
};

/** Brings the operator's ring to a replica. */
async function bringTo(stage: Stage, fleet: Fleet, at: number): Promise<void> {
  await bringRing(fleet, at);
  stage.expect(`replica ${String(at + 1)} logs: the key ring is in force`, true);
}
