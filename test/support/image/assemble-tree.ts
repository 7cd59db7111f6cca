import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { startChild } from '../process/child-process.ts';
import { projectRoot } from '../docs/documents.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../lifetime/temporary-directory.ts';
import { acquireAll } from '../lifetime/release.ts';
import { copiesOf, type Dockerfile, runStage } from './dockerfile.ts';

/** The file tree of the image, without its base. */
export interface AssembledTree extends AsyncDisposable {
  /** Where `/app` of the image is. */
  readonly app: string;
}

/** What the Dockerfile removes from node_modules. */
const removed = /\.(map|d\.ts|d\.mts|d\.cts)$/;

/**
 * Makes the file tree that the run stage of the Dockerfile makes, without Docker: the same install, and the same copies
 * from what this working tree holds; `dist/` as it was built.
 */
export async function assembleTree(dockerfile: Dockerfile): Promise<AssembledTree> {
  return acquireAll(async (keep) => {
    const directory = keep(await temporaryDirectory());
    const install = join(directory.path, 'dependencies');
    await installProduction(install);
    const image = join(directory.path, 'image');
    for (const { from, sources, destination } of copiesOf(runStage(dockerfile))) {
      for (const source of sources.map((path) => path.replace(/^\/build\//, ''))) {
        const made = await placeOf(source, { from, install, directory });
        const target = destination.endsWith('/') ? join(destination, basename(source)) : destination;
        if (made !== null) await cp(made, join(image, target), { recursive: true, verbatimSymlinks: true });
      }
    }
    return { app: join(image, 'app') };
  });
}

async function installProduction(directory: string): Promise<void> {
  await mkdir(directory);
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
    await cp(join(projectRoot, file), join(directory, file));
  }
  await using npm = await startChild({
    command: 'npm',
    // What `npm ci` fetched before is in npm's cache.
    args: ['ci', '--omit=dev', '--ignore-scripts', '--no-update-notifier', '--prefer-offline'],
    cwd: directory,
  });
  const { code } = await npm.ended;
  if (code !== 0) throw new Error(`npm ci failed:\n${npm.stdout()}${npm.stderr()}`);
  const modules = join(directory, 'node_modules');
  const entries = await readdir(modules, { recursive: true, withFileTypes: true });
  const useless = entries.filter((entry) => entry.isFile() && removed.test(entry.name));
  await Promise.all(useless.map((entry) => rm(join(entry.parentPath, entry.name))));
}

async function placeOf(
  source: string,
  { from, install, directory }: { from: string | null; install: string; directory: TemporaryDirectory },
): Promise<string | null> {
  if (from === 'dependencies') return join(install, source);
  if (source === 'sbom.cdx.json') return null; // nothing reads it
  if (source !== 'state') return join(projectRoot, source);
  const state = join(directory.path, 'state');
  await mkdir(state, { recursive: true });
  return state;
}
