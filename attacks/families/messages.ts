import { gzipSync } from 'node:zlib';
import { frameFlag } from '../../src/wire/http2/frame.ts';
import { data, grpcHead } from '../../test/support/grpc/fake-wire.ts';
import { checkRequest } from '../../test/support/pipeline/check-request.ts';
import type { Attack } from '../framework/attack.ts';
import { floodAttack } from '../framework/flood.ts';
import { checkPath, healthPath } from '../framework/paths.ts';
import { asksHealth, messagePrefix, prefixed } from '../framework/requests.ts';

const MIB = 1024 * 1024;
const id = (n: number): number => 2 * n + 1;
const BOMB = gzipSync(Buffer.alloc(10 * MIB));

/** A gRPC request whose body is these bytes. */
function request(n: number, path: string, body: Buffer, extra: Readonly<Record<string, string>> = {}): Buffer {
  const frames = Array.from({ length: Math.max(1, Math.ceil(body.length / 16_384)) }, (_, at) =>
    data(
      id(n),
      body.subarray(at * 16_384, (at + 1) * 16_384),
      (at + 1) * 16_384 >= body.length ? frameFlag.endStream : 0,
    ),
  );
  return Buffer.concat([grpcHead(id(n), path, 0, extra), ...frames]);
}

/** A `CheckRequest` that nests as deep as it is long (protobuf, "Groups" and length-delimited fields). */
const NESTED = Buffer.alloc(8000, 0x0b);
/** Thousands of headers of one name, in one request. */
const MANY_HEADERS = checkRequest({
  path: '/keyed/orders',
  headers: Array.from({ length: 3000 }, (_, at) => ['x-app-key', String(at)] as const),
});
const MANY_PARAMETERS = checkRequest({ path: `/keyed/orders?${'appKey=1&'.repeat(7000)}` });

/** Requests of gRPC (gRPC over HTTP/2) that lie, or want more than they are worth. */
export const messageAttacks: readonly Attack[] = [
  floodAttack(
    { name: 'compressed-bomb', title: '10 MiB of zeros, compressed to 10 KiB' },
    {
      next: (n) =>
        request(n, checkPath, Buffer.concat([messagePrefix(BOMB.length, 1), BOMB]), { 'grpc-encoding': 'gzip' }),
      count: [500, 60],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'wrong-lengths', title: 'messages longer or shorter than they say' },
    {
      next: (n) => request(n, checkPath, Buffer.concat([messagePrefix(n % 2 === 0 ? 1 : 4000), Buffer.alloc(100)])),
      count: [20_000, 2000],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'length-beyond', title: 'four GiB announced' },
    {
      next: (n) => request(n, checkPath, Buffer.concat([messagePrefix(0xffffffff), Buffer.alloc(100)])),
      count: [20_000, 2000],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'unknown-methods', title: 'unknown methods' },
    {
      next: (n) => request(n, `/no.such.Service/Method${String(n)}`, prefixed(asksHealth)),
      count: [20_000, 2000],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'tiny-timeouts', title: 'calls with a deadline of a nanosecond, whose message does not come' },
    { next: (n) => grpcHead(id(n), checkPath, 0, { 'grpc-timeout': '1n' }), count: [20_000, 2000], connections: 4 },
  ),
  floodAttack(
    { name: 'garbage-checks', title: 'messages that are no CheckRequest' },
    {
      next: (n) => request(n, checkPath, prefixed(n % 2 === 0 ? NESTED : Buffer.alloc(8000, n % 256))),
      count: [3000, 300],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'checks-many-headers', title: 'checks with 3000 App Keys each, in headers or in the query' },
    {
      next: (n) => request(n, checkPath, prefixed(n % 2 === 0 ? MANY_HEADERS : MANY_PARAMETERS)),
      count: [500, 50],
      connections: 4,
    },
  ),
  floodAttack(
    { name: 'health-flood', title: 'health checks, as fast as they are answered' },
    { next: (n) => request(n, healthPath.check, prefixed(asksHealth)), count: [30_000, 2000], connections: 4 },
  ),
  {
    name: 'answers-unread',
    title: 'checks whose answers are not read, with windows wide open',
    run: async (assault) => {
      const peers = await assault.connectMany(assault.amount(100, 10));
      for (const peer of peers) await peer.settled();
      for (const peer of peers) peer.stopReading();
      await assault.begin();
      const message = checkRequest({ path: `/none/${'x'.repeat(2000)}` });
      const rounds = assault.amount(20, 4);
      for (let round = 0; round < rounds; round += 1) {
        for (const peer of peers) {
          const some = Array.from({ length: 50 }, (_, n) => request(round * 50 + n, checkPath, prefixed(message)));
          peer.send(Buffer.concat(some), 100);
        }
        await assault.hold(0.1);
      }
      await assault.hold(assault.amount(5, 0.2));
    },
  },
  {
    name: 'wrong-protocol',
    title: 'bytes that are no HTTP/2, on 1000 connections',
    run: async (assault) => {
      const texts = [
        'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
        '\x16\x03\x01\x02\0',
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\r',
        '\0'.repeat(100),
      ];
      const total = assault.amount(1000, 200);
      for (let n = 0; n < total; n += 1) {
        const peer = await assault.connect();
        peer.send(Buffer.from(texts[n % texts.length] ?? '', 'latin1'));
      }
      await assault.hold(assault.amount(1, 0.2));
    },
  },
];
