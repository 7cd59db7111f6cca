import assert from 'node:assert/strict';
import { CallFailure } from '../../../../src/wire/grpc-client/call-failure.ts';
import type { ClientLimits } from '../../../../src/wire/grpc-client/client-limits.ts';
import { errorCode, frameFlag, frameType, setting } from '../../../../src/wire/http2/frame.ts';
import { answerHead, fakeClient, goodAnswer, trailers } from '../../../support/grpc/fake-client.ts';
import { block, data, frame, settings, uint32 } from '../../../support/grpc/fake-wire.ts';

const { protocolError, frameSizeError, flowControlError, compressionError, enhanceYourCalm } = errorCode;
const goaway = (lastId: number): Buffer => frame(frameType.goaway, 0, 0, Buffer.concat([uint32(lastId), uint32(0)]));
const ping = frame(frameType.ping, 0, 0, Buffer.alloc(8));
const interim = answerHead(1, { ':status': '103' });
const times = (count: number, bytes: Buffer): Buffer => Buffer.concat(Array.from({ length: count }, () => bytes));

/** What ends a connection on which calls 1 and 3 are under way: the code that the server is sent, the words for people. */
const breaches: Readonly<
  Record<string, readonly [bytes: Buffer, code: number, reason: string, limits?: Partial<ClientLimits>]>
> = {
  'a frame above 16384 octets': [
    Buffer.from([0, 0x40, 1, 0, 0, 0, 0, 0, 1]),
    frameSizeError,
    'a frame is larger than 16384 octets',
  ],
  'a promised push': [
    frame(frameType.pushPromise, frameFlag.endHeaders, 1, Buffer.concat([uint32(2), block({ ':path': '/' })])),
    protocolError,
    'a push was promised, and pushes are off',
  ],
  'HEADERS on a stream that was never opened': [
    answerHead(5),
    protocolError,
    'HEADERS on a stream that was never opened',
  ],
  'HEADERS on a stream of its own': [answerHead(2), protocolError, 'HEADERS on a stream that was never opened'],
  'HEADERS on the connection': [answerHead(0), protocolError, 'HEADERS on a stream that was never opened'],
  'DATA on a stream that was never opened': [
    data(5, Buffer.alloc(9)),
    protocolError,
    'DATA on a stream that was never opened',
  ],
  'DATA on the connection': [data(0, Buffer.alloc(9)), protocolError, 'DATA on a stream that was never opened'],
  'DATA that is all padding': [
    Buffer.concat([answerHead(1), data(1, Buffer.from([9, 0]), frameFlag.padded)]),
    protocolError,
    'DATA is all padding and more',
  ],
  'HEADERS that are all padding': [
    frame(frameType.headers, frameFlag.endHeaders | frameFlag.padded, 1, Buffer.from([9, 0])),
    protocolError,
    'HEADERS is all padding and more',
  ],
  'a reset of a stream that was never opened': [
    frame(frameType.rstStream, 0, 5, uint32(0)),
    protocolError,
    'RST_STREAM on a stream that was never opened',
  ],
  'a window of a stream that was never opened': [
    frame(frameType.windowUpdate, 0, 5, uint32(1)),
    protocolError,
    'WINDOW_UPDATE on a stream that was never opened',
  ],
  'a window widened by nothing': [frame(frameType.windowUpdate, 0, 0, uint32(0)), protocolError, 'WINDOW_UPDATE of 0'],
  'a window widened too far': [
    frame(frameType.windowUpdate, 0, 0, uint32(0x7fffffff)),
    flowControlError,
    'the connection window is too large',
  ],
  'an initial window that is too large': [
    settings([setting.initialWindowSize, 0x80000000]),
    flowControlError,
    'SETTINGS_INITIAL_WINDOW_SIZE is too large',
  ],
  'a wish for pushes': [settings([setting.enablePush, 1]), protocolError, 'a server asks for pushes'],
  'a size of frames below the least': [
    settings([setting.maxFrameSize, 16_383]),
    protocolError,
    'SETTINGS_MAX_FRAME_SIZE is out of its range',
  ],
  'SETTINGS with a wrong length': [
    frame(frameType.settings, 0, 0, Buffer.alloc(5)),
    frameSizeError,
    'SETTINGS has a wrong length',
  ],
  'SETTINGS on a stream': [frame(frameType.settings, 0, 1), protocolError, 'SETTINGS on a stream'],
  'a PING with a wrong length': [frame(frameType.ping, 0, 0), frameSizeError, 'PING has not eight octets'],
  'a GOAWAY that is too short': [frame(frameType.goaway, 0, 0), frameSizeError, 'GOAWAY is too short'],
  'a GOAWAY that takes more than the one before': [
    Buffer.concat([goaway(1), goaway(3)]),
    protocolError,
    'GOAWAY takes back what the one before said',
  ],
  'a header block that is interrupted': [
    Buffer.concat([answerHead(1, {}, 0), ping]),
    protocolError,
    'a header block is interrupted',
  ],
  'a CONTINUATION of nothing': [
    frame(frameType.continuation, frameFlag.endHeaders, 1),
    protocolError,
    'CONTINUATION continues nothing',
  ],
  'a CONTINUATION of another stream': [
    Buffer.concat([answerHead(1, {}, 0), frame(frameType.continuation, frameFlag.endHeaders, 3)]),
    protocolError,
    'CONTINUATION continues nothing',
  ],
  'a header block that never ends, in empty frames': [
    Buffer.concat([answerHead(1, {}, 0), times(20, frame(frameType.continuation, 0, 1))]),
    enhanceYourCalm,
    'a header block is too large',
  ],
  'a header block that never ends, in large frames': [
    Buffer.concat([answerHead(1, {}, 0), frame(frameType.continuation, 0, 1, Buffer.alloc(9000))]),
    enhanceYourCalm,
    'a header block is too large',
  ],
  'a header block that is not HPACK': [
    frame(frameType.headers, frameFlag.endHeaders, 1, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff])),
    compressionError,
    'a number is cut off or too large',
  ],
  'a table above its size': [
    frame(frameType.headers, frameFlag.endHeaders, 1, Buffer.from([0x3f, 0xff, 0x7f])),
    compressionError,
    'a table size update is above the limit',
  ],
  'an answer of padding that is larger than its window': [
    Buffer.concat([
      answerHead(1),
      times(250, data(1, Buffer.concat([Buffer.from([255]), Buffer.alloc(299)]), frameFlag.padded)),
    ]),
    flowControlError,
    'an answer is larger than its window',
  ],
  'answers that are begun and held': [
    Buffer.concat([answerHead(1), answerHead(3), data(1, Buffer.alloc(600)), data(3, Buffer.alloc(600))]),
    enhanceYourCalm,
    'too much has come of answers that are not complete',
    { maxHeldBytes: 1000 },
  ],
  'a flood of pings': [times(10_001, ping), enhanceYourCalm, 'too many frames that bring no answer'],
  'a flood of SETTINGS': [times(10_001, settings()), enhanceYourCalm, 'too many frames that bring no answer'],
  'SETTINGS with thousands of settings': [
    times(5, settings(...Array.from({ length: 2700 }, () => [0x77, 1] as const))),
    enhanceYourCalm,
    'too many frames that bring no answer',
  ],
  'a flood of frames that it alone knows': [
    times(10_001, frame(0x77, 0, 0)),
    enhanceYourCalm,
    'too many frames that bring no answer',
  ],
  'a flood of window updates': [
    times(10_001, frame(frameType.windowUpdate, 0, 1, uint32(1))),
    enhanceYourCalm,
    'too many frames that bring no answer',
  ],
  'a flood of empty DATA': [
    Buffer.concat([answerHead(1), times(10_001, data(1, Buffer.alloc(0)))]),
    enhanceYourCalm,
    'too many frames that bring no answer',
  ],
  'a flood of interim answers': [times(10_001, interim), enhanceYourCalm, 'too many frames that bring no answer'],
  'a flood of resets': [
    times(2001, frame(frameType.rstStream, 0, 1, uint32(8))),
    enhanceYourCalm,
    'too many frames that bring no answer',
  ],
  'a flood of answers to a call that is over': [
    Buffer.concat([goodAnswer(1, Buffer.alloc(1)), times(10_005, trailers(1))]),
    enhanceYourCalm,
    'too many frames that bring no answer',
  ],
  'a flood of GOAWAY': [times(10_001, goaway(9)), enhanceYourCalm, 'too many frames that bring no answer'],
};

describe("a client's connection to a server that breaks the protocol or its bounds", () => {
  for (const [name, [bytes, code, reason, limits]] of Object.entries(breaches)) {
    it(`ends on ${name}, and fails its calls`, () => {
      const client = fakeClient(limits);
      const calls = [client.call(), client.call()];
      client.send(bytes);
      const last = client.wire.take().at(-1);
      assert.deepEqual(
        [last?.type, last?.payload.readUInt32BE(4), last?.payload.subarray(8).toString()],
        [frameType.goaway, code, reason],
      );
      assert.equal(client.events.at(-1), `lost: it broke the protocol: ${reason}`);
      assert.ok(client.wire.ended);
      for (const call of calls) assert.equal(call?.outcomes.length === 1 || client.unprocessed.length > 0, true);
      assert.deepEqual([client.connection.openCalls, client.connection.heldBytes, client.call()], [0, 0, null]);
      const writes = client.wire.writes;
      client.send(ping);
      assert.equal(client.wire.writes, writes, 'nothing is said after the end');
    });
  }

  const introductions: Readonly<Record<string, readonly [bytes: Buffer, reason: string]>> = {
    'HTTP/1.1': [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), 'a frame is larger than 16384 octets'],
    'another frame first': [ping, 'the first frame is not SETTINGS'],
    'an acknowledgement first': [frame(frameType.settings, frameFlag.ack, 0), 'the first frame is not SETTINGS'],
    'an answer first': [goodAnswer(1, Buffer.alloc(1)), 'the first frame is not SETTINGS'],
  };
  for (const [name, [bytes, reason]] of Object.entries(introductions)) {
    it(`never begins a call with ${name}`, () => {
      const client = fakeClient({}, false);
      client.send(bytes);
      assert.deepEqual([client.events, client.call()], [[`lost: it broke the protocol: ${reason}`], null]);
    });
  }

  it('charges for windows that make it send crumbs', () => {
    const client = fakeClient({ windowSteps: 100, bytesPerWindowStep: 13 });
    client.send(settings([setting.initialWindowSize, 0]));
    const calls = Array.from({ length: 60 }, () => client.call(Buffer.alloc(1000)));
    for (let round = 0; round < 40; round += 1) client.send(settings([setting.initialWindowSize, round % 2]));
    assert.equal(
      client.events.at(-1),
      'lost: it broke the protocol: the windows ask for more work than the peer has sent',
    );
    assert.ok(calls.every((call) => call?.outcomes[0] instanceof CallFailure));
  });

  it('does not hold what a large table of HPACK names again and again', () => {
    const client = fakeClient();
    client.call();
    const entry = Buffer.concat([
      Buffer.from([0x40, 1]),
      Buffer.from('a'),
      Buffer.from([0x7f, 0xe1, 0x1d]),
      Buffer.alloc(3936, 0x62),
    ]);
    const head = Buffer.concat([Buffer.from([0x88]), entry, Buffer.alloc(2000, 0xbe)]);
    client.send(frame(frameType.headers, frameFlag.endHeaders, 1, head));
    assert.deepEqual([client.connection.openCalls, client.connection.heldBytes], [0, 0]);
    assert.deepEqual(client.events, ['ready']);
  });

  it('goes on with a server that answers and sends as many other frames as it may', () => {
    const client = fakeClient();
    for (let count = 0; count < 5000; count += 1) {
      const call = client.call();
      client.send(ping, goodAnswer(2 * count + 1, Buffer.alloc(1)), frame(frameType.windowUpdate, 0, 0, uint32(13)));
      assert.ok(call?.outcomes[0] instanceof Buffer);
    }
    assert.deepEqual(client.events, ['ready']);
  });
});
