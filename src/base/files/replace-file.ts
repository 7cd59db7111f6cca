import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from './fingerprint.ts';

/** A file that cannot be written, with what to do about it; nothing was changed. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
}

const advice: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder: name a file in it',
  EACCES: 'run this as the owner of the file and its folder',
  EPERM: 'the new file could not get the owner of the old one: run this as that owner',
  EROFS: 'it is mounted read-only: change it where it comes from, such as a Kubernetes Secret',
  EBUSY: 'it is a mount of its own: change it at its source, or mount its folder',
  ENOSPC: 'there is no space left',
  ELOOP: 'its symlinks lead in a circle',
  EBADF: 'this process has no such open descriptor that can be written to',
  ECONNREFUSED: 'no process listens on this socket',
};

/** What is wrong with writing to `path`, for people. */
export function describeFault(path: string, error: unknown): string {
  const code = codeOf(error);
  return `${path} cannot be written (${code}): ${advice[code] ?? 'look at it before you go on'}`;
}

/** A name beside a file, for what becomes that file once it is whole. */
export function temporaryName(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}.tmp`;
}

/** The part of a file's mode that says who may do what. */
export const PERMISSIONS_MASK = 0o777;

/** Writes a new file, which is on the disk when this resolves; `mode` holds from its first byte on. */
export async function writeThrough(
  path: string,
  mode: number,
  write: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  await using handle = await open(path, 'wx', mode);
  await write(handle);
  await handle.sync();
}

/** Gives a new file the owner of a former one. */
export async function takeOwner(handle: FileHandle, { uid, gid }: Stats): Promise<void> {
  const made = await handle.stat();
  if (made.uid !== uid || made.gid !== gid) await handle.chown(uid, gid);
}

/** Looks at a file, not at what a link leads to; null when there is none. */
export async function lstatIfThere(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Creates a file in one step, with all that is written to it, and never replaces one: rejects with `EEXIST` when
 * something stands there, also a link that leads nowhere.
 */
export async function createFile(
  path: string,
  mode: number,
  write: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  const temporary = temporaryName(path);
  try {
    await writeThrough(temporary, mode, write);
    // Unlike a rename, a link never takes the place of a file.
    await link(temporary, path);
    await syncDirectory(path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * Creates a file, or replaces one in one step, so that no reader ever sees a part of it. Anything but a regular file is
 * left alone: a rename over a device, a pipe or a folder's mount takes it from all its users.
 */
export async function replaceFile(
  target: string,
  mode: number,
  write: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  const temporary = temporaryName(target);
  try {
    await writeThrough(temporary, mode, write);
    const there = await lstatIfThere(target);
    if (there !== null && !there.isFile()) throw new FileFault(`${target} is no regular file, and is not replaced`);
    await rename(temporary, target);
    await syncDirectory(target);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Without this a power cut could undo a rename; some file systems cannot, and do not need to. */
export async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(dirname(path), 'r');
  try {
    await directory.sync();
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EISDIR'].includes(codeOf(error))) throw error;
  }
}
