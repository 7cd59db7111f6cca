import { frameFlag, frameType } from '../../src/wire/http2/frame.ts';
import { block, frame, grpcFields } from '../../test/support/grpc/fake-wire.ts';
import type { Attack } from '../framework/attack.ts';
import { floodAttack } from '../framework/flood.ts';
import { healthPath } from '../framework/paths.ts';

const NOTHING = Buffer.alloc(0);
const HEAD = block(grpcFields(healthPath.check));
const id = (n: number): number => 2 * n + 1;

/** HEADERS of a whole head that has no message. */
function head(n: number, headerBlock: Buffer): Buffer {
  return frame(frameType.headers, frameFlag.endHeaders | frameFlag.endStream, id(n), headerBlock);
}

/** A literal of 4000 octets that enters the dynamic table as its newest field. */
const LARGE_FIELD = Buffer.concat([Buffer.from([0x40, 1, 0x61, 127, 0xa1, 0x1e]), Buffer.alloc(4000, 'v')]);
/** Refers to it. */
const NEWEST = 0xbe;
/** An integer that goes on (RFC 7541 §5.1). */
const ENDLESS_INTEGER = Buffer.concat([Buffer.from([0xff]), Buffer.alloc(4000, 0xff)]);
/** Huffman text of one code of 30 bits after the other (RFC 7541 §5.2, appendix B): much to decode. */
const HUFFMAN_LONG = Buffer.concat([Buffer.from([0x00, 1, 0x61, 0xff, 0x81, 0x1e]), Buffer.alloc(4000, 0xff)]);

/** Header blocks (RFC 9113 §4.3, RFC 7541): unfinished ones, large ones, and those that grow when they are decoded. */
export const headerAttacks: readonly Attack[] = [
  floodAttack(
    { name: 'continuation-empty', title: 'a header block of empty CONTINUATION frames (CVE-2024-27316)' },
    {
      next: (n) => frame(n === 0 ? frameType.headers : frameType.continuation, 0, 1, NOTHING),
      count: [100_000, 20_000],
      connections: 20,
      isBreach: true,
    },
  ),
  floodAttack(
    { name: 'continuation-large', title: 'a header block that does not end' },
    {
      next: (n) => frame(n === 0 ? frameType.headers : frameType.continuation, 0, 1, Buffer.alloc(8000)),
      count: [2000, 200],
      connections: 20,
      isBreach: true,
    },
  ),
  {
    name: 'slow-headers',
    title: 'header blocks begun on 1000 connections, then nothing',
    run: async (assault) => {
      const peers = await assault.connectMany(assault.amount(1000, 200));
      await assault.begin();
      for (const peer of peers) peer.send(frame(frameType.headers, 0, 1, HEAD));
      await assault.hold(assault.amount(14, 0.4));
      if (assault.isShort) return;
      const open = peers.filter(({ isClosed }) => !isClosed).length;
      assault.expect('all of them are closed after 10 s and a sweep', open === 0, open);
    },
  },
  floodAttack(
    { name: 'hpack-indexed-bomb', title: 'a field of 4000 octets, named 10 000 times in each head' },
    {
      next: (n) => head(n, Buffer.concat([HEAD, n === 0 ? LARGE_FIELD : NOTHING, Buffer.alloc(10_000, NEWEST)])),
      count: [1000, 100],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'hpack-static-bomb', title: 'a field of the static table, named 16 000 times in each head' },
    { next: (n) => head(n, Buffer.concat([HEAD, Buffer.alloc(16_000, 0x90)])), count: [600, 60], connections: 4 },
  ),
  floodAttack(
    { name: 'hpack-churn', title: 'thousands of small fields that enter the table and push others out' },
    {
      next: (n) =>
        head(
          n,
          Buffer.concat([HEAD, Buffer.from(Array.from({ length: 3000 }, () => [0x40, 1, 0x61, 1, 0x62]).flat())]),
        ),
      count: [600, 20],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'hpack-evict-all', title: 'large fields that empty the table each time' },
    {
      next: (n) =>
        head(
          n,
          Buffer.concat([
            HEAD,
            LARGE_FIELD,
            Buffer.from(Array.from({ length: 100 }, () => [0x40, 0, 0]).flat()),
            LARGE_FIELD,
          ]),
        ),
      count: [1000, 100],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'hpack-size-updates', title: 'the size of the table changed thousands of times in a head' },
    {
      next: (n) =>
        head(
          n,
          Buffer.concat([Buffer.from(Array.from({ length: 2000 }, () => [0x20, 0x3f, 0xe1, 0x1f]).flat()), HEAD]),
        ),
      count: [500, 15],
      connections: 20,
    },
  ),
  floodAttack(
    { name: 'hpack-endless-integer', title: 'an index that does not end' },
    {
      next: (n) => head(n, Buffer.concat([HEAD, ENDLESS_INTEGER])),
      count: [500, 50],
      connections: 20,
      isBreach: true,
    },
  ),
  floodAttack(
    { name: 'hpack-huffman', title: 'Huffman text of the longest codes' },
    { next: (n) => head(n, Buffer.concat([HEAD, HUFFMAN_LONG])), count: [500, 50], connections: 20 },
  ),
  floodAttack(
    { name: 'headers-large', title: 'heads of 15 KiB, as large as they may be' },
    {
      next: (n) =>
        head(n, Buffer.concat([HEAD, Buffer.from([0x00, 1, 0x61, 127, 0x99, 0x75]), Buffer.alloc(15_000, 'v')])),
      count: [2000, 150],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'headers-many', title: 'heads of thousands of the shortest fields' },
    {
      next: (n) =>
        head(n, Buffer.concat([HEAD, Buffer.from(Array.from({ length: 4000 }, () => [0x00, 1, 0x61, 0]).flat())])),
      count: [1000, 30],
      connections: 4,
    },
  ),
];
