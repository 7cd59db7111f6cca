import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/** Pieces are joined to about this many characters before they are written. */
const WRITE_CHARACTERS = 256 * 1024;

/**
 * Writes a file piece by piece under another name and puts it in its place when it is whole, so that nobody ever sees a
 * part of it. `mode` holds from the first byte on. What was there is replaced.
 */
export async function writeFile(path: string, pieces: AsyncIterable<string>, mode: number): Promise<void> {
  const unfinished = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await using file = await openNew(unfinished, mode);
    let text = '';
    for await (const piece of pieces) {
      text += piece;
      if (text.length < WRITE_CHARACTERS) continue;
      await file.append(text);
      text = '';
    }
    await file.append(text);
    await file.sync();
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

interface NewFile extends AsyncDisposable {
  append(text: string): Promise<void>;
  sync(): Promise<void>;
}

async function openNew(path: string, mode: number): Promise<NewFile> {
  const handle = await open(path, 'wx', mode);
  return {
    append: async (text) => {
      await handle.appendFile(text);
    },
    sync: async () => {
      await handle.sync();
    },
    [Symbol.asyncDispose]: async () => {
      await handle.close();
    },
  };
}
