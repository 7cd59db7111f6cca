import { FRAME_HEADER_BYTES, frameFlag, frameType } from '../../../src/wire/http2/frame.ts';
import { type Wire } from '../../../src/wire/http2/socket-wire.ts';

/** One frame that a connection sent. */
export interface SentFrame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

/** A wire that keeps what it is given; the test says when it has "left". */
export class FakeWire implements Wire {
  unsentBytes = 0;
  paused = false;
  ended = false;
  destroyed = false;
  /** Whether bytes leave at once. */
  keepsUp = true;
  /** How many times it was written to. */
  writes = 0;
  readonly #written: Buffer[] = [];

  write(blocks: readonly Buffer[]): boolean {
    this.writes++;
    // The memory of what has left may be used again; what has not left must stay as it is.
    this.#written.push(...(this.keepsUp ? blocks.map((block) => Buffer.from(block)) : blocks));
    if (!this.keepsUp) this.unsentBytes += blocks.reduce((sum, block) => sum + block.length, 0);
    return this.keepsUp;
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  end(): void {
    this.ended = true;
  }

  destroy(): void {
    this.destroyed = true;
  }

  /** The bytes written since the last time. */
  takeBytes(): Buffer {
    return Buffer.concat(this.#written.splice(0));
  }

  /** The frames written since the last time. */
  take(): SentFrame[] {
    const bytes = this.takeBytes();
    const frames: SentFrame[] = [];
    for (let at = 0; at < bytes.length; ) {
      const end = at + FRAME_HEADER_BYTES + bytes.readUIntBE(at, 3);
      frames.push({
        type: bytes.readUInt8(at + 3),
        flags: bytes.readUInt8(at + 4),
        streamId: bytes.readUInt32BE(at + 5),
        payload: bytes.subarray(at + FRAME_HEADER_BYTES, end),
      });
      at = end;
    }
    return frames;
  }
}

/** What a client sends first: the preface and empty SETTINGS. */
export const clientPreface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1'),
  frame(frameType.settings, 0, 0),
]);

/** Any frame. */
export function frame(type: number, flags: number, streamId: number, payload: Uint8Array = new Uint8Array(0)): Buffer {
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  header.writeUIntBE(payload.length, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt8(flags, 4);
  header.writeUInt32BE(streamId, 5);
  return Buffer.concat([header, payload]);
}

/** Four octets: an error code, an increment. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function settings(...pairs: readonly (readonly [number, number])[]): Buffer {
  const entries = pairs.map(([identifier, value]) => Buffer.concat([Buffer.from([0, identifier]), uint32(value)]));
  return frame(frameType.settings, 0, 0, Buffer.concat(entries));
}

/** A header block of literals that enter no table (RFC 7541 §6.2.2). */
export function block(fields: Readonly<Record<string, string>>): Buffer {
  const parts = Object.entries(fields).map(([name, value]) => {
    return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
  });
  return Buffer.concat(parts);
}

/** The fields of a gRPC request. */
export function grpcFields(path: string): Readonly<Record<string, string>> {
  return { ':method': 'POST', ':scheme': 'http', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
}

/** HEADERS of a gRPC request. */
export function grpcHead(
  streamId: number,
  path: string,
  flags = 0,
  extra: Readonly<Record<string, string>> = {},
): Buffer {
  return frame(frameType.headers, frameFlag.endHeaders | flags, streamId, block({ ...grpcFields(path), ...extra }));
}

/** DATA. */
export function data(streamId: number, payload: Uint8Array, flags = 0): Buffer {
  return frame(frameType.data, flags, streamId, payload);
}

/** A whole gRPC request: HEADERS, and one DATA frame with the message and END_STREAM. */
export function grpcRequest(streamId: number, path: string, message: Buffer): Buffer {
  const prefixed = Buffer.concat([Buffer.from([0]), uint32(message.length), message]);
  return Buffer.concat([grpcHead(streamId, path), data(streamId, prefixed, frameFlag.endStream)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  const length = bytes.length < 127 ? [bytes.length] : [127, ...varint(bytes.length - 127)];
  return Buffer.concat([Buffer.from(length), bytes]);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}
