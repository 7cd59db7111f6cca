import assert from 'node:assert/strict';
import { CallFailure } from '../../../../src/wire/grpc-client/call-failure.ts';
import { CLIENT_PREFACE, errorCode, frameFlag, frameType, setting } from '../../../../src/wire/http2/frame.ts';
import {
  answerHead,
  type FakeClient,
  fakeClient,
  goodAnswer,
  type MadeCall,
  prefixed,
  statusOnly,
  trailers,
} from '../../../support/grpc/fake-client.ts';
import { block, data, frame, settings, uint32 } from '../../../support/grpc/fake-wire.ts';
import { settle } from '../../../support/time/manual-time.ts';

const END = frameFlag.endStream;
const message = Buffer.from('answer');

function begin(client: FakeClient, ...parts: Parameters<FakeClient['call']>): MadeCall {
  return client.call(...parts) ?? assert.fail('the connection takes no call');
}

/** What became of a call: the text of its answer, or the code and message of its failure. */
function outcomeOf({ outcomes }: MadeCall): string | null {
  assert.ok(outcomes.length <= 1, 'a call ends once');
  const [outcome] = outcomes;
  if (outcome === undefined) return null;
  return outcome instanceof CallFailure ? `${String(outcome.code)} ${outcome.message}` : outcome.toString();
}

describe("a client's connection", () => {
  it('introduces itself, and takes calls when the server has', () => {
    const client = fakeClient({}, false);
    assert.deepEqual(client.introduction.subarray(0, CLIENT_PREFACE.length), CLIENT_PREFACE);
    assert.equal(client.call(), null);
    client.send(settings());
    assert.deepEqual(client.events, ['ready']);
    assert.deepEqual(
      client.wire.take().map(({ type, flags }) => [type, flags]),
      [[frameType.settings, frameFlag.ack]],
    );
    assert.ok(client.call() !== null);
  });

  it('sends all calls of a turn in one write, each as HEADERS and a DATA frame that ends it', async () => {
    const client = fakeClient();
    const before = client.wire.writes;
    for (let count = 0; count < 3; count += 1) begin(client, Buffer.from(`q${String(count)}`));
    await settle();
    assert.equal(client.wire.writes, before + 1);
    assert.deepEqual(
      client.wire.take().map(({ type, flags, streamId }) => [type, flags, streamId]),
      [1, 3, 5].flatMap((id) => [
        [frameType.headers, frameFlag.endHeaders, id],
        [frameType.data, END, id],
      ]),
    );
  });

  it('gives each call its own answer, in whatever order they come', () => {
    const client = fakeClient();
    const calls = [begin(client), begin(client), begin(client)];
    client.send(
      goodAnswer(5, Buffer.from('third')),
      goodAnswer(1, Buffer.from('first')),
      goodAnswer(3, Buffer.alloc(0)),
    );
    assert.deepEqual(calls.map(outcomeOf), ['first', '', 'third']);
    assert.equal(client.connection.heldBytes, 0);
  });

  const answers: Readonly<Record<string, readonly Buffer[]>> = {
    'in crumbs': [answerHead(1), ...[...prefixed(message)].map((octet) => data(1, Buffer.from([octet]))), trailers(1)],
    'with padding': [
      answerHead(1),
      data(1, Buffer.concat([Buffer.from([3]), prefixed(message), Buffer.alloc(3)]), frameFlag.padded),
      trailers(1),
    ],
    'behind interim answers': [answerHead(1, { ':status': '103' }), goodAnswer(1, message)],
    'with an empty DATA frame': [answerHead(1), data(1, Buffer.alloc(0)), data(1, prefixed(message)), trailers(1)],
    'in header blocks of several frames': [
      answerHead(1, { ':status': '200' }, 0),
      frame(frameType.continuation, 0, 1, block({ 'content-type': 'application/grpc+proto' })),
      frame(frameType.continuation, frameFlag.endHeaders, 1, block({ date: 'today' })),
      data(1, prefixed(message)),
      trailers(1, { 'x-more': 'yes', 'grpc-status': '0', 'grpc-message': '' }),
    ],
    'between other frames': [
      frame(frameType.ping, 0, 0, Buffer.alloc(8)),
      answerHead(1),
      frame(0x77, 0xff, 9, Buffer.alloc(10)),
      settings([setting.maxConcurrentStreams, 9]),
      data(1, prefixed(message)),
      frame(frameType.priority, 0, 1, Buffer.alloc(5)),
      trailers(1),
      frame(frameType.rstStream, 0, 1, uint32(0)),
    ],
  };
  for (const [name, bytes] of Object.entries(answers)) {
    it(`takes an answer ${name}, however it is cut`, () => {
      const whole = Buffer.concat(bytes);
      for (const size of [whole.length, 1, 7]) {
        const client = fakeClient();
        const call = begin(client);
        for (let at = 0; at < whole.length; at += size) client.send(whole.subarray(at, at + size));
        assert.equal(outcomeOf(call), 'answer');
      }
    });
  }

  const grpc = { ':status': '200', 'content-type': 'application/grpc' };
  const compressed = Buffer.concat([Buffer.from([1]), uint32(6), message]);
  const failures: Readonly<Record<string, readonly [bytes: readonly Buffer[], outcome: string]>> = {
    'has an HTTP status alone': [[answerHead(1, { ':status': '503' })], '14 it answered with HTTP status 503'],
    'ends with an HTTP status': [
      [answerHead(1, { ':status': '401' }, END | frameFlag.endHeaders)],
      '16 it answered with HTTP status 401',
    ],
    'has no HTTP status': [[answerHead(1, { 'content-type': 'application/grpc' })], '13 an answer lacks :status'],
    'has what is not a status': [[answerHead(1, { ...grpc, ':status': '2000' })], '13 :status is not a status'],
    'is another kind of content': [
      [answerHead(1, { ':status': '200', 'content-type': 'text/html' })],
      '13 the answer is not gRPC',
    ],
    'has DATA first': [[data(1, prefixed(message))], '13 DATA came before HEADERS'],
    'has a status and no message': [[statusOnly(1, '0')], '13 the answer has no message'],
    'ends with DATA': [[answerHead(1), data(1, prefixed(message), END)], '13 the answer ends without trailers'],
    'has trailers without a status': [
      [answerHead(1), data(1, prefixed(message)), trailers(1, { a: 'b' })],
      '2 the answer has no grpc-status',
    ],
    'has two statuses': [
      [
        answerHead(1),
        frame(
          frameType.headers,
          END | frameFlag.endHeaders,
          1,
          Buffer.concat([block({ 'grpc-status': '0' }), block({ 'grpc-status': '0' })]),
        ),
      ],
      '13 grpc-status appears twice',
    ],
    'has a status that is no number': [[statusOnly(1, '00')], '2 grpc-status is not a status'],
    'has trailers that do not end it': [
      [answerHead(1), data(1, prefixed(message)), answerHead(1, { 'grpc-status': '0' })],
      '13 trailers do not end the answer',
    ],
    'has trailers with :status': [
      [answerHead(1), data(1, prefixed(message)), trailers(1, { ':status': '200', 'grpc-status': '0' })],
      '13 trailers hold :status',
    ],
    'has an unknown pseudo-field': [[answerHead(1, { ...grpc, ':odd': '1' })], '13 a field name that none may have'],
    'has a name in capitals': [[answerHead(1, { ...grpc, Date: '1' })], '13 a field name that none may have'],
    'has a field of HTTP/1.1': [[answerHead(1, { ...grpc, connection: 'x' })], '13 a field of HTTP/1.1 connections'],
    'has a line feed in a value': [
      [answerHead(1, { ...grpc, a: 'b\nc' })],
      '13 a field value holds octets that none may',
    ],
    'has a pseudo-field last': [
      [answerHead(1, { 'content-type': 'application/grpc', ':status': '200' })],
      '13 a pseudo-header field follows a regular field',
    ],
    'has large fields': [[answerHead(1, { ...grpc, a: 'b'.repeat(8100) })], '13 the header fields are too large'],
    'has two messages': [
      [answerHead(1), data(1, prefixed(message)), data(1, prefixed(message)), trailers(1)],
      '13 a unary call has one message, this has more',
    ],
    'has a message that is cut off': [
      [answerHead(1), data(1, prefixed(message).subarray(0, -1)), trailers(1)],
      '13 the message is cut off',
    ],
    'has a prefix that is cut off': [
      [answerHead(1), data(1, Buffer.alloc(4)), trailers(1)],
      '13 the message is cut off',
    ],
    'has no message': [[answerHead(1), trailers(1)], '13 the answer has no message'],
    'is compressed': [[answerHead(1), data(1, compressed), trailers(1)], '12 compressed messages are not supported'],
    'announces a large message': [
      [answerHead(1), data(1, Buffer.from([0, 0, 0, 0x40, 1]))],
      '8 the answer has more than 16384 bytes',
    ],
    'goes on and on': [
      [answerHead(1), data(1, Buffer.alloc(4)), data(1, Buffer.alloc(16_384)), data(1, Buffer.alloc(2))],
      '8 the answer has more than 16384 bytes',
    ],
    'is reset': [[frame(frameType.rstStream, 0, 1, uint32(2))], '13 it reset the call (HTTP/2 error 2)'],
    'has its window widened by nothing': [[frame(frameType.windowUpdate, 0, 1, uint32(0))], '13 WINDOW_UPDATE of 0'],
    'has its window widened too far': [
      [frame(frameType.windowUpdate, 0, 1, uint32(0x7fffffff))],
      '13 the window is too large',
    ],
    'is a failure': [[statusOnly(1, '8', 'too%20much')], '8 too much'],
    'is a failure after a message': [
      [answerHead(1), data(1, prefixed(message)), trailers(1, { 'grpc-status': '13' })],
      '13 ',
    ],
    'is a failure with a text that is not fit for a log': [
      [statusOnly(1, '2', '%1b[31mred%0a%zz%C3%A9%')],
      '2 ?[31mred?%zz?%',
    ],
    'is a failure with a long text': [[statusOnly(1, '2', 'a'.repeat(300))], `2 ${'a'.repeat(100)}…`],
  };
  for (const [name, [bytes, outcome]] of Object.entries(failures)) {
    it(`fails a call whose answer ${name}, and goes on with the others`, () => {
      const client = fakeClient();
      const [failed, other] = [begin(client), begin(client)];
      client.send(...bytes);
      assert.equal(outcomeOf(failed), outcome);
      client.send(goodAnswer(1, Buffer.from('late')), goodAnswer(3, message));
      assert.deepEqual([outcomeOf(failed), outcomeOf(other)], [outcome, 'answer']);
      assert.deepEqual([client.events, client.connection.heldBytes], [['ready'], 0]);
    });
  }

  it('resets a call that no caller waits for, and lets its answer pass by', async () => {
    const client = fakeClient();
    const [call, other] = [begin(client), begin(client)];
    await settle();
    client.wire.take();
    client.connection.cancel(call.call, new CallFailure(4, 'too late'));
    await settle();
    assert.deepEqual(
      client.wire.take().map(({ type, streamId, payload }) => [type, streamId, payload.readUInt32BE()]),
      [[frameType.rstStream, 1, errorCode.cancel]],
    );
    client.send(goodAnswer(1, message), goodAnswer(3, message));
    assert.deepEqual([outcomeOf(call), outcomeOf(other)], ['4 too late', 'answer']);
  });

  it('gives back a refused call once, and then fails it', () => {
    const client = fakeClient();
    const refused = begin(client);
    client.send(frame(frameType.rstStream, 0, 1, uint32(errorCode.refusedStream)));
    assert.deepEqual([client.unprocessed, outcomeOf(refused)], [[refused.call], null]);
    client.connection.begin(refused.call);
    client.send(frame(frameType.rstStream, 0, 3, uint32(errorCode.refusedStream)));
    assert.deepEqual([client.unprocessed.length, outcomeOf(refused)], [1, '14 it reset the call (HTTP/2 error 7)']);
  });

  it('lets calls end that a server which goes away works on, gives back the others, and then leaves', () => {
    const client = fakeClient();
    const [taken, untaken] = [begin(client), begin(client)];
    const goaway = (lastId: number): Buffer =>
      frame(frameType.goaway, 0, 0, Buffer.concat([uint32(lastId), uint32(0)]));
    client.send(goaway(0x7fffffff));
    assert.deepEqual([client.events, client.call()], [['ready', 'leaving'], null]);
    client.send(goaway(1));
    assert.deepEqual([client.unprocessed, outcomeOf(untaken)], [[untaken.call], null]);
    client.send(goodAnswer(1, message));
    assert.equal(outcomeOf(taken), 'answer');
    assert.deepEqual(
      [client.events, client.wire.ended],
      [['ready', 'leaving', 'lost: the connection is being closed'], true],
    );
  });

  it('begins no more calls than the server takes', () => {
    const client = fakeClient();
    client.send(settings([setting.maxConcurrentStreams, 2]));
    const [first] = [begin(client), begin(client)];
    assert.equal(client.call(), null);
    client.send(goodAnswer(1, message));
    assert.equal(outcomeOf(first), 'answer');
    assert.ok(client.call() !== null);
    client.send(settings([setting.maxConcurrentStreams, 0]));
    assert.equal(client.call(), null);
  });

  it('sends what the windows of the server let through, and the rest when they open', async () => {
    const client = fakeClient();
    client.send(settings([setting.initialWindowSize, 4]));
    const call = begin(client, Buffer.from('question'));
    const sentData = async (): Promise<string> => {
      await settle();
      return client.wire
        .take()
        .filter(({ type }) => type === frameType.data)
        .map(({ payload, flags }) => payload.toString('latin1') + (flags === END ? '.' : ''))
        .join('|');
    };
    assert.equal(await sentData(), '\0\0\0\0');
    client.send(frame(frameType.windowUpdate, 0, 1, uint32(3)));
    assert.equal(await sentData(), '\x08qu');
    client.send(settings([setting.initialWindowSize, 5]));
    assert.equal(await sentData(), 'e');
    client.send(settings([setting.initialWindowSize, 65_535]));
    assert.equal(await sentData(), 'stion.');
    client.send(goodAnswer(1, message));
    assert.equal(outcomeOf(call), 'answer');
  });

  it('shares the window of the connection', async () => {
    const client = fakeClient();
    const calls = Array.from({ length: 7 }, () => begin(client, Buffer.alloc(12_000)));
    const sentBytes = async (): Promise<number> => {
      await settle();
      return client.wire
        .take()
        .reduce((sum, { type, payload }) => sum + (type === frameType.data ? payload.length : 0), 0);
    };
    assert.equal(await sentBytes(), 65_535);
    client.send(frame(frameType.windowUpdate, 0, 0, uint32(10)));
    assert.equal(await sentBytes(), 10);
    client.send(frame(frameType.windowUpdate, 0, 0, uint32(1_000_000)));
    assert.equal(await sentBytes(), 7 * 12_005 - 65_545);
    client.send(...calls.map((_, at) => goodAnswer(2 * at + 1, message)));
    assert.ok(calls.every((call) => outcomeOf(call) === 'answer'));
  });

  it('renews the window of the connection before it closes', async () => {
    const client = fakeClient({ connectionWindowBytes: 100_000 });
    for (let count = 0; count < 100; count += 1) {
      begin(client);
      client.send(goodAnswer(2 * count + 1, Buffer.alloc(10_000)));
    }
    await settle();
    const given = client.wire.take().filter(({ type }) => type === frameType.windowUpdate);
    assert.ok(given.length >= 19 && given.every(({ streamId }) => streamId === 0));
    assert.deepEqual(client.events, ['ready']);
  });

  it('begins no calls while the server does not read, and leaves one that makes it say more', () => {
    const client = fakeClient({ pauseAboveBytes: 1000, maxUnsentBytes: 2000 });
    client.wire.keepsUp = false;
    client.wire.unsentBytes = 1001;
    assert.equal(client.call(), null);
    client.wire.unsentBytes = 2001;
    client.send(frame(frameType.ping, 0, 0, Buffer.alloc(8)));
    assert.deepEqual(
      [client.events, client.wire.destroyed],
      [['ready', 'lost: it does not read what it is sent'], true],
    );
  });

  it('asks a server that was silent for long whether it is alive, with the next call, and leaves one that is not', async () => {
    const client = fakeClient();
    await client.time.advance(300_001);
    const call = begin(client);
    await settle();
    assert.ok(client.wire.take().some(({ type }) => type === frameType.ping));
    begin(client);
    await settle();
    assert.ok(!client.wire.take().some(({ type }) => type === frameType.ping), 'once');
    client.send(goodAnswer(1, message));
    assert.equal(outcomeOf(call), 'answer');
    await client.time.advance(2001);
    assert.deepEqual(client.events, ['ready']);
    await client.time.advance(300_001);
    const lost = begin(client);
    await client.time.advance(2001);
    assert.equal(outcomeOf(lost), '14 it does not answer a ping');
    assert.deepEqual(client.events, ['ready', 'lost: it does not answer a ping']);
  });

  it('fails its calls when the wire is gone', () => {
    const client = fakeClient();
    const call = begin(client);
    client.connection.wireLost('ECONNRESET');
    assert.equal(outcomeOf(call), '14 ECONNRESET');
    assert.deepEqual([client.call(), client.events], [null, ['ready', 'lost: ECONNRESET']]);
  });
});
