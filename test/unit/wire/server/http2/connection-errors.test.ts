import assert from 'node:assert/strict';
import { errorCode, frameFlag, frameType, setting } from '../../../../../src/wire/http2/frame.ts';
import { type FakeConnection, fakeServer } from '../../../../support/grpc/fake-connection.ts';
import {
  block,
  clientPreface,
  data,
  frame,
  grpcFields,
  grpcHead,
  grpcRequest,
  settings,
  uint32,
} from '../../../../support/grpc/fake-wire.ts';

const NOTHING = Buffer.alloc(0);
const GOES_ON = null;

function goaway(connection: FakeConnection): number | null {
  const frames = connection.wire.take().filter(({ type }) => type === frameType.goaway);
  assert.ok(frames.length <= 1);
  return frames[0]?.payload.readUInt32BE(4) ?? GOES_ON;
}

describe('breaches of the protocol that end a connection', () => {
  const cases: readonly (readonly [string, number | null, Buffer])[] = [
    ['DATA on stream 0', errorCode.protocolError, data(0, NOTHING)],
    ['DATA on a stream never opened', errorCode.protocolError, data(1, NOTHING)],
    [
      'DATA that is all padding',
      errorCode.protocolError,
      Buffer.concat([grpcHead(1, '/Echo'), data(1, Buffer.from([9, 0]), frameFlag.padded)]),
    ],
    [
      'padded DATA without the padding length',
      errorCode.protocolError,
      Buffer.concat([grpcHead(1, '/Echo'), data(1, NOTHING, frameFlag.padded)]),
    ],
    ['HEADERS on stream 0', errorCode.protocolError, grpcHead(0, '/Echo')],
    ['HEADERS on an even stream', errorCode.protocolError, grpcHead(2, '/Echo')],
    [
      'HEADERS of a stream that depends on itself',
      errorCode.protocolError,
      frame(frameType.headers, frameFlag.endHeaders | frameFlag.priority, 1, Buffer.from([0, 0, 0, 1, 0])),
    ],
    [
      'HEADERS with a cut priority',
      errorCode.protocolError,
      frame(frameType.headers, frameFlag.endHeaders | frameFlag.priority, 1, Buffer.from([0, 0])),
    ],
    [
      'empty padded HEADERS',
      errorCode.protocolError,
      frame(frameType.headers, frameFlag.endHeaders | frameFlag.padded, 1),
    ],
    [
      'a lower stream than before',
      errorCode.protocolError,
      Buffer.concat([grpcHead(5, '/Echo'), grpcHead(3, '/Echo')]),
    ],
    [
      'HEADERS on a closed stream',
      errorCode.streamClosed,
      Buffer.concat([grpcRequest(1, '/Echo', NOTHING), grpcHead(1, '/Echo')]),
    ],
    [
      'a header block that is no HPACK',
      errorCode.compressionError,
      frame(frameType.headers, frameFlag.endHeaders, 1, Buffer.from([0x80])),
    ],
    [
      'an interrupted header block',
      errorCode.protocolError,
      Buffer.concat([
        frame(frameType.headers, 0, 1, block(grpcFields('/Echo'))),
        frame(frameType.ping, 0, 0, Buffer.alloc(8)),
      ]),
    ],
    [
      'CONTINUATION of another stream',
      errorCode.protocolError,
      Buffer.concat([frame(frameType.headers, 0, 1), frame(frameType.continuation, frameFlag.endHeaders, 3)]),
    ],
    ['CONTINUATION of nothing', errorCode.protocolError, frame(frameType.continuation, frameFlag.endHeaders, 1)],
    ['PRIORITY on stream 0', errorCode.protocolError, frame(frameType.priority, 0, 0, Buffer.alloc(5))],
    ['PRIORITY of a wrong length', errorCode.frameSizeError, frame(frameType.priority, 0, 1, Buffer.alloc(4))],
    ['RST_STREAM on stream 0', errorCode.protocolError, frame(frameType.rstStream, 0, 0, uint32(8))],
    ['RST_STREAM on a stream never opened', errorCode.protocolError, frame(frameType.rstStream, 0, 1, uint32(8))],
    ['RST_STREAM of a wrong length', errorCode.frameSizeError, frame(frameType.rstStream, 0, 1, Buffer.alloc(5))],
    ['SETTINGS on a stream', errorCode.protocolError, frame(frameType.settings, 0, 1)],
    ['SETTINGS of a wrong length', errorCode.frameSizeError, frame(frameType.settings, 0, 0, Buffer.alloc(5))],
    [
      'SETTINGS ACK with a payload',
      errorCode.frameSizeError,
      frame(frameType.settings, frameFlag.ack, 0, Buffer.alloc(6)),
    ],
    ['ENABLE_PUSH of 2', errorCode.protocolError, settings([setting.enablePush, 2])],
    ['INITIAL_WINDOW_SIZE of 2^31', errorCode.flowControlError, settings([setting.initialWindowSize, 2 ** 31])],
    ['MAX_FRAME_SIZE of 16383', errorCode.protocolError, settings([setting.maxFrameSize, 16383])],
    ['MAX_FRAME_SIZE of 2^24', errorCode.protocolError, settings([setting.maxFrameSize, 2 ** 24])],
    ['PUSH_PROMISE', errorCode.protocolError, frame(frameType.pushPromise, frameFlag.endHeaders, 1, uint32(2))],
    ['PING on a stream', errorCode.protocolError, frame(frameType.ping, 0, 1, Buffer.alloc(8))],
    ['PING of a wrong length', errorCode.frameSizeError, frame(frameType.ping, 0, 0, Buffer.alloc(7))],
    ['GOAWAY on a stream', errorCode.protocolError, frame(frameType.goaway, 0, 1, Buffer.alloc(8))],
    ['GOAWAY that is too short', errorCode.frameSizeError, frame(frameType.goaway, 0, 0, Buffer.alloc(7))],
    ['WINDOW_UPDATE of 0', errorCode.protocolError, frame(frameType.windowUpdate, 0, 0, uint32(0))],
    ['WINDOW_UPDATE of a wrong length', errorCode.frameSizeError, frame(frameType.windowUpdate, 0, 0, Buffer.alloc(3))],
    ['WINDOW_UPDATE on a stream never opened', errorCode.protocolError, frame(frameType.windowUpdate, 0, 1, uint32(1))],
    [
      'a connection window above 2^31-1',
      errorCode.flowControlError,
      frame(frameType.windowUpdate, 0, 0, uint32(0x7fffffff)),
    ],
    ['a frame above 16384 octets', errorCode.frameSizeError, frame(frameType.data, 0, 1, Buffer.alloc(16385))],
    ['unknown settings', GOES_ON, settings([0x99, 1], [setting.headerTableSize, 0], [setting.maxFrameSize, 16384])],
    ['unknown frames', GOES_ON, frame(0x77, 0xff, 9, Buffer.alloc(100))],
    ['PRIORITY on a stream never opened', GOES_ON, frame(frameType.priority, 0, 7, Buffer.from([0, 0, 0, 5, 1]))],
    ['GOAWAY', GOES_ON, frame(frameType.goaway, 0, 0, Buffer.alloc(8))],
    [
      'padding',
      GOES_ON,
      frame(
        frameType.headers,
        frameFlag.endHeaders | frameFlag.padded,
        1,
        Buffer.concat([Buffer.from([3]), block(grpcFields('/Echo')), Buffer.alloc(3)]),
      ),
    ],
  ];

  for (const [what, code, bytes] of cases) {
    it(`${code === GOES_ON ? 'goes on after' : `answers ${String(code)} to`} ${what}`, () => {
      const server = fakeServer();
      const connection = server.connect();
      connection.send(bytes);
      assert.equal(goaway(connection), code);
      assert.equal(connection.wire.ended, code !== GOES_ON);
      assert.equal(server.refused.length, code === GOES_ON ? 0 : 1);
      connection.send(frame(frameType.ping, 0, 0, Buffer.from('are you?')));
      const pongs = connection.wire.take().filter(({ type }) => type === frameType.ping);
      assert.equal(pongs.length, code === GOES_ON ? 1 : 0, 'a connection that is over reads nothing');
    });
  }

  it('sends nothing to what does not speak HTTP/2', () => {
    for (const bytes of ['GET / HTTP/1.1\r\n\r\n', 'PRI * HTTP/2.0\r\n\r\nXX', '\x16\x03\x01\x02\x00', '\0']) {
      const server = fakeServer();
      const { wire, send } = server.connect(false);
      send(Buffer.from(bytes, 'latin1'));
      assert.deepEqual([wire.writes, wire.ended], [0, true], JSON.stringify(bytes));
      assert.equal(server.refused.length, 1);
    }
  });

  it('wants SETTINGS first', () => {
    for (const first of [frame(frameType.ping, 0, 0, Buffer.alloc(8)), frame(frameType.settings, frameFlag.ack, 0)]) {
      const connection = fakeServer().connect(false);
      connection.send(clientPreface.subarray(0, 24), first);
      assert.equal(connection.wire.ended, true);
    }
  });

  it('cancels the running calls of a connection that ends', () => {
    const server = fakeServer();
    const { send } = server.connect();
    send(grpcRequest(1, '/Hold', NOTHING), frame(frameType.ping, 0, 1, Buffer.alloc(8)));
    assert.equal(server.held[0]?.call.cancelled, true);
  });
});

describe('breaches of the protocol that end a stream', () => {
  const cases: readonly (readonly [string, number, Buffer])[] = [
    ['a request without :path', errorCode.protocolError, headers({ ':method': 'POST', ':scheme': 'http' })],
    ['a request without :scheme', errorCode.protocolError, headers({ ':method': 'POST', ':path': '/Echo' })],
    ['a request without :method', errorCode.protocolError, headers({ ':scheme': 'http', ':path': '/Echo' })],
    ['an empty :path', errorCode.protocolError, headers(grpcFields(''))],
    ['an unknown pseudo-field', errorCode.protocolError, headers({ ...grpcFields('/Echo'), ':x': '1' })],
    [
      'a pseudo-field behind others',
      errorCode.protocolError,
      headers({ te: 'trailers', ':method': 'POST', ':scheme': 'http', ':path': '/Echo' }),
    ],
    ['a name with capitals', errorCode.protocolError, headers({ ...grpcFields('/Echo'), 'X-A': '1' })],
    ['a name with a space', errorCode.protocolError, headers({ ...grpcFields('/Echo'), 'x a': '1' })],
    ['an empty name', errorCode.protocolError, headers({ ...grpcFields('/Echo'), '': '1' })],
    ['a value with a line feed', errorCode.protocolError, headers({ ...grpcFields('/Echo'), 'x-a': '1\n2' })],
    [
      'a field of HTTP/1.1 connections',
      errorCode.protocolError,
      headers({ ...grpcFields('/Echo'), 'keep-alive': '1' }),
    ],
    ['te: gzip', errorCode.protocolError, headers({ ...grpcFields('/Echo'), te: 'gzip' })],
    ['content-length: x', errorCode.protocolError, headers({ ...grpcFields('/Echo'), 'content-length': 'x' })],
    [
      'content-length below the DATA',
      errorCode.protocolError,
      Buffer.concat([
        grpcHead(1, '/Echo', 0, { 'content-length': '4' }),
        data(1, Buffer.alloc(5), frameFlag.endStream),
      ]),
    ],
    [
      'content-length above the DATA',
      errorCode.protocolError,
      Buffer.concat([
        grpcHead(1, '/Echo', 0, { 'content-length': '6' }),
        data(1, Buffer.alloc(5), frameFlag.endStream),
      ]),
    ],
    [
      'content-length and no DATA',
      errorCode.protocolError,
      grpcHead(1, '/Echo', frameFlag.endStream, { 'content-length': '6' }),
    ],
    [
      'DATA behind END_STREAM',
      errorCode.streamClosed,
      Buffer.concat([grpcRequest(1, '/Hold', NOTHING), data(1, NOTHING)]),
    ],
    [
      'HEADERS behind END_STREAM',
      errorCode.streamClosed,
      Buffer.concat([grpcRequest(1, '/Hold', NOTHING), grpcHead(1, '/Hold', frameFlag.endStream)]),
    ],
    [
      'trailers that do not end the stream',
      errorCode.protocolError,
      Buffer.concat([grpcHead(1, '/Echo'), frame(frameType.headers, frameFlag.endHeaders, 1, block({ a: 'b' }))]),
    ],
    [
      'trailers with a pseudo-field',
      errorCode.protocolError,
      Buffer.concat([
        grpcHead(1, '/Echo'),
        frame(frameType.headers, frameFlag.endHeaders | frameFlag.endStream, 1, block({ ':path': '/' })),
      ]),
    ],
    [
      'WINDOW_UPDATE of 0',
      errorCode.protocolError,
      Buffer.concat([grpcHead(1, '/Echo'), frame(frameType.windowUpdate, 0, 1, uint32(0))]),
    ],
    [
      'a window above 2^31-1',
      errorCode.flowControlError,
      Buffer.concat([grpcHead(1, '/Echo'), frame(frameType.windowUpdate, 0, 1, uint32(0x7fffffff))]),
    ],
  ];

  for (const [what, code, bytes] of cases) {
    it(`resets with ${String(code)}: ${what}`, () => {
      const server = fakeServer();
      const { wire, send } = server.connect();
      send(bytes);
      const resets = wire.take().filter(({ type }) => type === frameType.rstStream);
      assert.deepEqual(
        resets.map(({ streamId, payload }) => [streamId, payload.readUInt32BE(0)]),
        [[1, code]],
      );
      assert.equal(server.echoed.length, 0);
      assert.equal(wire.ended, false);
      send(data(1, Buffer.alloc(300)), grpcRequest(3, '/Echo', Buffer.from('next')));
      assert.equal(server.echoed.length, 1, 'the connection goes on, and what is late for the stream is ignored');
      assert.deepEqual(server.refused, []);
    });
  }

  it('takes trailers behind a message', () => {
    const server = fakeServer();
    const { wire, send } = server.connect();
    send(grpcHead(1, '/Echo'), data(1, Buffer.from([0, 0, 0, 0, 1, 7])));
    send(frame(frameType.headers, frameFlag.endHeaders | frameFlag.endStream, 1, block({ 'x-checksum': '1' })));
    assert.deepEqual(server.echoed, [Buffer.from([7])]);
    assert.equal(wire.take().at(-1)?.flags, frameFlag.endHeaders | frameFlag.endStream);
  });

  it('ignores trailers that are late for a stream which was reset, and keeps the table right', () => {
    const server = fakeServer();
    const { wire, send } = server.connect();
    send(headers({ ...grpcFields('/Echo'), te: 'gzip' }));
    wire.take();
    const indexed = Buffer.concat([Buffer.from([0x40, 1, 0x61, 1, 0x62]), Buffer.from([0xbe])]);
    send(frame(frameType.headers, frameFlag.endHeaders | frameFlag.endStream, 1, indexed));
    assert.deepEqual([wire.take(), wire.ended], [[], false]);
    send(
      frame(
        frameType.headers,
        frameFlag.endHeaders,
        3,
        Buffer.concat([block(grpcFields('/Echo')), Buffer.from([0xbe])]),
      ),
    );
    send(data(3, Buffer.alloc(5), frameFlag.endStream));
    assert.equal(server.echoed.length, 1);
  });

  it('looks at nothing behind HEADERS whose priority is cut, whatever the next frame holds', () => {
    const unknownType = 0x0b;
    const next = frame(unknownType, 0, 0, Buffer.alloc(0x0101));
    for (const cut of [0, 1, 2]) {
      const server = fakeServer();
      const { send } = server.connect();
      // With what follows, the stream would depend on itself.
      const id = Buffer.concat([Buffer.alloc(cut), next]).readUInt32BE();
      send(frame(frameType.headers, frameFlag.endHeaders | frameFlag.priority, id, Buffer.alloc(cut)), next);
      assert.deepEqual(server.refused, ['HEADERS is all padding and more'], String(cut));
    }
  });

  it('reads a head that comes in many pieces, with padding and a priority', () => {
    const server = fakeServer();
    const { send } = server.connect();
    const whole = block(grpcFields('/Echo'));
    const flags = frameFlag.padded | frameFlag.priority;
    send(
      frame(
        frameType.headers,
        flags,
        1,
        Buffer.concat([Buffer.from([2, 0, 0, 0, 0, 9]), whole.subarray(0, 3), Buffer.alloc(2)]),
      ),
    );
    send(frame(frameType.continuation, 0, 1, whole.subarray(3, 20)), frame(frameType.continuation, 0, 1));
    send(frame(frameType.continuation, frameFlag.endHeaders, 1, whole.subarray(20)));
    send(
      data(
        1,
        Buffer.concat([Buffer.from([4, 0, 0, 0, 0, 1, 7]), Buffer.alloc(4)]),
        frameFlag.padded | frameFlag.endStream,
      ),
    );
    assert.deepEqual(server.echoed, [Buffer.from([7])]);
  });
});

function headers(fields: Readonly<Record<string, string>>): Buffer {
  return frame(frameType.headers, frameFlag.endHeaders | frameFlag.endStream, 1, block(fields));
}
