import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { SocketWire } from '../../../../src/wire/http2/socket-wire.ts';

/** Both ends of a connection. */
async function pair(): Promise<{ near: Socket; far: Socket; close: () => Promise<void> }> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) assert.fail();
  const far = connect(address.port, '127.0.0.1');
  const [near] = (await once(server, 'connection')) as [Socket];
  for (const socket of [near, far]) socket.on('error', () => undefined);
  return {
    near,
    far,
    close: async () => {
      near.destroy();
      far.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('a socket as a wire', () => {
  it('tells whether bytes have left', async () => {
    const { near, far, close } = await pair();
    const wire = new SocketWire(near, () => undefined);
    const unsent = (): number => wire.unsentBytes;
    assert.equal(wire.write([Buffer.from('small')]), true);
    assert.equal(unsent(), 0);
    const large = Buffer.alloc(64 * 1024 * 1024);
    assert.equal(wire.write([large]), false, 'nobody reads');
    assert.equal(wire.write([Buffer.from('a'), Buffer.from('b')]), false, 'what came before has not left');
    assert.ok(unsent() > 0);
    far.resume();
    await once(near, 'drain');
    assert.equal(unsent(), 0);
    await close();
  });

  it('says when all has left, also when it was less than the high-water mark', async () => {
    const { near, far, close } = await pair();
    let sent = 0;
    const allSent = new Promise<void>((resolve) => {
      const wire = new SocketWire(near, () => {
        sent++;
        resolve();
      });
      assert.equal(wire.write([Buffer.from('leaves at once')]), true);
      while (wire.write([Buffer.alloc(1000)]));
      assert.ok(wire.unsentBytes < near.writableHighWaterMark);
    });
    far.resume();
    await allSent;
    assert.deepEqual([sent, near.writableLength], [1, 0]);
    await close();
  });

  it('says that all has left when it ends right after a write that did not leave at once', async () => {
    const { near, far, close } = await pair();
    const allSent = new Promise<void>((resolve) => {
      const wire = new SocketWire(near, resolve);
      assert.equal(wire.write([Buffer.alloc(8 * 1024 * 1024)]), false);
      wire.end();
    });
    far.resume();
    await allSent;
    assert.equal(near.writableLength, 0);
    await close();
  });

  it('sends everything before it ends, though input is left unread', async () => {
    const { near, far, close } = await pair();
    const wire = new SocketWire(near, () => undefined);
    far.write(Buffer.alloc(100_000));
    wire.write([Buffer.from('the '), Buffer.from('end')]);
    wire.end();
    const parts: Buffer[] = [];
    far.on('data', (part) => parts.push(part));
    await once(far, 'end');
    assert.equal(Buffer.concat(parts).toString(), 'the end');
    await close();
  });

  it('drops what is written to a connection that is gone', async () => {
    const { near, far, close } = await pair();
    const wire = new SocketWire(near, () => undefined);
    far.destroy();
    near.destroy();
    assert.equal(wire.write([Buffer.from('x')]), true);
    await close();
  });
});
