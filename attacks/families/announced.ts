import { data } from '../../test/support/grpc/fake-wire.ts';
import type { Attack } from '../framework/attack.ts';
import type { Assault } from '../framework/assault.ts';
import { checkPath } from '../framework/paths.ts';
import type { RawPeer } from '../framework/raw-peer.ts';
import { messagePrefix, SmallHeads } from '../framework/requests.ts';

/** Messages that are announced and not sent, or sent a byte at a time. */
interface Announcement {
  /** What the five octets before the message of the nth stream say. */
  readonly announcedBytes: (n: number) => number;
  readonly connections: readonly [whole: number, short: number];
  readonly streamsEach: number;
  /** Bytes that follow on every stream, one each second; none unless given. */
  readonly isDripped?: boolean;
}

/** How long good callers are watched beside it. */
const HOLD_SECONDS = [6, 0.5] as const;
const DRIPS = [15, 2] as const;
const DRIP_EVERY_SECONDS = [1, 0.3] as const;

function announcement(attack: Omit<Attack, 'run'>, announced: Announcement): Attack {
  return {
    ...attack,
    run: async (assault) => {
      await announce(assault, announced);
    },
  };
}

async function announce(assault: Assault, announced: Announcement): Promise<void> {
  const { announcedBytes, connections, streamsEach, isDripped = false } = announced;
  const peers = await assault.connectMany(assault.amount(...connections));
  await Promise.all(peers.map(async (peer) => await peer.settled()));
  await assault.begin();
  for (const peer of peers) {
    const heads = new SmallHeads(checkPath);
    const opened = Array.from({ length: streamsEach }, (_, n) =>
      Buffer.concat([heads.next(2 * n + 1), data(2 * n + 1, messagePrefix(announcedBytes(n)))]),
    );
    peer.send(Buffer.concat(opened), 2 * streamsEach);
  }
  if (!isDripped) await assault.hold(assault.amount(...HOLD_SECONDS));
  else {
    for (let left = assault.amount(...DRIPS); left > 0; left -= 1) {
      for (const peer of peers) drip(peer, streamsEach);
      await assault.hold(assault.amount(...DRIP_EVERY_SECONDS));
    }
  }
}

function drip(peer: RawPeer, streams: number): void {
  peer.send(Buffer.concat(Array.from({ length: streams }, (_, n) => data(2 * n + 1, Buffer.from('x')))), streams);
}

const MIB = 1024 * 1024;
/** First the largest message that needs no wider window, then ever smaller ones, so that nothing of a pool is left. */
const small = (n: number): number => (n < 1100 ? 65_530 : n < 1300 ? 1000 : n < 1600 ? 50 : 1);
const large = (n: number): number => (n < 13 ? 10 * MIB : n < 30 ? MIB : n < 100 ? 100_000 : 66_000);

/** Memory that a peer asks for without sending what it is for. */
export const announcedAttacks: readonly Attack[] = [
  announcement(
    { name: 'announced-small', title: '64 KiB announced and not sent, on 4000 streams of two connections' },
    { announcedBytes: small, connections: [2, 2], streamsEach: 2000 },
  ),
  announcement(
    { name: 'announced-small-many', title: 'the same on 250 connections' },
    { announcedBytes: (n) => small(20 * n), connections: [250, 50], streamsEach: 100 },
  ),
  announcement(
    { name: 'announced-large', title: '10 MiB announced and not sent, on 500 streams of two connections' },
    { announcedBytes: large, connections: [2, 2], streamsEach: 250 },
  ),
  announcement(
    { name: 'announced-large-many', title: 'the same on 250 connections' },
    { announcedBytes: (n) => large(40 * n), connections: [250, 50], streamsEach: 10 },
  ),
  announcement(
    { name: 'dripped-small', title: '64 KiB announced, then a byte each second, on 4000 streams' },
    { announcedBytes: small, connections: [40, 40], streamsEach: 100, isDripped: true },
  ),
  announcement(
    { name: 'dripped-large', title: '10 MiB announced, then a byte each second, on 500 streams' },
    { announcedBytes: large, connections: [50, 50], streamsEach: 10, isDripped: true },
  ),
];
