import { execFile } from 'node:child_process';
import { cp, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Mongod } from '../../test/support/mongodb/mongod.ts';

const run = promisify(execFile);

/** The disk of one member of MongoDB, of its own and small. Disposing ends the member, and takes the disk away. */
export interface SmallDisk extends AsyncDisposable {
  readonly member: Mongod;
  /** Takes all room that is left. */
  fill(): Promise<void>;
  /** Gives it back. A member that has ended of it is started again. */
  clear(): Promise<void>;
}

/** Room beside what the member has at first, in MiB: it may start again, and writes into its journal, in that. */
const ROOM_MIB = 256;
const PIECE = Buffer.alloc(1024 * 1024);

/** Moves the data of a member onto a small disk, a tmpfs in the place of its folder. Needs root. */
export async function giveSmallDisk(member: Mongod): Promise<SmallDisk> {
  const commandLine = (await readFile(`/proc/${String(member.child().pid)}/cmdline`, 'utf8')).split('\0');
  const folder = commandLine[commandLine.indexOf('--dbpath') + 1];
  if (folder === undefined) throw new Error('the member has no --dbpath');
  await member.stop();
  const aside = await mkdtemp(join(tmpdir(), 'postern-disk-'));
  await cp(folder, aside, { recursive: true });
  const { stdout } = await run('du', ['-sm', aside]);
  const size = `${String(Number.parseInt(stdout, 10) + ROOM_MIB)}m`;
  await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'postern-drill', folder]);
  await cp(aside, folder, { recursive: true });
  await rm(aside, { recursive: true });
  await member.restart();
  const ballast = join(folder, 'ballast');
  return {
    member,
    fill: async () => {
      await using file = await open(ballast, 'w');
      for (let piece = PIECE; piece.length > 0; ) {
        try {
          const { bytesWritten } = await file.write(piece);
          if (bytesWritten < piece.length) piece = piece.subarray(0, Math.floor(piece.length / 2));
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
          piece = piece.subarray(0, Math.floor(piece.length / 2));
        }
      }
    },
    clear: async () => {
      await rm(ballast, { force: true });
      if ((await Promise.race([member.child().ended, Promise.resolve(null)])) !== null) await member.restart();
    },
    [Symbol.asyncDispose]: async () => {
      await member.kill();
      await run('umount', [folder]);
    },
  };
}
