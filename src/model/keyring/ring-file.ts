import { open, realpath, rm, stat } from 'node:fs/promises';
import {
  createFile,
  describeFault,
  FileFault,
  lstatIfThere,
  PERMISSIONS_MASK,
  replaceFile,
  takeOwner,
} from '../../base/files/replace-file.ts';
import { codeOf } from '../../base/files/fingerprint.ts';

const RING_MODE = 0o600;

/** A key ring file that was not written, and why; nothing was changed. */
export class RingFileFault extends Error {
  override readonly name = 'RingFileFault';
  /** `conflict`: it is there already, or another command changes it just now. */
  readonly kind: 'conflict' | 'failed';

  constructor(kind: RingFileFault['kind'], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** Writes a new file that only its owner can read, and never replaces one. Rejects with {@link RingFileFault}. */
export async function createRingFile(path: string, text: string): Promise<void> {
  try {
    await createFile(path, RING_MODE, async (handle) => {
      await handle.writeFile(text);
    });
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? presentFault(path) : faultOf(path, error);
  }
}

/** Rejects as {@link createRingFile} would for what is there already. */
export async function checkAbsent(path: string): Promise<void> {
  const there = await lstatIfThere(path).catch((error: unknown) => {
    throw faultOf(path, error);
  });
  if (there !== null) throw presentFault(path);
}

/** Replaces the file, or that of a symlink, in one step, with its mode and owner. For the lock's holder. */
export async function replaceRingFile(path: string, text: string): Promise<void> {
  const target = await resolved(path);
  try {
    const former = await stat(target);
    await replaceFile(target, RING_MODE, async (handle) => {
      await takeOwner(handle, former);
      await handle.chmod(former.mode & PERMISSIONS_MASK);
      await handle.writeFile(text);
    });
  } catch (error) {
    throw faultOf(path, error);
  }
}

/**
 * Runs `change` while no other command changes the same file, also through another symlink. Rejects with
 * {@link RingFileFault} when one does: after a wait, the change would apply to a ring that the operator did not see.
 */
export async function withRingLock<T>(path: string, change: () => Promise<T>): Promise<T> {
  const lock = `${await resolved(path)}.lock`;
  try {
    await (await open(lock, 'wx', RING_MODE)).close();
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw faultOf(path, error);
    throw new RingFileFault(
      'conflict',
      `${path} is being changed by another command; when none runs, one was interrupted: delete ${lock}`,
    );
  }
  try {
    return await change();
  } finally {
    await rm(lock, { force: true });
  }
}

async function resolved(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    throw faultOf(path, error);
  }
}

function presentFault(path: string): RingFileFault {
  return new RingFileFault(
    'conflict',
    `${path} is there already and is not replaced; "postern keyring rotate ${path}" adds a key`,
  );
}

function faultOf(path: string, error: unknown): RingFileFault {
  const message = error instanceof FileFault ? error.message : describeFault(path, error);
  return new RingFileFault('failed', message, error);
}
