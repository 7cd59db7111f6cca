import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ClientHttp2Stream, connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { createGrpcJsTransport } from '../../src/wire/server/grpc-js-transport.ts';
import { createHttp2Transport } from '../../src/wire/server/http2-transport.ts';
import { maxConcurrentCalls, type Transport, type TransportOptions } from '../../src/wire/server/transport.ts';
import { framed, messagesOf, RawClient, readAnswer } from '../support/grpc/raw-client.ts';
import { cancelled, failure, type Harness, startHarness } from '../support/grpc/transport-harness.ts';

const MIB = 1024 * 1024;
const NOTHING = Buffer.alloc(0);

const implementations: readonly (readonly [string, (options: TransportOptions) => Transport])[] = [
  ['native', (options) => createHttp2Transport(options)],
  ['grpc-js', createGrpcJsTransport],
];

for (const [name, create] of implementations) {
  describe(`gRPC transport, ${name}`, () => {
    let harness: Harness;
    let raw: RawClient;

    beforeEach(async () => {
      harness = await startHarness(create);
      raw = await RawClient.connect(harness.address);
    });
    afterEach(async () => {
      await raw[Symbol.asyncDispose]();
      await harness[Symbol.asyncDispose]();
    });

    describe('answering', () => {
      it('answers @grpc/grpc-js, at once and later', async () => {
        await withGrpcClient(harness, async (call) => {
          assert.deepEqual(await call('/test.Test/Echo', Buffer.from('now')), Buffer.from('now'));
          assert.deepEqual(await call('/test.Test/EchoLater', Buffer.from('later')), Buffer.from('later'));
          assert.deepEqual(await call('/test.Test/Echo', NOTHING), NOTHING);
        });
      });

      it('answers with the head, one message and the trailers of gRPC', async () => {
        const answer = await raw.call('/test.Test/Echo', Buffer.from('hello'));
        assert.equal(answer.status, 200);
        assert.match(answer.contentType ?? '', /^application\/grpc(\+proto)?$/);
        assert.deepEqual(answer.body, framed(Buffer.from('hello')));
        assert.equal(answer.grpcStatus, 0);
        assert.equal(answer.resetCode, constants.NGHTTP2_NO_ERROR);
      });

      it('takes the content types of gRPC', async () => {
        for (const contentType of ['application/grpc', 'application/grpc+proto', 'application/grpc;charset=utf-8']) {
          const answer = await raw.call('/test.Test/Echo', NOTHING, { 'content-type': contentType });
          assert.equal(answer.grpcStatus, 0, contentType);
        }
      });

      it('hands a method the exact bytes of 10 MiB, also of several at once', async () => {
        const bodies = Array.from({ length: 6 }, () => randomBytes(10 * MIB));
        const answers = await Promise.all(bodies.map(async (body) => await raw.call('/test.Test/Digest', body)));
        assert.deepEqual(
          answers.map((answer) => answer.body.subarray(5).toString('hex')),
          bodies.map((body) => createHash('sha256').update(body).digest('hex')),
        );
      });

      it('takes messages of every size around the windows and frames', async () => {
        for (const size of [1, 16378, 16379, 16380, 65529, 65530, 65531, 65536, 100_000, 12 * MIB]) {
          const body = randomBytes(size);
          const answer = await raw.call('/test.Test/Digest', body);
          assert.deepEqual(answer.body.subarray(5), createHash('sha256').update(body).digest(), String(size));
        }
      });

      it('sends large answers through the windows of the client', async () => {
        const size = Buffer.alloc(4);
        size.writeUInt32BE(3 * MIB);
        const answers = await Promise.all([1, 2, 3].map(async () => await raw.call('/test.Test/Grow', size)));
        for (const answer of answers) {
          assert.equal(answer.grpcStatus, 0);
          assert.ok(answer.body.subarray(5).equals(Buffer.alloc(3 * MIB, 'grow')));
        }
      });

      it('answers 1000 calls that are open at the same time', async () => {
        const answers = Array.from({ length: 1000 }, async (_, index) => {
          return await raw.call('/test.Test/Hold', Buffer.from(String(index)));
        });
        const held = await Promise.all(answers.map(async () => await harness.nextHeld()));
        for (const { answer, message } of held.reverse()) answer(message);
        const texts = (await Promise.all(answers)).map((answer) => answer.body.subarray(5).toString());
        assert.deepEqual(
          texts,
          answers.map((_, index) => String(index)),
        );
      });

      it('puts together messages whose DATA frames come in turns', async () => {
        const streams = ['first', 'second'].map((text) => ({ text, stream: raw.open('/test.Test/Echo') }));
        const answers = streams.map(async ({ stream }) => await readAnswer(stream));
        const bytes = streams.map(({ text }) => framed(Buffer.from(text.repeat(20_000))));
        for (let at = 0; at < 130_000; at += 9000) {
          for (const [index, { stream }] of streams.entries()) stream.write(bytes[index]?.subarray(at, at + 9000));
          await raw.ping();
        }
        for (const { stream } of streams) stream.end();
        for (const [index, answer] of answers.entries()) assert.ok((await answer).body.equals(bytes[index] ?? NOTHING));
      });

      it('takes a message that comes one octet at a time', async () => {
        const stream = raw.open('/test.Test/Echo');
        const answer = readAnswer(stream);
        for (const octet of framed(Buffer.from('slow'))) {
          stream.write(Buffer.from([octet]));
          await raw.ping();
        }
        stream.end();
        assert.deepEqual((await answer).body, framed(Buffer.from('slow')));
      });

      it('announces how many calls a connection may have open, and answers pings', async () => {
        assert.equal(raw.session.remoteSettings.maxConcurrentStreams, maxConcurrentCalls);
        await raw.ping();
      });
    });

    describe('refusing', () => {
      it('refuses a message over the bound of its method, and goes on', async () => {
        assert.equal((await raw.call('/test.Test/Small', Buffer.alloc(16))).grpcStatus, 0);
        assert.equal((await raw.call('/test.Test/Small', Buffer.alloc(17))).grpcStatus, 8);
        assert.equal((await raw.call('/test.Test/Digest', Buffer.alloc(12 * MIB + 1))).grpcStatus, 8);
        assert.equal((await raw.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
      });

      it('refuses a message in an encoding that it does not know', async () => {
        const answer = await raw.send('/test.Test/Echo', framed(Buffer.from('x'), 1), { 'grpc-encoding': 'x-unknown' });
        assert.equal(answer.grpcStatus, 12);
        assert.deepEqual(answer.body, NOTHING);
      });

      it('refuses a call without a message, with two, and with a part of one', async () => {
        const one = framed(Buffer.from('one'));
        assert.equal((await raw.send('/test.Test/Echo', NOTHING)).grpcStatus, 12);
        assert.equal((await raw.send('/test.Test/Echo', Buffer.concat([one, one]))).grpcStatus, 12);
        for (const cut of [one.subarray(0, 3), one.subarray(0, 7)]) {
          const { grpcStatus } = await raw.send('/test.Test/Echo', cut);
          assert.ok(grpcStatus === 13 || grpcStatus === 12, String(grpcStatus));
        }
      });

      it('answers UNIMPLEMENTED to a path that it does not serve', async () => {
        assert.equal((await raw.call('/test.Test/Unknown', NOTHING)).grpcStatus, 12);
        assert.equal((await raw.call('/grpc.reflection.v1.ServerReflection/X', NOTHING)).grpcStatus, 12);
      });

      it('does not wait for the end of a request whose path it does not serve', async () => {
        const stream = raw.open('/test.Test/Unknown');
        assert.equal((await readAnswer(stream)).grpcStatus, 12);
      });

      it('answers 415 to what is not gRPC', async () => {
        const answer = await raw.send('/test.Test/Echo', Buffer.from('{}'), { 'content-type': 'application/json' });
        assert.equal(answer.status, 415);
      });

      it('gives a status of the method with its message', async () => {
        const answer = await raw.call('/test.Test/Fail', NOTHING);
        assert.equal(answer.grpcStatus, failure.status);
        assert.equal(answer.grpcMessage, failure.message);
      });

      it('answers INTERNAL without detail when a method throws or rejects, and reports the defect', async () => {
        for (const path of ['/test.Test/Throw', '/test.Test/Reject']) {
          const answer = await raw.call(path, NOTHING);
          assert.equal(answer.grpcStatus, 13);
          assert.equal(answer.grpcMessage, 'internal error');
        }
        assert.deepEqual(
          harness.told.defects.map(({ path, error }) => [path, String(error)]),
          [
            ['/test.Test/Throw', 'Error: a private detail'],
            ['/test.Test/Reject', 'Error: a private detail'],
          ],
        );
      });

      it('closes a connection that speaks HTTP/1.1, and serves the others', async () => {
        if (harness.address.kind !== 'tcp') assert.fail();
        const socket = connect(harness.address.port, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write('GET / HTTP/1.1\r\nhost: example\r\n\r\n');
        socket.resume();
        await once(socket, 'close');
        assert.equal((await raw.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
      });
    });

    describe('ending', () => {
      it('ends a call at its deadline, and tells the method', async () => {
        const answer = raw.call('/test.Test/Hold', NOTHING, { 'grpc-timeout': '20m' });
        const { call, answer: give } = await harness.nextHeld();
        await cancelled(call);
        assert.equal((await answer).grpcStatus, 4);
        assert.equal(call.cancelled, true);
        give(NOTHING); // nobody listens, nothing breaks
        assert.equal((await raw.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
      });

      it('keeps a call whose deadline is far, or that has none', async () => {
        const heads = [{ 'grpc-timeout': '2H' }, { 'grpc-timeout': '90S' }, {}];
        const answers = heads.map(async (head) => await raw.call('/test.Test/Hold', NOTHING, head));
        const passing = raw.call('/test.Test/Hold', NOTHING, { 'grpc-timeout': '20m' });
        const held = [];
        while (held.length < 4) held.push(await harness.nextHeld());
        assert.equal((await passing).grpcStatus, 4);
        assert.deepEqual(
          held.map(({ call }) => call.cancelled),
          [false, false, false, true],
        );
        for (const { answer } of held) answer(NOTHING);
        assert.deepEqual(
          (await Promise.all(answers)).map(({ grpcStatus }) => grpcStatus),
          [0, 0, 0],
        );
      });

      it('refuses a deadline that is none', async () => {
        assert.equal((await raw.call('/test.Test/Echo', NOTHING, { 'grpc-timeout': 'soon' })).grpcStatus, 13);
      });

      it('tells the method when the caller cancels, and goes on', async () => {
        const stream = raw.open('/test.Test/Hold');
        stream.end(framed(NOTHING));
        const { call, answer } = await harness.nextHeld();
        assert.equal(call.cancelled, false);
        stream.close(constants.NGHTTP2_CANCEL);
        await cancelled(call);
        assert.equal(call.cancelled, true);
        answer(NOTHING);
        assert.equal((await raw.call('/test.Test/Echo', NOTHING)).grpcStatus, 0);
      });

      it('tells the method when the connection is lost', async () => {
        raw.open('/test.Test/Hold').end(framed(NOTHING));
        const { call } = await harness.nextHeld();
        raw.session.destroy();
        await cancelled(call);
        assert.equal(call.cancelled, true);
      });

      it('does not abort the signal of a call that was answered', async () => {
        const answer = raw.call('/test.Test/Hold', NOTHING, { 'grpc-timeout': '50S' });
        const { call, answer: give } = await harness.nextHeld();
        const { signal } = call;
        give(NOTHING);
        await answer;
        assert.equal(signal.aborted, false);
      });
    });

    describe('draining', () => {
      it('lets running calls finish, sends new ones elsewhere, and closes', async () => {
        const running = raw.call('/test.Test/Hold', NOTHING);
        const { answer } = await harness.nextHeld();
        const idle = await RawClient.connect(harness.address);
        const idleClosed = once(idle.session, 'close');
        const wentAway = once(raw.session, 'goaway');
        const closed = once(raw.session, 'close');

        const drained = harness.transport.drain(10_000);
        await wentAway;
        await idleClosed;
        await assert.rejects(RawClient.connect(harness.address));
        answer(Buffer.from('in time'));
        assert.deepEqual((await running).body, framed(Buffer.from('in time')));
        assert.equal(await drained, 0);
        await closed;
      });

      it('cuts what does not finish, and says how many', async () => {
        const running = raw.call('/test.Test/Hold', NOTHING);
        const { call } = await harness.nextHeld();
        assert.equal(await harness.transport.drain(20), 1);
        await cancelled(call);
        assert.equal((await running).grpcStatus, undefined);
      });

      it('loses no call of a client that follows the protocol', async () => {
        await withGrpcClient(harness, async (call) => {
          await call('/test.Test/Echo', NOTHING);
          const calls = Array.from({ length: 200 }, async (_, index) => {
            return await call('/test.Test/EchoLater', Buffer.from(String(index)));
          });
          const answers = Promise.allSettled(calls);
          // Once one has been answered all have been sent.
          await calls[0];
          assert.equal(await harness.transport.drain(10_000), 0);
          for (const [index, outcome] of (await answers).entries()) {
            assert.deepEqual(outcome, { status: 'fulfilled', value: Buffer.from(String(index)) });
          }
        });
      });

      it('drains with no connection at all', async () => {
        await raw[Symbol.asyncDispose]();
        assert.equal(await harness.transport.drain(10_000), 0);
      });
    });

    describe('health', () => {
      const health = '/grpc.health.v1.Health/Check';
      const service = (text: string): Buffer => Buffer.from([0x0a, text.length, ...Buffer.from(text)]);

      it('has a state for the process and one for each service, and NOT_FOUND for unknown names', async () => {
        assert.deepEqual(messagesOf((await raw.call(health, NOTHING)).body), [Buffer.from([0x08, 2])]);
        harness.health.setServing('', true);
        assert.deepEqual(messagesOf((await raw.call(health, NOTHING)).body), [Buffer.from([0x08, 1])]);
        assert.deepEqual(messagesOf((await raw.call(health, service('test.Test'))).body), [Buffer.from([0x08, 2])]);
        harness.health.setServing('test.Test', true);
        assert.deepEqual(messagesOf((await raw.call(health, service('test.Test'))).body), [Buffer.from([0x08, 1])]);
        assert.equal((await raw.call(health, service('other.Service'))).grpcStatus, 5);
        assert.equal((await raw.call(health, Buffer.from([0x0a, 9]))).grpcStatus, 13);
        assert.equal((await raw.call(health, Buffer.alloc(1025))).grpcStatus, 8);
      });

      it('lets a caller watch, until the server drains', async () => {
        const stream = raw.open('/grpc.health.v1.Health/Watch');
        const answer = readAnswer(stream);
        stream.end(framed(NOTHING));
        await once(stream, 'data');
        harness.health.setServing('', true);
        await once(stream, 'data');
        harness.health.setServing('', false);
        assert.equal(await harness.transport.drain(10_000), 0);
        const { body, grpcStatus } = await answer;
        assert.deepEqual(
          messagesOf(body).map((message) => message[1]),
          [2, 1, 2],
        );
        assert.equal(grpcStatus, 14);
      });

      it('lets a connection watch a few times, refuses more with RESOURCE_EXHAUSTED, and takes another when one ends', async () => {
        const open = async (): Promise<ClientHttp2Stream> => {
          const stream = raw.open('/grpc.health.v1.Health/Watch');
          stream.end(framed(NOTHING));
          await once(stream, 'data');
          return stream;
        };
        const [first] = await Promise.all([open(), open(), open(), open()]);
        const refused = await raw.call('/grpc.health.v1.Health/Watch', NOTHING);
        assert.deepEqual([refused.grpcStatus, refused.grpcMessage], [8, 'too many watches: use Health/Check']);
        assert.equal((await raw.call(health, NOTHING)).grpcStatus, 0);
        await using other = await RawClient.connect(harness.address);
        const ofOther = other.open('/grpc.health.v1.Health/Watch');
        ofOther.end(framed(NOTHING));
        await once(ofOther, 'data');
        first.close(constants.NGHTTP2_CANCEL);
        await once(first, 'close');
        await raw.ping();
        await open();
      });

      it('forgets a watcher that went away', async () => {
        const stream = raw.open('/grpc.health.v1.Health/Watch');
        stream.end(framed(NOTHING));
        await once(stream, 'data');
        stream.close(constants.NGHTTP2_CANCEL);
        await once(stream, 'close');
        harness.health.setServing('', true);
        assert.deepEqual(messagesOf((await raw.call(health, NOTHING)).body), [Buffer.from([0x08, 1])]);
        assert.deepEqual(harness.told.defects, []);
      });
    });

    it('closes everything when it is disposed of', async () => {
      const running = raw.call('/test.Test/Hold', NOTHING);
      const { call } = await harness.nextHeld();
      await harness[Symbol.asyncDispose]();
      await cancelled(call);
      assert.notEqual((await running).grpcStatus, 0);
      const session = connectHttp2(
        `http://127.0.0.1:${harness.address.kind === 'tcp' ? String(harness.address.port) : ''}`,
      );
      await assert.rejects(once(session, 'connect'), { code: 'ECONNREFUSED' });
    });
  });
}

type UnaryCall = (path: string, message: Buffer) => Promise<Buffer>;

async function withGrpcClient(harness: Harness, use: (call: UnaryCall) => Promise<void>): Promise<void> {
  if (harness.address.kind !== 'tcp') assert.fail();
  const client = new Client(`127.0.0.1:${String(harness.address.port)}`, credentials.createInsecure());
  const same = (bytes: Buffer): Buffer => bytes;
  try {
    await use(async (path, message) => {
      return await new Promise<Buffer>((resolve, reject) => {
        client.makeUnaryRequest(path, same, same, message, (error: ServiceError | null, answer) => {
          if (error === null && answer !== undefined) resolve(answer);
          else reject(error ?? new Error('no answer'));
        });
      });
    });
  } finally {
    client.close();
  }
}
