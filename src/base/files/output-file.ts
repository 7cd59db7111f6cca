import { once } from 'node:events';
import { constants, fstat, type Stats, write as writeTo } from 'node:fs';
import { access, open, readlink, realpath, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { codeOf } from './fingerprint.ts';
import {
  describeFault,
  FileFault,
  lstatIfThere,
  PERMISSIONS_MASK,
  replaceFile,
  takeOwner,
  temporaryName,
  writeThrough,
} from './replace-file.ts';

/** Who can read what is written: its owner only, or those that the umask, or the file that is there, allows. */
export type OutputAccess = 'owner' | 'open';

/** Where a command writes, checked before the command begins its work. */
export interface OutputFile {
  /** Whether writing again replaces what was written, which a pipe or device has passed on. */
  readonly isReplaced: boolean;
  /** Writes everything. Rejects with {@link FileFault}; a file that was there is then as it was. */
  readonly write: (pieces: AsyncIterable<string>) => Promise<void>;
}

const OWNER_MODE = 0o600;
const OPEN_MODE = 0o644;

/** Pieces are joined to about this many characters before they are written. */
const WRITE_CHARACTERS = 256 * 1024;

/** As many symlinks as Linux follows. */
const MAX_LINKS = 40;

/**
 * Looks at the place that a command is to write to. A regular file is replaced in one step, and an absent one made,
 * where symlinks lead. Devices, pipes, sockets and open descriptors (`/dev/stdout`, `>(…)`) are written to. Rejects
 * with {@link FileFault} for a folder and what cannot be written.
 */
export async function openOutput(path: string, access: OutputAccess): Promise<OutputFile> {
  const place = await attempt(path, async () => {
    const found = await findPlace(path);
    await checkPlace(found);
    return found;
  });
  return {
    isReplaced: place.kind === 'file',
    write: (pieces) => attempt(path, () => writePlace(place, access, pieces)),
  };
}

/** Whether two paths lead to the same file, be it absent. A terminal, and what else is written to, is no file. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([fileAt(one), fileAt(other)]);
  return first !== null && first === second;
}

async function fileAt(path: string): Promise<string | null> {
  // A path that cannot be followed has its own message when it is opened.
  const place = await findPlace(path).catch(() => null);
  return place?.kind === 'file' ? place.target : null;
}

type Place =
  | { readonly kind: 'file'; readonly target: string; readonly former: Stats | null }
  | { readonly kind: 'stream' | 'socket'; readonly target: string }
  | { readonly kind: 'descriptor'; readonly descriptor: number };

/** An open descriptor of a process, where Linux (`/proc`) and other systems (`/dev/fd`) show it. */
const DESCRIPTOR = /^\/(?:dev|proc\/(?<pid>\d+)(?:\/task\/\d+)?)\/fd\/(?<descriptor>\d+)$/;

/** Follows symlinks to what they lead to, be it absent. */
async function findPlace(path: string): Promise<Place> {
  let at = resolve(path);
  for (let links = 0; links < MAX_LINKS; links += 1) {
    at = join(await realpath(dirname(at)), basename(at));
    const { pid, descriptor } = DESCRIPTOR.exec(at)?.groups ?? {};
    if (descriptor !== undefined) {
      const isOwn = pid === undefined || (await realpath('/proc/self')) === `/proc/${pid}`;
      return isOwn ? { kind: 'descriptor', descriptor: Number(descriptor) } : { kind: 'stream', target: at };
    }
    const stats = await lstatIfThere(at);
    if (stats === null) return { kind: 'file', target: at, former: null };
    if (!stats.isSymbolicLink()) return placeOf(at, stats);
    at = resolve(dirname(at), await readlink(at));
  }
  throw Object.assign(new Error('too many symlinks'), { code: 'ELOOP' });
}

function placeOf(target: string, stats: Stats): Place {
  if (stats.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
  if (stats.isFile()) return { kind: 'file', target, former: stats };
  return { kind: stats.isSocket() ? 'socket' : 'stream', target };
}

/** Tries what leaves no trace. Whether a file can be created shows only when one was: a temporary one is. */
async function checkPlace(place: Place): Promise<void> {
  if (place.kind === 'descriptor') {
    await promisify(fstat)(place.descriptor);
    return;
  }
  const { target } = place;
  if (place.kind !== 'file' || place.former !== null) await access(target, constants.W_OK);
  if (place.kind !== 'file') return;
  const probe = temporaryName(target);
  await writeThrough(probe, OWNER_MODE, () => Promise.resolve());
  await rm(probe);
}

async function writePlace(place: Place, access: OutputAccess, pieces: AsyncIterable<string>): Promise<void> {
  switch (place.kind) {
    case 'file':
      await writeFile(place.target, place.former, access, pieces);
      return;
    case 'stream': {
      // Neither created nor cut: it is there, and others may write to it too.
      await using handle = await open(place.target, constants.O_WRONLY | constants.O_APPEND);
      await writeDescriptor(handle.fd, pieces);
      return;
    }
    case 'socket':
      await writeSocket(place.target, pieces);
      return;
    case 'descriptor':
      await writeDescriptor(place.descriptor, pieces);
  }
}

/**
 * A file with secrets belongs to the user who wrote it, also when it replaces one of another user; others stay as
 * readable as they were, and keep their owner where this process may set it.
 */
async function writeFile(
  target: string,
  former: Stats | null,
  access: OutputAccess,
  pieces: AsyncIterable<string>,
): Promise<void> {
  await replaceFile(target, access === 'owner' ? OWNER_MODE : OPEN_MODE, async (handle) => {
    if (former !== null && access === 'open') {
      await takeOwner(handle, former).catch((error: unknown) => {
        if (codeOf(error) !== 'EPERM') throw error;
      });
      await handle.chmod(former.mode & PERMISSIONS_MASK);
    }
    for await (const chunk of chunksOf(pieces)) await handle.appendFile(chunk);
  });
}

async function writeDescriptor(descriptor: number, pieces: AsyncIterable<string>): Promise<void> {
  await untilUnread(async () => {
    for await (const chunk of chunksOf(pieces)) await writeWhole(descriptor, Buffer.from(chunk));
  });
}

async function writeSocket(target: string, pieces: AsyncIterable<string>): Promise<void> {
  const socket = createConnection(target);
  try {
    await once(socket, 'connect');
    await untilUnread(async () => {
      for await (const chunk of chunksOf(pieces)) {
        if (!socket.write(chunk)) await once(socket, 'drain');
      }
      socket.end();
      await once(socket, 'close');
    });
  } finally {
    socket.destroy();
  }
}

/** A pipe that another process made non-blocking is tried again after so long. */
const FULL_PIPE_MS = 5;

async function writeWhole(descriptor: number, bytes: Buffer): Promise<void> {
  let rest = bytes;
  while (rest.length > 0) {
    try {
      const { bytesWritten } = await promisify(writeTo)(descriptor, rest, 0, rest.length, null);
      rest = rest.subarray(bytesWritten);
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') throw error;
      await delay(FULL_PIPE_MS);
    }
  }
}

/** A reader that stops early (`>(head -1)`) is no fault. */
async function untilUnread(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (codeOf(error) !== 'EPIPE') throw error;
  }
}

async function* chunksOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < WRITE_CHARACTERS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** Only a rejection by the file system is a fault of the file: reading `pieces` has faults of its own. */
async function attempt<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isOfFile = error instanceof Error && !(error instanceof FileFault) && 'syscall' in error;
    throw isOfFile || codeOf(error) === 'ELOOP' || codeOf(error) === 'EISDIR'
      ? new FileFault(describeFault(path, error), { cause: error })
      : error;
  }
}
