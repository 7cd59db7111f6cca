import assert from 'node:assert/strict';
import { once } from 'node:events';
import { systemClock } from '../../../src/base/clock.ts';
import { RateLimitRequest, RateLimitResponse } from '../../../src/gen/envoy/service/ratelimit/v3/rls.ts';
import { frameFlag, frameType, setting } from '../../../src/wire/http2/frame.ts';
import type { FailureReason, ServiceFailure } from '../../../src/stores/rate-limit-service/service-failure.ts';
import { RateLimitServiceLimiter } from '../../../src/stores/rate-limit-service/rate-limit-service.ts';
import { testGateway } from '../../support/pipeline/gateway.ts';
import { APP_KEY, keyEndpoint, limit } from '../../support/pipeline/resources.ts';
import { answerHead, goodAnswer, prefixed, statusOnly, trailers } from '../../support/grpc/fake-client.ts';
import { block, data, frame, settings, uint32 } from '../../support/grpc/fake-wire.ts';
import {
  type RawPeer,
  type RawServer,
  type RawServerBehaviour,
  startRawServer,
} from '../../support/grpc/raw-server.ts';

const DEADLINE_MS = 50;
/** What a check may take beyond its deadline on a busy machine before it counts as one that stalls. */
const STALL_MS = 3000;

/** Says OK to every limit that it is sent, as the real service does. */
function allow(peer: RawPeer, id: number, message: Buffer): void {
  const { descriptors } = RateLimitRequest.decode(message);
  const statuses = descriptors.map(({ limit: sent }) => ({
    code: 1 as const,
    currentLimit: sent === undefined ? undefined : { ...sent, name: '' },
    limitRemaining: 8,
    durationUntilReset: { seconds: 7, nanos: 0 },
  }));
  peer.send(goodAnswer(id, Buffer.from(RateLimitResponse.encode({ overallCode: 1, statuses }).finish())));
}

/** Sends a block again and again, as fast as the client reads. */
function flood(peer: RawPeer, bytes: Buffer): void {
  const block64k = Buffer.concat(Array.from({ length: Math.ceil(65_536 / bytes.length) }, () => bytes));
  const pour = (): void => {
    while (peer.socket.writable && peer.socket.write(block64k));
  };
  peer.socket.on('drain', pour);
  pour();
}

const introduced = (act: (peer: RawPeer) => void) => (peer: RawPeer) => {
  peer.send(settings());
  act(peer);
};
const never = (): void => undefined;

/** What a service may do to whoever asks it. */
const behaviours: Readonly<Record<string, RawServerBehaviour>> = {
  'says nothing': { connected: never },
  'introduces itself and says nothing more': { called: never },
  'closes each connection': { connected: ({ socket }) => socket.destroy() },
  'closes each connection at the first question': { called: ({ socket }) => socket.destroy() },
  'speaks HTTP/1.1': { connected: ({ socket }) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n') },
  'sends noise': { connected: ({ socket }) => socket.write(Buffer.alloc(100_000, 0x5a)) },
  'goes away at once': {
    connected: introduced((peer) => {
      peer.send(frame(frameType.goaway, 0, 0, Buffer.alloc(8)));
    }),
  },
  'goes away at each question': {
    called: (peer) => {
      peer.send(frame(frameType.goaway, 0, 0, Buffer.alloc(8)));
    },
  },
  'refuses each question': {
    called: (peer, id) => {
      peer.send(frame(frameType.rstStream, 0, id, uint32(7)));
    },
  },
  'takes no questions': {
    connected: (peer) => {
      peer.send(settings([setting.maxConcurrentStreams, 0]));
    },
  },
  'opens no window': {
    connected: (peer) => {
      peer.send(settings([setting.initialWindowSize, 0]));
    },
    called: never,
  },
  'reads nothing': {
    connected: introduced(({ socket }) => {
      socket.pause();
    }),
  },
  'floods with pings': {
    connected: introduced((peer) => {
      flood(peer, frame(frameType.ping, 0, 0, Buffer.alloc(8)));
    }),
  },
  'floods with settings': {
    connected: introduced((peer) => {
      flood(peer, settings());
    }),
  },
  'floods with empty DATA': {
    called: (peer, id) => {
      peer.send(answerHead(id));
      flood(peer, data(id, Buffer.alloc(0)));
    },
  },
  'floods with CONTINUATION': {
    called: (peer, id) => {
      peer.send(answerHead(id, { ':status': '200' }, 0));
      flood(peer, frame(frameType.continuation, 0, id, block({ a: 'b' })));
    },
  },
  'floods with DATA': {
    called: (peer, id) => {
      peer.send(answerHead(id));
      flood(peer, data(id, Buffer.alloc(16_384)));
    },
  },
  'floods with answers to other questions': {
    called: (peer, id) => {
      flood(peer, goodAnswer(id + 2, Buffer.alloc(9)));
    },
  },
  'answers an octet at a time': {
    called: (peer, id) => {
      const answer = Buffer.concat([answerHead(id), data(id, Buffer.alloc(200))]);
      let at = 0;
      const timer = setInterval(() => peer.socket.write(answer.subarray(at, ++at)), 10);
      peer.socket.on('close', () => {
        clearInterval(timer);
      });
    },
  },
  'promises pushes': {
    called: (peer, id) => {
      peer.send(frame(frameType.pushPromise, frameFlag.endHeaders, id, uint32(2)));
    },
  },
  'answers with fields that swell': {
    called: (peer, id) => {
      const entry = Buffer.concat([Buffer.from([0x40, 1, 0x61, 0x7f, 0xe1, 0x1d]), Buffer.alloc(3936, 0x62)]);
      const head = Buffer.concat([Buffer.from([0x88]), entry, Buffer.alloc(4000, 0xbe)]);
      peer.send(frame(frameType.headers, frameFlag.endHeaders, id, head));
    },
  },
  'answers with no message': {
    called: (peer, id) => {
      peer.send(statusOnly(id, '0'));
    },
  },
  'answers with what is not a message': {
    called: (peer, id) => {
      peer.send(goodAnswer(id, Buffer.alloc(100, 0xff)));
    },
  },
  'answers with an empty message': {
    called: (peer, id) => {
      peer.send(goodAnswer(id, Buffer.alloc(0)));
    },
  },
  'answers with a message that is cut off': {
    called: (peer, id) => {
      peer.send(answerHead(id), data(id, prefixed(Buffer.alloc(9)).subarray(0, -1)), trailers(id));
    },
  },
  'announces an answer of 4 GiB': {
    called: (peer, id) => {
      peer.send(answerHead(id), data(id, Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 0])));
    },
  },
  'fails with a text that is not fit for a log': {
    called: (peer, id) => {
      peer.send(statusOnly(id, '2', '%1b%5b2Jsecret%00'.repeat(99)));
    },
  },
};

describe('a hostile rate limit service', () => {
  let server: RawServer;
  beforeEach(async () => {
    server = await startRawServer();
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
  });

  for (const [name, behaviour] of Object.entries(behaviours)) {
    it(`that ${name} is an outage, until it behaves`, async () => {
      server.behave(behaviour);
      const outcomes = new Set<FailureReason | 'ok' | 'over-limit'>();
      const causes: string[] = [];
      let isUp = true;
      const down = (failure: ServiceFailure | null): void => {
        isUp = false;
        if (failure?.cause instanceof Error) causes.push(failure.cause.message);
      };
      using limiter = new RateLimitServiceLimiter(
        {
          address: { host: '127.0.0.1', port: server.port },
          domain: 'postern',
          deadlineMs: DEADLINE_MS,
          transport: 'native',
        },
        {
          clock: systemClock,
          observer: { asked: (outcome) => outcomes.add(outcome), down, up: () => (isUp = true) },
        },
      );
      const endpoints = (['allow', 'deny'] as const).map((policy) =>
        keyEndpoint({
          id: policy,
          paths: [{ exact: `/${policy}` }],
          limits: [limit('100/day/consumer'), limit('1000/day/endpoint')],
          options: { onLimiterFailure: policy },
        }),
      );
      const gateway = testGateway({ endpoints, limiter });
      const check = async (policy: 'allow' | 'deny'): Promise<string> => {
        const startedMs = performance.now();
        const answer = await gateway.send({ path: `/${policy}`, headers: [['x-app-key', APP_KEY]] });
        assert.ok(performance.now() - startedMs < DEADLINE_MS + STALL_MS, 'a check does not stall');
        return answer.kind === 'refused' ? answer.body.code : 'ALLOWED';
      };
      for (let round = 0; round < 3; round += 1) {
        assert.equal(await check('allow'), 'ALLOWED');
        assert.equal(await check('deny'), 'LIMITER_UNAVAILABLE');
      }
      const many = await Promise.all(Array.from({ length: 30 }, async () => await check('deny')));
      assert.deepEqual([...new Set(many)], ['LIMITER_UNAVAILABLE']);
      assert.equal(isUp, false);
      assert.ok(!outcomes.has('ok') && !outcomes.has('over-limit'));
      assert.ok(
        causes.every((cause) => /^[\x20-\x7e…]{0,200}$/.test(cause)),
        causes.join(),
      );

      server.behave({ called: allow });
      for (const { socket } of server.peers) socket.resume();
      while (!outcomes.has('ok')) {
        await check('deny');
        await once(AbortSignal.timeout(10), 'abort');
      }
      assert.equal(await check('deny'), 'ALLOWED');
      assert.equal(isUp, true);
    });
  }
});
