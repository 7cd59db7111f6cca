import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { CLIENT_PREFACE, frameFlag, frameType, MAX_FRAME_BYTES } from '../../../src/wire/http2/frame.ts';
import { FRAME_HEADER_BYTES } from '../../../src/wire/http2/frame.ts';
import { goodAnswer } from './fake-client.ts';
import { type SentFrame, settings } from './fake-wire.ts';

/** A connection to a raw server: whatever the test wants is sent on it. */
export interface RawPeer {
  readonly socket: Socket;
  /** What has come, without the preface. */
  readonly frames: SentFrame[];
  readonly send: (...bytes: Buffer[]) => void;
}

/** What a raw server does; without a part it does what a server should. */
export interface RawServerBehaviour {
  /** A connection has come. A server should introduce itself. */
  readonly connected?: (peer: RawPeer) => void;
  /** A call is complete; the message has no prefix. A server should answer. */
  readonly called?: (peer: RawPeer, id: number, message: Buffer) => void;
}

export interface RawServer extends AsyncDisposable {
  readonly port: number;
  /** Every connection that there was, in order. */
  readonly peers: readonly RawPeer[];
  /** From now on, for connections that are there too. */
  behave(behaviour: RawServerBehaviour): void;
}

/** Sends the message of a call back. */
export function echo(peer: RawPeer, id: number, message: Buffer): void {
  peer.send(goodAnswer(id, message));
}

/** Starts a server of HTTP/2 frames on the loopback. */
export async function startRawServer(behaviour: RawServerBehaviour = {}): Promise<RawServer> {
  let { connected, called } = behaviour;
  const peers: RawPeer[] = [];
  const server: Server = createServer({ noDelay: true }, (socket) => {
    const peer: RawPeer = {
      socket,
      frames: [],
      send: (...bytes) => {
        if (socket.writable) socket.write(Buffer.concat(bytes));
      },
    };
    peers.push(peer);
    socket.on('error', () => undefined);
    let input = Buffer.alloc(0);
    let prefaceBytes = CLIENT_PREFACE.length;
    socket.on('data', (chunk) => {
      input = Buffer.concat([input, chunk]);
      const skipped = Math.min(prefaceBytes, input.length);
      prefaceBytes -= skipped;
      input = input.subarray(skipped);
      for (let end = frameEnd(input); end <= input.length; end = frameEnd(input)) {
        const frame = {
          type: input.readUInt8(3),
          flags: input.readUInt8(4),
          streamId: input.readUInt32BE(5),
          payload: input.subarray(FRAME_HEADER_BYTES, end),
        };
        input = input.subarray(end);
        peer.frames.push(frame);
        if (frame.type === frameType.data && (frame.flags & frameFlag.endStream) !== 0) {
          (called ?? echo)(peer, frame.streamId, frame.payload.subarray(5));
        }
      }
    });
    if (connected === undefined) peer.send(settings());
    else connected(peer);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    peers,
    behave: (next) => {
      ({ connected, called } = next);
    },
    [Symbol.asyncDispose]: async () => {
      for (const { socket } of peers) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function frameEnd(input: Buffer): number {
  if (input.length < FRAME_HEADER_BYTES) return Infinity;
  const length = input.readUIntBE(0, 3);
  if (length > MAX_FRAME_BYTES) throw new Error('the client sent a frame above 16384 octets');
  return FRAME_HEADER_BYTES + length;
}
