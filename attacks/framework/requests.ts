import { HealthCheckRequest } from '../../src/gen/grpc/health/v1/health.ts';
import { frameFlag, frameType } from '../../src/wire/http2/frame.ts';
import { data, frame, uint32 } from '../../test/support/grpc/fake-wire.ts';

/** The question for the health of the whole process. */
export const asksHealth = Buffer.from(HealthCheckRequest.encode({ service: '' }).finish());

/** The five octets before a message (gRPC over HTTP/2, "Length-Prefixed-Message"), which may lie about what follows. */
export function messagePrefix(length: number, compressed = 0): Buffer {
  return Buffer.concat([Buffer.from([compressed]), uint32(length)]);
}

/** A message as it travels. */
export function prefixed(message: Buffer): Buffer {
  return Buffer.concat([messagePrefix(message.length), message]);
}

/**
 * Heads of gRPC requests for one method and one connection, as small as HPACK makes them (RFC 7541 §6.1): after the
 * first, which fills the dynamic table, five octets each.
 */
export class SmallHeads {
  readonly #path: string;
  #isFirst = true;

  constructor(path: string) {
    this.#path = path;
  }

  /** HEADERS of a request on this stream. */
  next(streamId: number, flags = 0): Buffer {
    const fields = this.#isFirst
      ? [
          indexing(4, this.#path),
          indexing(31, 'application/grpc'),
          Buffer.from([0x40, 2]),
          Buffer.from('te'),
          text('trailers'),
        ]
      : [Buffer.from([0x80 | 64, 0x80 | 63, 0x80 | 62])];
    this.#isFirst = false;
    // `:method: POST` and `:scheme: http` stand in the static table.
    const block = Buffer.concat([Buffer.from([0x83, 0x86]), ...fields]);
    return frame(frameType.headers, frameFlag.endHeaders | flags, streamId, block);
  }

  /** A whole request. */
  request(streamId: number, message: Buffer): Buffer {
    return Buffer.concat([this.next(streamId), data(streamId, prefixed(message), frameFlag.endStream)]);
  }
}

/** A literal that enters the dynamic table, with a name of the static one (RFC 7541 §6.2.1). */
function indexing(name: number, value: string): Buffer {
  return Buffer.concat([Buffer.from([0x40 | name]), text(value)]);
}

function text(value: string): Buffer {
  if (value.length > 126) throw new Error('short texts only');
  return Buffer.concat([Buffer.from([value.length]), Buffer.from(value, 'latin1')]);
}
