import type { Attack } from './attack.ts';
import type { Assault } from './assault.ts';
import { passed, type RawPeer } from './raw-peer.ts';

/** Frames of one kind, one after the other, as fast as the service takes them. */
export interface Flood {
  /** Sent first; does not count as cost. */
  readonly opening?: (peer: RawPeer) => Promise<void>;
  /** The bytes of the nth frame, or of the few that go together. */
  readonly next: (n: number) => Buffer;
  /** How many on each connection: of the whole attack, and of its short form. */
  readonly count: readonly [whole: number, short: number];
  /** 1 unless given. */
  readonly connections?: number;
  /** The bytes of one piece, when {@link next} gives several frames. */
  readonly framesEach?: number;
  /** Whether the peer reads nothing, so that it cannot see whether the service has worked on everything. */
  readonly isUnread?: boolean;
  /** Whether the service must close the connection. (Its GOAWAY is lost where it had not read everything.) */
  readonly isBreach?: boolean;
}

/** As many bytes go out in one write. */
const PIECE_BYTES = 64 * 1024;
/** How long one writes to a service that may have stopped reading. */
const UNREAD_MS = [5000, 1000] as const;

/** An attack that is a {@link Flood}. */
export function floodAttack(attack: Omit<Attack, 'run'>, flood: Flood): Attack {
  return {
    ...attack,
    run: async (assault) => {
      await sendFlood(assault, flood);
    },
  };
}

/** Sends a flood, and waits until the service has worked on it or closed. */
export async function sendFlood(assault: Assault, flood: Flood): Promise<void> {
  const { opening, next, count, connections = 1, framesEach = 1, isBreach = false, isUnread = false } = flood;
  const peers = await assault.connectMany(connections);
  for (const peer of peers) {
    await opening?.(peer);
    if (!isUnread) await peer.settled();
  }
  await assault.begin();
  const total = assault.amount(...count);
  await Promise.all(
    peers.map(async (peer) => {
      await Promise.race([
        pour(peer, total, next, framesEach),
        ...(isUnread ? [passed(assault.amount(...UNREAD_MS))] : []),
      ]);
    }),
  );
  if (isUnread) {
    await assault.hold(assault.amount(5, 0.4));
    return;
  }
  const settled = await Promise.all(peers.map(async (peer) => await peer.settled()));
  assault.expect('the service worked on everything or closed', settled.every(Boolean), settled.join(' '));
  if (!isBreach) return;
  const open = peers.filter(({ isClosed }) => !isClosed).length;
  assault.expect('every connection was closed', open === 0, open);
}

/** Sends so many pieces, in large writes, at the pace of the reader, until the connection is over. */
export async function pour(peer: RawPeer, count: number, next: (n: number) => Buffer, framesEach = 1): Promise<void> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for (let n = 0; n < count && !peer.isClosed; n += 1) {
    const piece = next(n);
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < PIECE_BYTES && n + 1 < count) continue;
    peer.send(Buffer.concat(waiting), waiting.length * framesEach);
    waiting = [];
    bytes = 0;
    await peer.flushed();
  }
}
