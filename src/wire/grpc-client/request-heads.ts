/** What the requests of a client have in common. All ASCII. */
export interface RequestFields {
  readonly scheme: 'http' | 'https';
  readonly authority: string;
  /** `/package.Service/Method` */
  readonly path: string;
  readonly userAgent: string;
}

/** The table that every peer keeps for us unless it says otherwise (RFC 9113 §6.5.2). */
const PEER_TABLE_BYTES = 4096;

const METHOD_POST = 0x83;
const SCHEME = { http: 0x86, https: 0x87 } as const;
/** "I use a table of size 0" (RFC 7541 §6.3). */
const NO_TABLE = Buffer.from([0x20]);
/** Index of the newest entry of the peer's table (RFC 7541 §2.3.3). */
const NEWEST = 62;
/** Up to here, the blocks of a timeout are kept. */
const MAX_KEPT_TIMEOUT_MS = 5000;

/**
 * The header blocks of one connection's requests (gRPC over HTTP/2, "Request-Headers"). The first one puts every field
 * into the peer's table (RFC 7541 §6.2.1); after it, a request is one octet for each field. Nothing else enters that
 * table, so the indices stay as they are. A peer that wants a smaller table gets literals.
 */
export class RequestHeads {
  readonly #fields: RequestFields;
  #indexed: Buffer | null = null;
  /** The timeout that is in the table. */
  #tableTimeoutMs = 0;
  #plain: Buffer | null = null;
  #mustShrink = false;
  /** Blocks after the first one, by their timeouts. */
  #kept: (Buffer | undefined)[] = [];

  constructor(fields: RequestFields) {
    this.#fields = fields;
  }

  /** SETTINGS_HEADER_TABLE_SIZE of the peer. */
  limitTable(bytes: number): void {
    if (bytes >= PEER_TABLE_BYTES || this.#plain !== null) return;
    this.#mustShrink = true; // at the beginning of the next block (RFC 7541 §4.2)
    this.#plain = this.#block(0x00);
    this.#kept = [];
  }

  /** @param timeoutMs a whole number from 1 to 99 999 999. */
  head(timeoutMs: number): Uint8Array {
    const kept = this.#kept[timeoutMs];
    if (kept !== undefined) return kept;
    if (this.#plain !== null) {
      const block = Buffer.concat([this.#plain, newName('grpc-timeout', 0x00), text(timeoutText(timeoutMs))]);
      if (!this.#mustShrink) return this.#keep(timeoutMs, block);
      this.#mustShrink = false;
      return Buffer.concat([NO_TABLE, block]);
    }
    if (this.#indexed === null) {
      this.#indexed = Buffer.from([METHOD_POST, SCHEME[this.#fields.scheme], ...indices(NEWEST + 1, 5)]);
      this.#tableTimeoutMs = timeoutMs;
      return Buffer.concat([this.#block(0x40), newName('grpc-timeout', 0x40), text(timeoutText(timeoutMs))]);
    }
    const timeout =
      timeoutMs === this.#tableTimeoutMs
        ? Buffer.from([0x80 | NEWEST])
        : Buffer.concat([nameIndex(NEWEST, 0x00, 4), text(timeoutText(timeoutMs))]);
    return this.#keep(timeoutMs, Buffer.concat([this.#indexed, timeout]));
  }

  #keep(timeoutMs: number, block: Buffer): Buffer {
    if (timeoutMs <= MAX_KEPT_TIMEOUT_MS) this.#kept[timeoutMs] = block;
    return block;
  }

  /**
   * All fields but the timeout, as literals. @param form 0x40 when they enter the table, 0x00 when not (RFC 7541 §6.2).
   */
  #block(form: 0x40 | 0x00): Buffer {
    const { scheme, authority, path, userAgent } = this.#fields;
    const prefixBits = form === 0x40 ? 6 : 4;
    return Buffer.concat([
      Buffer.from([METHOD_POST, SCHEME[scheme]]),
      ...[nameIndex(4, form, prefixBits), text(path)],
      ...[nameIndex(1, form, prefixBits), text(authority)],
      ...[newName('te', form), text('trailers')],
      ...[nameIndex(31, form, prefixBits), text('application/grpc')],
      ...[nameIndex(58, form, prefixBits), text(userAgent)],
    ]);
  }
}

/** Of fields in the order in which they entered the table: the first one has the highest index. */
function indices(lowest: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => 0x80 | (lowest + count - 1 - at));
}

/** gRPC over HTTP/2, "Timeout". */
function timeoutText(timeoutMs: number): string {
  return `${String(timeoutMs)}m`;
}

function nameIndex(index: number, form: number, prefixBits: number): Buffer {
  return integer(index, form, prefixBits);
}

function newName(name: string, form: number): Buffer {
  return Buffer.concat([Buffer.from([form]), text(name)]);
}

/** RFC 7541 §5.2, without Huffman coding: nearly every text is sent once. */
function text(value: string): Buffer {
  return Buffer.concat([integer(value.length, 0x00, 7), Buffer.from(value, 'latin1')]);
}

/** RFC 7541 §5.1. */
function integer(value: number, form: number, prefixBits: number): Buffer {
  const mask = (1 << prefixBits) - 1;
  if (value < mask) return Buffer.from([form | value]);
  const octets = [form | mask];
  let rest = value - mask;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) octets.push((rest % 0x80) | 0x80);
  return Buffer.from([...octets, rest]);
}
