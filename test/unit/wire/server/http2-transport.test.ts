import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createHttp2Transport } from '../../../../src/wire/server/http2-transport.ts';
import { FRAME_HEADER_BYTES, frameType, setting } from '../../../../src/wire/http2/frame.ts';
import { clientPreface, frame, grpcRequest, settings, uint32 } from '../../../support/grpc/fake-wire.ts';
import { startHarness } from '../../../support/grpc/transport-harness.ts';
import { poll } from '../../../support/time/poll.ts';

const MIB = 1024 * 1024;
const READ_BYTES = 64 * 1024;
const UNKNOWN_FRAME = 0x77;

describe('what the native gRPC transport says of itself', () => {
  it('counts the bytes of answers that a peer does not read, until it reads them or is gone', async () => {
    await using harness = await startHarness((options) => createHttp2Transport(options));
    const { address, transport } = harness;
    assert.ok(address.kind === 'tcp');
    assert.equal(transport.load().unsentBytes, 0);
    const socket = connect(address.port, address.host).pause();
    await once(socket, 'connect');
    socket.write(
      Buffer.concat([
        clientPreface,
        settings([setting.initialWindowSize, 0x7fffffff]),
        frame(frameType.windowUpdate, 0, 0, uint32(0x7fff0000)),
        grpcRequest(1, '/test.Test/Hold', Buffer.alloc(0)),
      ]),
    );
    // More than both ends of a connection of this machine hold by themselves.
    (await harness.nextHeld()).answer(Buffer.alloc(24 * MIB));
    const unsent = await poll('bytes that nobody reads', () => Promise.resolve(transport.load().unsentBytes || null));
    assert.ok(unsent <= 2 * MIB, 'a connection pauses at 1 MiB');
    socket.destroy();
    await poll('nothing unsent', () => Promise.resolve(transport.load().unsentBytes === 0 ? true : null));
  });
});

describe('the native gRPC transport', () => {
  it('answers a peer that sends nothing more, however full its last read is', async () => {
    await using harness = await startHarness((options) => createHttp2Transport(options));
    const { address } = harness;
    assert.ok(address.kind === 'tcp');
    const socket = connect({ port: address.port, host: address.host, allowHalfOpen: true });
    await once(socket, 'connect');
    const parts = [clientPreface, grpcRequest(1, '/test.Test/Echo', Buffer.from('the answer'))];
    const filler = READ_BYTES - Buffer.concat(parts).length;
    const whole = 16_000;
    for (let left = filler; left > 0; left -= whole) {
      parts.push(frame(UNKNOWN_FRAME, 0, 0, Buffer.alloc(Math.min(left, whole) - FRAME_HEADER_BYTES)));
    }
    socket.end(Buffer.concat(parts));
    const received: Buffer[] = [];
    for await (const part of socket) received.push(part as Buffer);
    assert.ok(Buffer.concat(received).includes('the answer'));
  });
});
