import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { systemClock } from '../../../../src/base/clock.ts';
import { grpcTransports } from '../../../../src/wire/grpc-transport.ts';
import {
  type RateLimitRequest,
  type RateLimitResponse,
  RateLimitServiceDefinition,
} from '../../../../src/gen/envoy/service/ratelimit/v3/rls.ts';
import { LimiterUnavailable } from '../../../../src/check/limit/limiter.ts';
import { RateLimitServiceLimiter } from '../../../../src/stores/rate-limit-service/rate-limit-service.ts';
import { serviceDefinition } from '../../../support/grpc/service-definition.ts';
import { limit } from '../../../support/pipeline/resources.ts';

/** What a service answers: a message, the code of a failure, or nothing at all. */
type Answer = RateLimitResponse | number | null;

const question = { endpointId: 'orders', consumerId: 'acme', limits: [limit('9/day/consumer')] };

/** Says OK to every limit that it is sent. */
function allow({ descriptors }: RateLimitRequest): RateLimitResponse {
  return {
    overallCode: 1,
    statuses: descriptors.map(({ limit: sent }) => ({
      code: 1,
      currentLimit: sent === undefined ? undefined : { ...sent, name: '' },
      limitRemaining: 8,
      durationUntilReset: { seconds: 7, nanos: 0 },
    })),
  };
}

for (const transport of grpcTransports) {
  describe(`the limiter over a rate limit service, called by ${transport}`, () => {
    let server: Server;
    let port = 0;
    let answer: (request: RateLimitRequest) => Answer = allow;
    let requests: RateLimitRequest[] = [];
    let limiters: RateLimitServiceLimiter[] = [];

    before(async () => {
      server = new Server();
      server.addService(serviceDefinition(RateLimitServiceDefinition), {
        shouldRateLimit: (
          { request }: { request: RateLimitRequest },
          callback: (error: { code: number } | null, answer?: RateLimitResponse) => void,
        ) => {
          requests.push(request);
          const said = answer(request);
          if (said === null) return;
          if (typeof said === 'number') callback({ code: said });
          else callback(null, said);
        },
      });
      port = await new Promise((resolve, reject) => {
        server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
          if (error === null) resolve(bound);
          else reject(error);
        });
      });
    });
    beforeEach(() => {
      answer = allow;
      requests = [];
      limiters = [];
    });
    afterEach(() => {
      for (const limiter of limiters) limiter[Symbol.dispose]();
    });
    after(() => {
      server.forceShutdown();
    });

    function newLimiter({ deadlineMs = 5000, to = port } = {}) {
      const told: string[] = [];
      const limiter = new RateLimitServiceLimiter(
        { address: { host: '127.0.0.1', port: to }, domain: 'postern', deadlineMs, transport },
        {
          clock: systemClock,
          observer: {
            asked: (outcome) => told.push(outcome),
            down: (failure) => told.push(`down: ${String(failure?.reason)}`),
            up: () => told.push('up'),
          },
        },
      );
      limiters.push(limiter);
      return { limiter, told };
    }

    it('asks for the limits of the question in its domain', async () => {
      const { limiter, told } = newLimiter();
      assert.deepEqual(await limiter.take(question), [
        { limit: question.limits[0], remaining: 8, resetSeconds: 7, windowSeconds: 86_400, isExceeded: false },
      ]);
      assert.deepEqual(
        requests.map(({ domain, descriptors }) => [domain, descriptors.length]),
        [['postern', 1]],
      );
      assert.deepEqual(told, ['ok']);
    });

    it('asks nothing when there is nothing to ask', async () => {
      const { limiter } = newLimiter();
      assert.deepEqual(await limiter.take({ ...question, limits: [] }), []);
      assert.deepEqual(requests, []);
    });

    for (const [name, code] of Object.entries(status)) {
      if (typeof code !== 'number' || code === status.OK) continue;
      it(`cannot answer when the service says ${name}`, async () => {
        answer = () => code;
        const { limiter, told } = newLimiter();
        const expected = new Map([
          [status.UNAVAILABLE, 'unreachable'],
          [status.DEADLINE_EXCEEDED, 'deadline'],
        ]).get(code);
        await assert.rejects(limiter.take(question), (error: unknown) => error instanceof LimiterUnavailable);
        assert.deepEqual(told, [expected ?? 'error']);
      });
    }

    it('cannot answer when nothing listens', async () => {
      const { limiter } = newLimiter({ to: 1 });
      await assert.rejects(limiter.take(question), {
        name: 'ServiceFailure',
        reason: 'unreachable',
        message: 'the rate limit service cannot be reached',
      });
    });

    it('waits until its deadline, and no longer', async () => {
      answer = () => null;
      const { limiter } = newLimiter({ deadlineMs: 20 });
      await assert.rejects(limiter.take(question), {
        name: 'ServiceFailure',
        reason: 'deadline',
        message: 'the rate limit service did not answer in time',
      });
    });

    it('leaves a failing service alone after five questions, and notices that it is well again', async () => {
      answer = () => status.UNKNOWN;
      const { limiter, told } = newLimiter();
      const failing = Array.from({ length: 5 }, async () => {
        await assert.rejects(limiter.take(question), { reason: 'error' });
      });
      await Promise.all(failing);
      await assert.rejects(limiter.take(question), { reason: 'given-up' });
      assert.equal(requests.length, 5);
      answer = allow;
      while (!told.includes('up')) {
        await limiter.take(question).catch(() => null);
        await once(AbortSignal.timeout(5), 'abort');
      }
      assert.equal(requests.length, 6, 'one trial');
      assert.equal(told.filter((each) => each.startsWith('down')).length, 1);
      assert.deepEqual([...new Set(told)].sort(), ['down: error', 'error', 'given-up', 'ok', 'up']);
      assert.equal((await limiter.take(question))[0]?.remaining, 8);
    });

    it('finds the service again when the other end of its connection vanished without a word', async () => {
      const vanished = new Set<Socket>();
      const sockets = new Set<Socket>();
      const proxy = createServer((caller) => {
        const service = connect(port, '127.0.0.1');
        sockets.add(caller).add(service);
        const relay = (from: Socket, to: Socket): void => {
          from.on('data', (bytes: Buffer) => {
            if (!vanished.has(from)) to.write(bytes);
          });
          from.on('error', () => undefined);
          from.on('close', () => to.destroy());
        };
        relay(caller, service);
        relay(service, caller);
      }).listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      const { limiter, told } = newLimiter({ to: (proxy.address() as AddressInfo).port, deadlineMs: 100 });
      try {
        while (!told.includes('ok')) await limiter.take(question).catch(() => null);
        for (const socket of sockets) vanished.add(socket);
        while (!told.includes('up')) {
          await limiter.take(question).catch(() => null);
          await once(AbortSignal.timeout(5), 'abort');
        }
        assert.ok(told.includes('down: deadline'), told.join());
      } finally {
        limiter[Symbol.dispose]();
        for (const socket of sockets) socket.destroy();
        proxy.close();
      }
    });

    it('goes on asking a service that fails now and then', async () => {
      let count = 0;
      answer = (request) => ((count += 1) % 3 === 0 ? status.UNKNOWN : allow(request));
      const { limiter, told } = newLimiter();
      for (let index = 0; index < 30; index += 1) await limiter.take(question).catch(() => null);
      assert.equal(requests.length, 30);
      assert.deepEqual([...new Set(told)].sort(), ['error', 'ok']);
    });

    it('answers nothing any more when it was disposed of', async () => {
      const { limiter } = newLimiter();
      await limiter.take(question);
      limiter[Symbol.dispose]();
      await assert.rejects(limiter.take(question), { name: 'ServiceFailure', reason: 'given-up' });
    });
  });
}
