import { frameFlag, frameType, setting } from '../../src/wire/http2/frame.ts';
import {
  block,
  data,
  frame,
  grpcFields,
  grpcHead,
  grpcRequest,
  settings,
  uint32,
} from '../../test/support/grpc/fake-wire.ts';
import type { Attack } from '../framework/attack.ts';
import { floodAttack } from '../framework/flood.ts';
import { checkPath, healthPath } from '../framework/paths.ts';
import type { RawPeer } from '../framework/raw-peer.ts';
import { asksHealth, messagePrefix, SmallHeads } from '../framework/requests.ts';

const NOTHING = Buffer.alloc(0);
const CANCEL = uint32(8);
const id = (n: number): number => 2 * n + 1;
const reset = (streamId: number): Buffer => frame(frameType.rstStream, 0, streamId, CANCEL);

/** Opens a stream whose message is still to come. */
const openStream = async (peer: RawPeer): Promise<void> => {
  peer.send(grpcHead(1, checkPath));
  await Promise.resolve();
};

/** Frames of HTTP/2 that bring no call (RFC 9113 §10.5, and the CVEs named). */
export const floodAttacks: readonly Attack[] = [
  floodAttack(
    { name: 'rapid-reset', title: 'calls that are opened and reset at once (CVE-2023-44487), on 20 connections' },
    {
      next: (n) => Buffer.concat([grpcHead(id(n), checkPath), reset(id(n))]),
      framesEach: 2,
      count: [20_000, 1500],
      connections: 20,
    },
  ),
  floodAttack(
    { name: 'rapid-reset-whole', title: 'whole requests that are reset at once' },
    {
      next: (n) => Buffer.concat([grpcRequest(id(n), healthPath.check, asksHealth), reset(id(n))]),
      framesEach: 3,
      count: [20_000, 3000],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'made-you-reset', title: 'calls that the service must reset itself (CVE-2025-8671)' },
    {
      next: (n) => Buffer.concat([grpcHead(id(n), checkPath), frame(frameType.windowUpdate, 0, id(n), uint32(0))]),
      framesEach: 2,
      count: [20_000, 3000],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'ping-flood', title: 'PING (CVE-2019-9512)' },
    { next: () => frame(frameType.ping, 0, 0, Buffer.alloc(8)), count: [200_000, 20_000], connections: 4 },
  ),
  floodAttack(
    { name: 'ping-unread', title: 'PING whose answers are not read' },
    {
      opening: async (peer) => {
        await peer.settled();
        peer.stopReading();
      },
      next: () => frame(frameType.ping, 0, 0, Buffer.alloc(8)),
      count: [20_000, 9000],
      connections: 50,
      isUnread: true,
    },
  ),
  floodAttack(
    { name: 'settings-flood', title: 'SETTINGS (CVE-2019-9515)' },
    { next: () => settings([setting.maxHeaderListSize, 100]), count: [200_000, 20_000], connections: 4 },
  ),
  floodAttack(
    { name: 'settings-ack-flood', title: 'acknowledgements of SETTINGS that were not sent' },
    { next: () => frame(frameType.settings, frameFlag.ack, 0), count: [200_000, 20_000], connections: 4 },
  ),
  floodAttack(
    { name: 'priority-flood', title: 'PRIORITY, with a tree that turns (CVE-2019-9513)' },
    {
      next: (n) =>
        frame(frameType.priority, 0, id(n % 1000), Buffer.concat([uint32(id((n + 1) % 1000)), Buffer.from([n % 256])])),
      count: [200_000, 20_000],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'unknown-frames', title: 'frames of unknown types' },
    {
      next: (n) => frame(0x20 + (n % 200), 0xff, n % 3, Buffer.alloc(n % 8)),
      count: [200_000, 20_000],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'goaway-flood', title: 'GOAWAY, again and again' },
    {
      next: () => frame(frameType.goaway, 0, 0, Buffer.concat([uint32(0), uint32(0)])),
      count: [300_000, 40_000],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'empty-data', title: 'DATA without anything (CVE-2019-9518)' },
    { opening: openStream, next: () => data(1, NOTHING), count: [200_000, 20_000], connections: 4 },
  ),
  floodAttack(
    { name: 'tiny-data', title: 'a message of 60 KiB, a byte in each DATA frame' },
    {
      next: (n) => {
        const stream = id(Math.floor(n / 60_000));
        return n % 60_000 === 0
          ? Buffer.concat([grpcHead(stream, checkPath), data(stream, messagePrefix(60_000))])
          : data(stream, Buffer.from('x'));
      },
      count: [120_000, 20_000],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'padded-data', title: 'DATA that is nothing but padding' },
    {
      opening: openStream,
      next: () => frame(frameType.data, frameFlag.padded, 1, Buffer.concat([Buffer.from([255]), Buffer.alloc(255)])),
      count: [40_000, 8000],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'late-data', title: 'DATA for calls that are over' },
    {
      opening: async (peer) => {
        const heads = new SmallHeads(healthPath.check);
        peer.send(Buffer.concat(Array.from({ length: 500 }, (_, n) => heads.request(id(n), asksHealth))), 1000);
        await peer.settled();
      },
      next: (n) => data(id(n % 500), Buffer.alloc(300)),
      count: [20_000, 4000],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'streams-above-limit', title: 'calls beyond SETTINGS_MAX_CONCURRENT_STREAMS' },
    {
      opening: async (peer) => {
        const heads = new SmallHeads(checkPath);
        peer.send(Buffer.concat(Array.from({ length: 2048 }, (_, n) => heads.next(id(n)))), 2048);
        await peer.settled();
      },
      next: (n) => grpcHead(id(2048 + n), checkPath),
      count: [20_000, 3000],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'malformed-heads', title: 'requests whose heads are malformed' },
    {
      next: (n) =>
        frame(frameType.headers, frameFlag.endHeaders, id(n), block({ ...grpcFields(checkPath), 'UPPER-CASE': 'x' })),
      count: [20_000, 3000],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'window-update-flood', title: 'the window of the connection, a byte wider at a time' },
    { next: () => frame(frameType.windowUpdate, 0, 0, uint32(1)), count: [200_000, 20_000], connections: 4 },
  ),
  floodAttack(
    { name: 'push-promise', title: 'PUSH_PROMISE of a client' },
    {
      next: () => frame(frameType.pushPromise, 4, 1, uint32(2)),
      count: [10, 10],
      connections: 50,
      isBreach: true,
    },
  ),
  floodAttack(
    { name: 'frame-too-large', title: 'frames longer than the service takes' },
    {
      next: () => frame(frameType.data, 0, 1, Buffer.alloc(20_000)),
      count: [50, 50],
      connections: 50,
      isBreach: true,
    },
  ),
];
