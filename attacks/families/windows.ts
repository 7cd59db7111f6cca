import { frameType, setting } from '../../src/wire/http2/frame.ts';
import { frame, settings, uint32 } from '../../test/support/grpc/fake-wire.ts';
import type { Attack } from '../framework/attack.ts';
import { type Flood, floodAttack } from '../framework/flood.ts';
import { healthPath } from '../framework/paths.ts';
import type { RawPeer } from '../framework/raw-peer.ts';
import { asksHealth, SmallHeads } from '../framework/requests.ts';

/** Streams whose answers wait: fewer than the service allows (2048). */
const WAITING = 2000;

/** Narrows the windows of all streams, and asks so many things that answers wait. */
const withWaiting = (windowBytes: number): NonNullable<Flood['opening']> => {
  return async (peer) => {
    const heads = new SmallHeads(healthPath.check);
    peer.send(settings([setting.initialWindowSize, windowBytes]));
    peer.send(asks(heads, 1, WAITING), 2 * WAITING);
    await peer.settled();
  };
};

/** Health checks on so many streams. */
function asks(heads: SmallHeads, firstId: number, count: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, n) => heads.request(firstId + 2 * n, asksHealth)));
}

/** Answers to health checks that use up the connection's first window: each is 7 bytes of DATA. */
const FILLS_WINDOW = Math.ceil(65_535 / 7);
const AT_ONCE = 500;

/** Has so much answered that the connection's window is used up, and answers wait behind it. */
async function useUpConnectionWindow(peer: RawPeer): Promise<void> {
  const heads = new SmallHeads(healthPath.check);
  for (let sent = 0; sent < FILLS_WINDOW + WAITING - AT_ONCE; sent += AT_ONCE) {
    peer.send(asks(heads, 2 * sent + 1, AT_ONCE), 2 * AT_ONCE);
    await peer.settled();
  }
}

/** Frames about windows and settings while thousands of answers wait for a window. */
export const windowAttacks: readonly Attack[] = [
  floodAttack(
    { name: 'settings-empty', title: 'empty SETTINGS while 2000 answers wait for a window' },
    { opening: withWaiting(0), next: () => settings(), count: [4900, 1500] },
  ),
  floodAttack(
    { name: 'settings-empty-many', title: 'the same on four connections' },
    { opening: withWaiting(0), next: () => settings(), count: [4900, 600], connections: 4 },
  ),
  floodAttack(
    { name: 'window-toggled', title: 'the initial window to 1 and back to 0, while 2000 answers wait' },
    {
      opening: withWaiting(0),
      next: (n) => settings([setting.initialWindowSize, n % 2 === 0 ? 1 : 0]),
      count: [3200, 800],
    },
  ),
  floodAttack(
    { name: 'window-toggled-packed', title: 'the same, hundreds of changes in one SETTINGS' },
    {
      opening: withWaiting(0),
      next: () => settings(...Array.from({ length: 500 }, (_, n) => [setting.initialWindowSize, n % 2] as const)),
      count: [18, 4],
    },
  ),
  floodAttack(
    { name: 'window-drip-connection', title: 'the connection window a byte wider at a time, while 2000 answers wait' },
    { opening: useUpConnectionWindow, next: () => frame(frameType.windowUpdate, 0, 0, uint32(1)), count: [9000, 2500] },
  ),
  floodAttack(
    { name: 'window-drip-streams', title: 'the windows of 2000 streams a byte wider at a time' },
    {
      opening: withWaiting(0),
      next: (n) => frame(frameType.windowUpdate, 0, 2 * (n % WAITING) + 1, uint32(1)),
      count: [9000, 2500],
    },
  ),
  floodAttack(
    { name: 'window-widest', title: 'windows beyond what the protocol allows' },
    {
      opening: withWaiting(1),
      next: (n) => frame(frameType.windowUpdate, 0, 2 * (n % WAITING) + 1, uint32(0x7fffffff)),
      count: [2000, 2000],
    },
  ),
];
