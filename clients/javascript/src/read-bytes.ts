import { joinBytes, type Bytes } from './bytes.ts';

/** The whole of a stream; null when it has more than so many bytes, and then the rest of it is not read. */
export async function readBytes(stream: ReadableStream<Uint8Array>, maxBytes: number): Promise<Bytes | null> {
  const reader = stream.getReader();
  const pieces: Bytes[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joinBytes(pieces);
    if (!ArrayBuffer.isView(value)) throw new TypeError('a stream that is a body gives Uint8Arrays');
    length += value.byteLength;
    if (length > maxBytes) {
      // Of a stream that was copied this waits for the other copy, which is read later.
      reader.cancel().catch(() => undefined);
      return null;
    }
    pieces.push(new Uint8Array(value));
  }
}
