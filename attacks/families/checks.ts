import { frameFlag, frameType } from '../../src/wire/http2/frame.ts';
import { data, frame, grpcHead } from '../../test/support/grpc/fake-wire.ts';
import { RawClient } from '../../test/support/grpc/raw-client.ts';
import { authorizationOf, signedByHmac } from '../../test/support/partner/hmac.ts';
import { readAnswer } from '../../test/support/pipeline/answer.ts';
import { checkRequest } from '../../test/support/pipeline/check-request.ts';
import type { Attack } from '../framework/attack.ts';
import type { Assault } from '../framework/assault.ts';
import { good, rogue, unusable } from '../framework/document.ts';
import { pour } from '../framework/flood.ts';
import { checkPath } from '../framework/paths.ts';
import { prefixed, SmallHeads } from '../framework/requests.ts';
import type { Target } from '../framework/service.ts';

const FRAME_BYTES = 16_384;
const id = (n: number): number => 2 * n + 1;

/** A check with a large message, in as many DATA frames as it needs. */
function largeCheck(n: number, message: Buffer): Buffer {
  const body = prefixed(message);
  const frames = Array.from({ length: Math.ceil(body.length / FRAME_BYTES) }, (_, at) => {
    const isLast = (at + 1) * FRAME_BYTES >= body.length;
    return data(id(n), body.subarray(at * FRAME_BYTES, (at + 1) * FRAME_BYTES), isLast ? frameFlag.endStream : 0);
  });
  return Buffer.concat([grpcHead(id(n), checkPath), ...frames]);
}

/** A request of a partner whose secret is not known, whose `Authorization` lists so many names. */
function manyNames(listed: number, sent: number): Buffer {
  const names = Array.from({ length: listed }, (_, at) => `a${at.toString(36)}`);
  const headers = names.slice(0, sent).map((name) => [name, 'v'] as const);
  const { headers: own } = signedByHmac({ target: '/signed/orders', appKey: good.hmac.appKey });
  const authorization = authorizationOf({
    appKey: good.hmac.appKey,
    algorithm: 'hmac-sha256',
    headers: ['date', 'request-line', ...names].join(' '),
    signature: 'A'.repeat(43) + '=',
  });
  return checkRequest({
    path: '/signed/orders',
    headers: [...headers, ...own.filter(([name]) => name !== 'Authorization'), ['authorization', authorization]],
  });
}

/** A check in which one text of fixed length changes from one to the next, made without encoding it again. */
class Template {
  readonly #bytes: Buffer;
  readonly #places: readonly (readonly number[])[];

  constructor(bytes: Buffer, texts: readonly string[]) {
    this.#bytes = bytes;
    this.#places = texts.map((text) => placesOf(bytes, text));
  }

  with(...texts: readonly string[]): Buffer {
    const bytes = Buffer.from(this.#bytes);
    for (const [at, text] of texts.entries())
      for (const place of this.#places[at] ?? []) bytes.write(text, place, 'latin1');
    return bytes;
  }
}

function placesOf(bytes: Buffer, text: string): readonly number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) places.push(at);
  if (places.length === 0) throw new Error(`${text} does not stand in the message`);
  return places;
}

const CONNECTIONS = 8;
/** Fewer than the service takes at once. */
const AT_ONCE = 1000;
const OPEN_WINDOWS = Buffer.concat([frame(frameType.windowUpdate, 0, 0, Buffer.from([0x40, 0, 0, 0]))]);

/** Checks on several connections, so many at once on each, until all are answered. */
async function floodOfChecks(assault: Assault, total: number, next: (n: number) => Buffer): Promise<void> {
  const peers = await assault.connectMany(CONNECTIONS);
  let made = 0;
  await Promise.all(
    peers.map(async (peer) => {
      const heads = new SmallHeads(checkPath);
      peer.send(OPEN_WINDOWS);
      let sent = 0;
      while (made < total && !peer.isClosed) {
        const some = Math.min(AT_ONCE, total - made);
        made += some;
        const first = sent;
        await pour(peer, some, (n) => heads.request(id(first + n), next(made - some + n)), 2);
        sent += some;
        await peer.settled();
        // Answers that wait for the database come after the answer to a PING.
        await peer.gets(frameType.headers, sent, 20_000);
      }
    }),
  );
}

/** What a credential is answered: `200`, or status and code. */
async function outcomeOf(client: RawClient, appKey: string): Promise<string> {
  const message = checkRequest({ path: '/keyed/orders', headers: [['x-app-key', appKey]] });
  const { grpcStatus, body } = await client.call(checkPath, message);
  if (grpcStatus !== 0) return `gRPC ${String(grpcStatus)}`;
  const answer = readAnswer(body.subarray(5));
  return answer.kind === 'allowed' ? '200' : `${String(answer.status)} ${answer.body.code}`;
}

const SAMPLES = [40, 10] as const;

/** Asks for App Keys of several kinds, again and again, while `flood` runs. @returns the outcomes of each kind. */
async function sampleOutcomes(
  assault: Assault,
  kinds: Readonly<Record<string, (n: number) => string>>,
): Promise<Readonly<Record<string, readonly string[]>>> {
  await using client = await connectClient(assault.target);
  const seen = new Map(Object.keys(kinds).map((kind) => [kind, new Set<string>()]));
  for (let n = 0; n < assault.amount(...SAMPLES); n += 1) {
    for (const [kind, keyOf] of Object.entries(kinds)) seen.get(kind)?.add(await outcomeOf(client, keyOf(n)));
    await assault.hold(0.02);
  }
  return Object.fromEntries([...seen].map(([kind, outcomes]) => [kind, [...outcomes].sort()]));
}

async function connectClient({ grpcPort, ca }: Target): Promise<RawClient> {
  return await RawClient.connect({ kind: 'tcp', host: '127.0.0.1', port: grpcPort }, ca === null ? {} : { ca });
}

/** Signatures that the memory of one process has room for, and some more (docs/behaviour.md, replay protection). */
const SIGNATURES = 520_000;

/** Checks themselves: many at once, expensive ones, and right ones with bad intentions. */
export const checkAttacks: readonly Attack[] = [
  {
    name: 'signed-names',
    title: '13 000 names listed as signed, in a request with 175 headers',
    // Its row's own: 13.8 ms for 60 KiB were too much.
    bounds: { cpuMsPerKib: 0.08 },
    run: async (assault) => {
      const message = manyNames(13_000, 175);
      const [peer] = await assault.connectMany(1);
      if (peer === undefined) return;
      await assault.begin();
      await pour(peer, assault.amount(400, 60), (n) => largeCheck(n, message));
      const isSettled = await peer.settled();
      assault.expect('the service worked on everything or closed', isSettled, String(isSettled));
      await peer.gets(frameType.headers, assault.amount(400, 60), 20_000);
    },
  },
  {
    name: 'invented-keys',
    title: 'unknown App Keys, with a declarative file',
    run: async (assault) => {
      const template = new Template(invented('0'.repeat(12)), ['0'.repeat(12)]);
      await assault.begin();
      await floodOfChecks(assault, assault.amount(200_000, 8000), (n) => template.with(String(n).padStart(12, '0')));
    },
  },
  {
    name: 'invented-keys-mongodb',
    title:
      'the same with MongoDB: known App Keys cannot be distinguished from unknown ones, and partners not seen yet are served',
    service: { store: 'mongodb' },
    run: async (assault) => {
      const template = new Template(invented('0'.repeat(12)), ['0'.repeat(12)]);
      await assault.begin();
      const flood = floodOfChecks(assault, assault.amount(200_000, 8000), (n) =>
        template.with(String(n).padStart(12, '0')),
      );
      const outcomes = await sampleOutcomes(assault, {
        unknown: (n) => `unknown-${String(n)}-${String(process.pid)}-0123456789`,
        revoked: () => unusable.revoked,
        foreign: () => unusable.foreign,
      });
      await flood;
      const kinds = Object.values(outcomes).map((list) => list.join(', '));
      assault.expect(
        'unknown, revoked and foreign App Keys get the same',
        new Set(kinds).size === 1,
        JSON.stringify(outcomes),
      );
    },
  },
  {
    name: 'signatures-of-one',
    title: 'half a million right signatures of one partner, on an endpoint that takes each once',
    notInTests: 'so many signatures take a minute',
    bounds: { afterMib: 640 },
    run: async (assault) => {
      const path = `/signed/orders/${'0'.repeat(9)}`;
      const placeholder = `${'A'.repeat(43)}=`;
      const date = new Date().toUTCString();
      const parts = { date, appKey: rogue.appKey, secret: rogue.secret };
      const authorization = authorizationOf({
        appKey: rogue.appKey,
        algorithm: 'hmac-sha256',
        headers: 'date request-line',
        signature: placeholder,
      });
      const bytes = checkRequest({
        path,
        headers: [
          ['date', date],
          ['authorization', authorization],
        ],
      });
      const template = new Template(bytes, ['0'.repeat(9), placeholder]);
      await assault.begin();
      await floodOfChecks(assault, assault.amount(SIGNATURES, 5000), (n) => {
        const number = String(n).padStart(9, '0');
        const { headers } = signedByHmac({ ...parts, target: `/signed/orders/${number}` });
        const signature = /signature="([^"]*)"/.exec(
          headers.find(([name]) => name === 'Authorization')?.[1] ?? '',
        )?.[1];
        return template.with(number, signature ?? placeholder);
      });
    },
  },
];

function invented(appKey: string): Buffer {
  return checkRequest({ path: '/keyed/orders', headers: [['x-app-key', `invented-${appKey}`]] });
}
