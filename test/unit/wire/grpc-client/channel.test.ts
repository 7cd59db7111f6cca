import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createSecureContext, createServer as createTlsServer } from 'node:tls';
import { systemClock } from '../../../../src/base/clock.ts';
import { Channel, type ChannelOptions } from '../../../../src/wire/grpc-client/channel.ts';
import { CallFailure } from '../../../../src/wire/grpc-client/call-failure.ts';
import { type ClientLimits, clientLimits } from '../../../../src/wire/grpc-client/client-limits.ts';
import { errorCode, frameType, setting } from '../../../../src/wire/http2/frame.ts';
import { makeCertificate } from '../../../support/grpc/certificate.ts';
import { goodAnswer, statusOnly } from '../../../support/grpc/fake-client.ts';
import { frame, settings, uint32 } from '../../../support/grpc/fake-wire.ts';
import { echo, type RawServer, startRawServer } from '../../../support/grpc/raw-server.ts';
import { ManualTime } from '../../../support/time/manual-time.ts';
import { poll } from '../../../support/time/poll.ts';

const LONG_MS = 20_000;
const goaway = (lastId: number): Buffer => frame(frameType.goaway, 0, 0, Buffer.concat([uint32(lastId), uint32(0)]));

describe('a channel', () => {
  let server: RawServer;
  const channels: Channel[] = [];
  beforeEach(async () => {
    server = await startRawServer();
  });
  afterEach(async () => {
    for (const channel of channels.splice(0)) channel[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
  });

  function open(options: Partial<ChannelOptions> = {}, limits: Partial<ClientLimits> = {}): Channel {
    const channel = new Channel({
      address: { host: '127.0.0.1', port: server.port },
      path: '/S/M',
      userAgent: 'test',
      tls: null,
      clock: systemClock,
      ...options,
      limits: { ...clientLimits, ...limits },
    });
    channels.push(channel);
    return channel;
  }

  const ask = async (channel: Channel, text = 'hello', deadlineMs = LONG_MS): Promise<string> => {
    try {
      return (await channel.call(Buffer.from(text), systemClock.nowMs() + deadlineMs)).toString();
    } catch (error) {
      assert.ok(error instanceof CallFailure, String(error));
      return `${String(error.code)} ${error.message}`;
    }
  };
  const until = async (what: string, holds: () => boolean): Promise<void> => {
    await poll(what, () => Promise.resolve(holds() ? true : null));
  };

  it('lets calls wait for the connection that is being made', async () => {
    const channel = open();
    assert.deepEqual(await Promise.all([ask(channel, 'a'), ask(channel, 'b')]), ['a', 'b']);
    assert.equal(server.peers.length, 1);
  });

  it('calls a name over whichever of its addresses takes the connection', async () => {
    assert.equal(await ask(open({ address: { host: 'localhost', port: server.port } })), 'hello');
  });

  it('says why there is no connection', async () => {
    const nowhere = open({ address: { host: '127.0.0.1', port: 1 } });
    assert.equal(await ask(nowhere), '14 no connection: ECONNREFUSED');
    assert.equal(await ask(nowhere), '14 no connection: ECONNREFUSED', 'at once while it pauses');
    assert.match(await ask(open({ address: { host: 'postern.invalid', port: 1 } })), /^14 no connection: E[A-Z_]+$/);
  });

  it('keeps more calls than the server takes waiting, in their order, and no more than its bound', async () => {
    server.behave({
      connected: (peer) => {
        peer.send(settings([setting.maxConcurrentStreams, 1]));
      },
      called: () => undefined,
    });
    const channel = open({}, { maxWaitingCalls: 2 });
    const ended: string[] = [];
    const add = async (text: string): Promise<number> => ended.push(await ask(channel, text));
    const calls = ['a', 'b', 'refused'].map(add);
    await until('the first call', () => server.peers[0]?.frames.some(({ type }) => type === frameType.data) === true);
    calls.push(add('c'), add('refused'));
    await until('two to be refused', () => ended.length === 2);
    server.behave({ called: echo });
    server.peers[0]?.send(goodAnswer(1, Buffer.from('a')));
    await Promise.all(calls);
    assert.deepEqual(ended, ['8 too many calls wait', '8 too many calls wait', 'a', 'b', 'c']);
  });

  it('ends calls by their deadlines, on one timer for all, and resets them', async () => {
    server.behave({ called: () => undefined });
    const time = new ManualTime();
    const channel = open({ clock: time, startTimer: time.startTimer });
    const outcomes = Array.from({ length: 40 }, async (_, number) => {
      const failed: unknown = await channel
        .call(Buffer.from('q'), time.nowMs() + 50 + number)
        .catch((error: unknown) => error);
      assert.ok(failed instanceof CallFailure);
      return `${String(failed.code)} ${failed.message} ${String(time.nowMs() - start)}`;
    });
    const start = time.nowMs();
    const framesOf = (type: number): readonly number[] =>
      (server.peers[0]?.frames ?? []).filter((each) => each.type === type).map(({ streamId }) => streamId);
    await until('all calls', () => framesOf(frameType.data).length === 40);
    assert.equal(time.timers, 2, 'one of the connection, one of the calls');
    await time.advance(200);
    assert.deepEqual(
      await Promise.all(outcomes),
      Array.from({ length: 40 }, (_, number) => `4 no answer came in time ${String(50 + number)}`),
    );
    await until('all resets', () => framesOf(frameType.rstStream).length === 40);
  });

  it('ends calls that wait for a connection by their deadlines, too', async () => {
    server.behave({ connected: () => undefined });
    assert.equal(await ask(open(), 'q', 20), '4 no answer came in time');
  });

  it('makes a refused call again, once', async () => {
    let refused = 0;
    server.behave({
      called: (peer, id, message) => {
        refused += 1;
        if (message.toString() === 'never' || refused === 1) {
          peer.send(frame(frameType.rstStream, 0, id, uint32(errorCode.refusedStream)));
        } else echo(peer, id, message);
      },
    });
    const channel = open();
    assert.equal(await ask(channel), 'hello');
    assert.equal(await ask(channel, 'never'), '14 it reset the call (HTTP/2 error 7)');
    assert.equal(refused, 4);
  });

  it('goes on over a new connection when the server goes away, and loses no call', async () => {
    const channel = open();
    assert.equal(await ask(channel), 'hello');
    const [first] = server.peers;
    server.behave({
      called: (peer, id, message) => {
        if (peer !== first) echo(peer, id, message);
        else if (id === 5) first.send(goaway(3)); // the call on stream 3 goes on here, that on 5 elsewhere
      },
    });
    const [kept, moved] = [ask(channel, 'kept'), ask(channel, 'moved')];
    assert.equal(await moved, 'moved');
    assert.equal(server.peers.length, 2);
    first?.send(goodAnswer(3, Buffer.from('kept')));
    assert.equal(await kept, 'kept');
    await until('the end of the first connection', () => first?.socket.readableEnded === true);
  });

  it('goes on over a new connection at once when one that was of use is lost', async () => {
    const time = new ManualTime(); // no pause ends by itself
    const channel = open({ clock: time, startTimer: time.startTimer });
    for (let round = 1; round <= 3; round += 1) {
      assert.equal((await channel.call(Buffer.from('q'), time.nowMs() + 50)).toString(), 'q');
      server.peers.at(-1)?.socket.destroy();
      await until('the next connection', () => server.peers.length === round + 1);
    }
  });

  it('pauses before the next connection after one that was of no use, longer and longer', async () => {
    server.behave({ connected: ({ socket }) => socket.destroy() });
    const time = new ManualTime();
    const channel = open({ clock: time, startTimer: time.startTimer });
    const attempts = (): number => server.peers.length;
    await until('the first try', () => attempts() === 1);
    for (const [attempt, pauseMs] of [100, 160, 256, 410, 655, 1000, 1000, 1000].entries()) {
      await until('the pause', () => time.timers === 1);
      await time.advance(Math.floor(pauseMs * 0.8) - 2);
      assert.equal(attempts(), attempt + 1, 'not before four fifths of it');
      await time.advance(Math.ceil(pauseMs * 0.4) + 4);
      await until('the next try', () => attempts() === attempt + 2);
    }
    server.behave({});
    await until('the pause', () => time.timers === 1);
    await time.advance(1300);
    const ready = new Promise<void>((resolve) => {
      channel.onceReady(resolve);
    });
    await ready;
    assert.equal((await channel.call(Buffer.from('q'), time.nowMs() + 50)).toString(), 'q');
  });

  it('pauses, too, when the server introduces itself and goes away', async () => {
    server.behave({
      connected: (peer) => {
        peer.send(settings(), goaway(0));
      },
    });
    const time = new ManualTime();
    const channel = open({ clock: time, startTimer: time.startTimer });
    await assert.rejects(channel.call(Buffer.from('q'), time.nowMs() + 50), { code: 14 });
    assert.equal(server.peers.length, 1);
  });

  it('gives up a connection whose server does not introduce itself', async () => {
    server.behave({ connected: () => undefined });
    const time = new ManualTime();
    const channel = open({ clock: time, startTimer: time.startTimer });
    await until('the first try', () => server.peers.length === 1);
    const failed = channel.call(Buffer.from('q'), time.nowMs() + 60_000);
    await until('the preface', () => (server.peers[0]?.frames.length ?? 0) > 0);
    const rejected = assert.rejects(failed, {
      code: 14,
      message: 'no connection: it did not introduce itself in time',
    });
    await time.advance(5001);
    await rejected;
  });

  it('leaves a connection whose identifiers are used up', async () => {
    const channel = open({}, { maxStreamId: 5 });
    for (const text of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) assert.equal(await ask(channel, text), text);
    assert.equal(server.peers.length, 3);
    await until('the end of the first two', () => server.peers.slice(0, 2).every(({ socket }) => socket.readableEnded));
  });

  it('lets calls come to their end when it is closed, and takes no more', async () => {
    const channel = open();
    assert.equal(await ask(channel), 'hello');
    server.behave({ called: () => undefined });
    const call = ask(channel, 'last');
    await until('the call', () => server.peers[0]?.frames.some(({ streamId }) => streamId === 3) === true);
    channel.close();
    assert.equal(await ask(channel), '14 the client has ended');
    server.peers[0]?.send(goodAnswer(3, Buffer.from('last')));
    assert.equal(await call, 'last');
    await until('the end of the connection', () => server.peers[0]?.socket.readableEnded === true);
    assert.equal(server.peers.length, 1);
  });

  it('finishes calls that wait for the first connection when it is closed', async () => {
    const channel = open();
    const call = ask(channel, 'only');
    channel.close();
    assert.equal(await call, 'only');
    await until('the end of the connection', () => server.peers[0]?.socket.readableEnded === true);
  });

  it('fails calls when it is disposed of, and leaves nothing behind', async () => {
    server.behave({ called: () => undefined });
    const time = new ManualTime();
    const channel = open({ clock: time, startTimer: time.startTimer });
    const call = channel.call(Buffer.from('q'), time.nowMs() + 50);
    await until('the call', () => server.peers[0]?.frames.some(({ type }) => type === frameType.data) === true);
    const rejected = assert.rejects(call, { code: 14 });
    channel[Symbol.dispose]();
    await rejected;
    await until('the end of the connection', () => server.peers[0]?.socket.closed === true);
    assert.equal(time.timers, 0);
  });

  it('passes on the status of the server', async () => {
    server.behave({
      called: (peer, id) => {
        peer.send(statusOnly(id, '2', 'no%20redis'));
      },
    });
    assert.equal(await ask(open()), '2 no redis');
  });

  describe('over TLS', () => {
    const authority = makeCertificate('authority');
    const identity = makeCertificate('limits', authority);
    const refusals: Readonly<Record<string, readonly [ca: string, alpn: string[] | undefined, reason: RegExp]>> = {
      'does not offer HTTP/2': [
        authority.cert,
        undefined,
        /it does not offer HTTP\/2 \(ALPN h2\)|TLS handshake failed/,
      ],
      'has a certificate of another authority': [
        makeCertificate('another').cert,
        ['h2'],
        /its certificate was signed by none of the authorities/,
      ],
    };
    for (const [name, [ca, alpn, reason]] of Object.entries(refusals)) {
      it(`makes no call to a server that ${name}`, async () => {
        const tlsServer = createTlsServer({
          cert: identity.cert,
          key: identity.key,
          ...(alpn === undefined ? {} : { ALPNProtocols: alpn }),
        });
        tlsServer.on('tlsClientError', () => undefined);
        tlsServer.listen(0, '127.0.0.1');
        await once(tlsServer, 'listening');
        try {
          const { port } = tlsServer.address() as AddressInfo;
          const tls = createSecureContext({ ca });
          assert.match(await ask(open({ address: { host: '127.0.0.1', port }, tls })), reason);
        } finally {
          tlsServer.close();
        }
      });
    }
  });
});
