import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { readSocket } from '../../../../src/wire/http2/socket-input.ts';
import { SocketWire } from '../../../../src/wire/http2/socket-wire.ts';
import { makeCertificate } from '../../../support/grpc/certificate.ts';

const authority = makeCertificate('authority');
const { key, cert } = makeCertificate('postern', authority);

/** Both ends of a connection; `near` is the accepted one. */
interface Opened {
  readonly near: Socket;
  readonly far: Socket;
  /** What was read so far. */
  readonly read: () => Buffer;
  /** Of each read, its length and whether it was said to be followed. */
  readonly reads: readonly (readonly [length: number, isFollowed: boolean])[];
  /** Resolves once so many bytes were read. */
  readonly upTo: (length: number) => Promise<void>;
}

/** Both ends of connections, and what the accepted end reads. */
interface Ends {
  /** Connects once more, and waits until the word `first` was read. */
  readonly open: (options?: { readonly echoes: boolean }) => Promise<Opened>;
  /** How often reading was under way at most. */
  readonly mostAtOnce: () => number;
  /** Every memory that anything was read in. */
  readonly memories: Set<unknown>;
  readonly close: () => Promise<void>;
}

const ways = {
  plain: {
    server: (): Server => createServer(),
    event: 'connection',
    connect: (port: number): Socket => connect(port, '127.0.0.1'),
  },
  TLS: {
    server: (): Server => createTlsServer({ key, cert }),
    event: 'secureConnection',
    connect: (port: number): Socket => connectTls({ port, host: '127.0.0.1', ca: authority.cert }),
  },
} as const;

async function listen(way: keyof typeof ways): Promise<Ends> {
  const { server: make, event, connect: dial } = ways[way];
  const server = make();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  const memories = new Set<unknown>();
  let atOnce = 0;
  let mostAtOnce = 0;
  return {
    memories,
    mostAtOnce: () => mostAtOnce,
    open: async ({ echoes } = { echoes: false }) => {
      const parts: Buffer[] = [];
      const reads: [number, boolean][] = [];
      const arrivals = new EventEmitter();
      let readBytes = 0;
      const accepted = new Promise<Socket>((resolve) => {
        server.once(event, (near: Socket) => {
          const wire = new SocketWire(near, () => undefined);
          readSocket(near, (input, isFollowed) => {
            reads.push([input.length, isFollowed]);
            atOnce += 1;
            mostAtOnce = Math.max(mostAtOnce, atOnce);
            memories.add(input.buffer);
            const part = Buffer.from(input);
            parts.push(part);
            if (echoes) wire.write([part]);
            input.fill(0);
            atOnce -= 1;
            readBytes += part.length;
            arrivals.emit('more');
          });
          resolve(near);
        });
      });
      const far = dial(port);
      far.write('first');
      const near = await accepted;
      sockets.push(near, far);
      for (const socket of [near, far]) socket.on('error', () => undefined);
      const upTo = async (length: number): Promise<void> => {
        while (readBytes < length) await once(arrivals, 'more');
      };
      await upTo(5);
      return { near, far, read: () => Buffer.concat(parts), reads, upTo };
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('reading sockets', () => {
  for (const way of ['plain', 'TLS'] as const) {
    describe(way, () => {
      let ends: Ends;
      beforeEach(async () => {
        ends = await listen(way);
      });
      afterEach(() => ends.close());

      it('brings everything, in order', async () => {
        const { far, read, upTo } = await ends.open();
        const sent = randomBytes(3_000_000);
        far.write(sent);
        await upTo(5 + sent.length);
        assert.ok(read().equals(Buffer.concat([Buffer.from('first'), sent])));
      });

      it('brings nothing while it is brought something, whatever is written then', async () => {
        const { far, upTo } = await ends.open({ echoes: true });
        far.resume();
        far.write(randomBytes(3_000_000));
        await upTo(3_000_005);
        assert.equal(ends.mostAtOnce(), 1);
      });

      it('does not read while the socket is paused', async () => {
        const { near, far, read, upTo } = await ends.open();
        near.pause();
        const sent = Buffer.alloc(64 * 1024 * 1024, 'x');
        far.write(sent);
        // Turns of the event loop in which it could have been read.
        for (let n = 0; n < 5; n++) await ends.open();
        assert.ok(read().length < 1024 * 1024, 'at most what was on its way');
        near.resume();
        await upTo(5 + sent.length);
      });

      it('ends with its peer', async () => {
        const { near, far, read } = await ends.open();
        const closed = once(near, 'close');
        far.end(' and last');
        await closed;
        assert.equal(read().toString(), 'first and last');
      });
    });
  }

  it('says that a read is followed when it filled the memory', async () => {
    const ends = await listen('plain');
    const { far, reads, upTo } = await ends.open();
    far.write(Buffer.alloc(1_000_000));
    await upTo(1_000_005);
    const full = reads.filter(([length]) => length === 65_536);
    assert.ok(full.length > 0);
    assert.deepEqual(
      reads.filter(([, isFollowed]) => isFollowed),
      full,
    );
    await ends.close();
  });

  it('reads all sockets into one memory', async () => {
    const ends = await listen('plain');
    const opened = [await ends.open(), await ends.open()];
    for (const { far } of opened) far.write(Buffer.alloc(100_000));
    for (const { upTo } of opened) await upTo(100_005);
    assert.equal(ends.memories.size, 1, 'this Node.js keeps the option onread elsewhere: see socket-input.ts');
    await ends.close();
  });
});
