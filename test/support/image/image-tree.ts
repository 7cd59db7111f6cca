import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { dockerOutput } from '../../../scripts/image/docker.mjs';
import { temporaryDirectory } from '../lifetime/temporary-directory.ts';

/** A file, folder or link of an image. */
export interface TreeEntry {
  readonly path: string;
  /** As `ls` shows it: `drwxr-xr-x`. */
  readonly mode: string;
  /** `uid/gid` */
  readonly owner: string;
  /** When it was changed; UTC. */
  readonly time: string;
  /** SHA-256 of a file's content, the target of a link, nothing for folders. */
  readonly content: string;
}

/** Everything that an image holds, by path. */
export async function readImageTree(image: string): Promise<readonly TreeEntry[]> {
  await using directory = await temporaryDirectory();
  const container = await dockerOutput(['create', image]);
  const archive = join(directory.path, 'image.tar');
  try {
    await dockerOutput(['export', '--output', archive, container]);
  } finally {
    await dockerOutput(['rm', container]);
  }
  const files = join(directory.path, 'files');
  await mkdir(files);
  const unpack = spawn('tar', ['-xf', archive, '-C', files, '--no-same-owner', '--exclude=dev/*'], {
    stdio: 'inherit',
  });
  const [code] = (await once(unpack, 'close')) as [number];
  if (code !== 0) throw new Error('tar cannot unpack the image');
  const contents = await hashFiles(files);
  const listed = spawnSync(
    'tar',
    ['-tvf', archive, '--numeric-owner', '--full-time', '--utc', '--quoting-style=literal'],
    {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return listed.stdout
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, mode = '', owner = '', time = '', name = ''] =
        /^(\S+) +(\S+) +\d[\d,]* +(\S+ \S+) (.*)$/.exec(line) ?? [];
      const [path = '', target = ''] = name.split(/ -> | link to /);
      return { path, mode, owner, time, content: target === '' ? (contents.get(path) ?? '') : target };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function hashFiles(directory: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const hashes = new Map<string, string>();
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    hashes.set(path.slice(directory.length + 1), hash.digest('hex'));
  }
  return hashes;
}
