import type { Attack } from '../framework/attack.ts';
import { healthPath } from '../framework/paths.ts';
import { passed, type RawPeer } from '../framework/raw-peer.ts';
import { asksHealth, SmallHeads } from '../framework/requests.ts';

/** Streams that the service says it allows (SETTINGS_MAX_CONCURRENT_STREAMS). */
const STREAMS = 2048;
/** More than that of one connection is no health check. */
const FEW_WATCHES = 64;

async function watch(peers: readonly RawPeer[]): Promise<void> {
  for (const peer of peers) {
    const heads = new SmallHeads(healthPath.watch);
    peer.send(
      Buffer.concat(Array.from({ length: STREAMS }, (_, n) => heads.request(2 * n + 1, asksHealth))),
      2 * STREAMS,
    );
    await peer.flushed();
  }
}

/** Calls that stay open and cost their caller nothing. */
export const watchAttacks: readonly Attack[] = [
  {
    name: 'watches',
    title: '2048 Health/Watch on each of 600 connections',
    run: async (assault) => {
      const peers = await assault.connectMany(assault.amount(600, 6));
      await assault.begin();
      await watch(peers);
      await Promise.all(peers.map(async (peer) => await peer.settled()));
      await assault.hold(assault.amount(3, 0.2));
      const most = Math.max(...peers.map(({ answers }) => answers.open));
      const refused = peers.reduce((sum, { answers }) => sum + answers.ended, 0);
      assault.expect(`at most ${String(FEW_WATCHES)} watches of a connection are taken`, most <= FEW_WATCHES, most);
      assault.expect('the others are refused', refused > 0, refused);
    },
  },
  {
    name: 'watches-unread',
    title: 'the same, and the answers are not read',
    run: async (assault) => {
      const peers = await assault.connectMany(assault.amount(600, 6));
      for (const peer of peers) peer.stopReading();
      await assault.begin();
      await Promise.race([watch(peers), passed(assault.amount(30_000, 1000))]);
      await assault.hold(assault.amount(5, 0.4));
    },
  },
];
