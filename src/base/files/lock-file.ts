import { randomUUID } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { kill, pid as ownPid } from 'node:process';
import { codeOf } from './fingerprint.ts';

/** Another process that runs has the lock. */
export class LockHeld extends Error {
  override readonly name = 'LockHeld';
}

const MODE = 0o600;

/**
 * Takes the lock `path`, a file that names this process, until it is disposed of. One that a process of this machine
 * left behind when it was killed is taken over. Rejects with {@link LockHeld}, and as the file system does.
 */
export async function takeLock(path: string): Promise<AsyncDisposable> {
  const own = `${hostname()} ${String(ownPid)} ${randomUUID()}\n`;
  try {
    await create(path, own);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    await removeAbandoned(path);
    await create(path, own);
  }
  return {
    [Symbol.asyncDispose]: async () => {
      if ((await contentOf(path)) === own) await rm(path, { force: true });
    },
  };
}

async function create(path: string, text: string): Promise<void> {
  await using handle = await open(path, 'wx', MODE);
  await handle.writeFile(text);
}

async function removeAbandoned(path: string): Promise<void> {
  const text = await contentOf(path);
  const [host = '', pid = ''] = text.trim().split(' ');
  if (host !== hostname() || !/^[1-9]\d{0,9}$/.test(pid) || isRunning(Number(pid))) {
    const holder = host === '' ? 'another process' : `process ${pid} on ${host}`;
    throw new LockHeld(`${holder} works on it; when none does, one was interrupted: delete ${path}`);
  }
  await rm(path, { force: true });
}

/** Empty when it is gone, or not written yet. */
async function contentOf(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  });
}

/** Within a container every first process has the number 1: a lock of this very number is not of this process. */
function isRunning(pid: number): boolean {
  if (pid === ownPid) return false;
  try {
    kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}
