import { readdir, readFile, readlink } from 'node:fs/promises';

/** A program that listens on a port. */
export interface PortOwner {
  readonly name: string;
  readonly pid: number;
}

const LISTENING = '0A';

/**
 * Finds who listens on a TCP port of this machine, by proc(5). Null when nobody does, when the program belongs to
 * somebody else, and on systems without that directory.
 */
export async function findPortOwner(port: number): Promise<PortOwner | null> {
  const sockets = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const inode of listeningInodes(await readOrEmpty(table), port)) sockets.add(`socket:[${inode}]`);
  }
  if (sockets.size === 0) return null;
  const processes = (await listOrEmpty('/proc')).filter((entry) => /^\d+$/.test(entry));
  for (const pid of processes) {
    for (const descriptor of await listOrEmpty(`/proc/${pid}/fd`)) {
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(emptyText);
      if (!sockets.has(target)) continue;
      return { name: (await readOrEmpty(`/proc/${pid}/comm`)).trim(), pid: Number(pid) };
    }
  }
  return null;
}

/** Lines are: number, local address and port in hex, remote one, state, queues, timer, retransmits, user, timeout, inode. */
function listeningInodes(table: string, port: number): string[] {
  const rows = table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/));
  return rows.flatMap(([, local, , state, , , , , , inode]) => {
    const isOurs =
      state === LISTENING && local !== undefined && Number.parseInt(local.split(':')[1] ?? '', 16) === port;
    return isOurs && inode !== undefined ? [inode] : [];
  });
}

/** Processes come and go, and those of others may not be looked at: what cannot be read is not the owner that we can name. */
async function readOrEmpty(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch(emptyText);
}

async function listOrEmpty(path: string): Promise<string[]> {
  return await readdir(path).catch(() => []);
}

function emptyText(): string {
  return '';
}
