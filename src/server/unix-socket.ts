import { chmod, lstat, unlink } from 'node:fs/promises';
import { connect } from 'node:net';

/**
 * Makes way for a listener on a unix socket: removes the file that a killed process left behind.
 * Throws when something answers on it or when the path is no socket: neither is ours to remove.
 */
export async function removeStaleSocket(path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (found === null) return;
  if (!found.isSocket()) throw new Error(`${path} exists and is not a socket; remove it or choose another path`);
  if (await answers(path)) throw new Error(`${path} is in use by another process`);
  await unlink(path);
}

/** Sets who may connect; undefined leaves what the process's umask made of it. */
export async function setSocketMode(path: string, mode: number | undefined): Promise<void> {
  if (mode !== undefined) await chmod(path, mode);
}

async function answers(path: string): Promise<boolean> {
  return await new Promise<boolean>((resolve, reject) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', (error) => {
      if (isCode(error, 'ECONNREFUSED') || isCode(error, 'ENOENT')) resolve(false);
      else reject(error);
    });
  });
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
