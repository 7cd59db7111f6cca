import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { wallMs } from '../../base/clock.ts';
import { codeOf } from '../../base/files/fingerprint.ts';
import { describeFault, FileFault } from '../../base/files/replace-file.ts';

/** Longer than a renewal takes at most: whoever held a lock for so long has ended without giving it back. */
const ABANDONED_MS = 120_000;
const LOOK_AGAIN_MS = 25;
const MODE = 0o600;

/**
 * Does something while it holds the lock `path`, a file, for which it waits: a refresh token works once, so that one
 * renewal at a time may use it, of this process or of others. Rejects with {@link FileFault}, and as the work does.
 */
export async function whileLocked<T>(path: string, work: () => Promise<T>): Promise<T> {
  const own = randomUUID();
  while (!(await create(path, own))) {
    await removeAbandoned(path);
    await delay(LOOK_AGAIN_MS);
  }
  try {
    return await work();
  } finally {
    if ((await contentOf(path)) === own) await rm(path, { force: true });
  }
}

async function create(path: string, text: string): Promise<boolean> {
  try {
    await using handle = await open(path, 'wx', MODE);
    await handle.writeFile(text);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw new FileFault(describeFault(path, error), { cause: error });
  }
}

async function removeAbandoned(path: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (found === null || wallMs() - found.mtimeMs < ABANDONED_MS) return;
  // Renamed first, so that of several who see it only one removes it.
  const aside = `${path}.${randomUUID()}`;
  await rename(path, aside).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  await rm(aside, { force: true });
}

async function contentOf(path: string): Promise<string | null> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
}
