import { writeFile } from 'node:fs/promises';

const PREFIX_BYTES = 5;

/** Writes messages as gRPC frames them (gRPC over HTTP/2, "Length-Prefixed-Message"), uncompressed. */
export async function writeMessages(path: string, messages: readonly Buffer[]): Promise<void> {
  const pieces = messages.flatMap((message) => {
    const prefix = Buffer.alloc(PREFIX_BYTES);
    prefix.writeUInt32BE(message.length, 1);
    return [prefix, message];
  });
  await writeFile(path, Buffer.concat(pieces));
}
