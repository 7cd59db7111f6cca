import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { SocketWire } from '../../../../src/server/http2/socket-wire.ts';

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
    const wire = new SocketWire(near);
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

  it('sends everything before it ends, though input is left unread', async () => {
    const { near, far, close } = await pair();
    const wire = new SocketWire(near);
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
    const wire = new SocketWire(near);
    far.destroy();
    near.destroy();
    assert.equal(wire.write([Buffer.from('x')]), true);
    await close();
  });
});
