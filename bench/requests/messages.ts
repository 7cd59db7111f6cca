import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';

const PREFIX_BYTES = 5;
/** Signatures are taken for 300 s, and no load lasts longer than the rest of them. */
const SIGNED_AGAIN_AFTER_MS = 120_000;

/** A file of messages, signed again when their signatures have become old. */
export class MessageFile {
  readonly path: string;
  readonly #make: () => readonly Buffer[];
  readonly #nowMs: () => number;
  #writtenAtMs = -Infinity;

  constructor(path: string, make: () => readonly Buffer[], nowMs = () => performance.now()) {
    this.path = path;
    this.#make = make;
    this.#nowMs = nowMs;
  }

  /** Writes it, the first time and whenever what it holds is old. */
  async renew(): Promise<void> {
    if (this.#nowMs() - this.#writtenAtMs >= SIGNED_AGAIN_AFTER_MS) await this.rewrite();
  }

  /** Writes it with new messages. */
  async rewrite(): Promise<void> {
    const nowMs = this.#nowMs();
    await writeMessages(this.path, this.#make());
    this.#writtenAtMs = nowMs;
  }
}

/** Writes messages as gRPC frames them (gRPC over HTTP/2, "Length-Prefixed-Message"), uncompressed. */
export async function writeMessages(path: string, messages: readonly Buffer[]): Promise<void> {
  const pieces = messages.flatMap((message) => {
    const prefix = Buffer.alloc(PREFIX_BYTES);
    prefix.writeUInt32BE(message.length, 1);
    return [prefix, message];
  });
  await writeFile(path, Buffer.concat(pieces));
}

/** Reads such a file: each message, with its prefix unless it is not wanted. */
export function readMessages(path: string, { prefix }: { readonly prefix: boolean }): readonly Buffer[] {
  const messages: Buffer[] = [];
  const bytes = readFileSync(path);
  for (let at = 0; at < bytes.length; ) {
    const end = at + PREFIX_BYTES + bytes.readUInt32BE(at + 1);
    messages.push(bytes.subarray(prefix ? at : at + PREFIX_BYTES, end));
    at = end;
  }
  return messages;
}
