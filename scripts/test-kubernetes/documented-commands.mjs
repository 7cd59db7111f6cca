// Runs the `sh` blocks of a page against an API server, as a reader would: in one shell,
// from the top.
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../../services/run.mjs';
import { playControllers } from './controllers.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The `sh` blocks below each heading of the second level that has some. */
export function readSections(page) {
  return page
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf('\n')),
      blocks: [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block),
    }))
    .filter(({ blocks }) => blocks.length > 0);
}

/**
 * Runs one section. Commands run in a folder with links to the project; `set -e` ends them at the first that fails.
 * What a cluster would do in the meantime (pods that become ready, Jobs that complete) is written into the status of the
 * objects.
 */
export async function runSection({ blocks }, { kubectl, environment, programs, directory }) {
  await mkdir(directory, { recursive: true });
  for (const name of ['deploy', 'dist', 'examples'])
    await symlink(join(root, name), join(directory, name)).catch(ignoreExisting);
  const bin = join(directory, '.bin');
  await mkdir(bin, { recursive: true });
  // Without its controller a namespace never ends, and there are no pods to wait for.
  const shim = [
    '#!/bin/sh',
    'case "$1 $2" in "delete namespace") set -- "$@" --wait=false ;; "wait pod") exit 0 ;; esac',
    `exec '${programs.kubectl}' "$@"\n`,
  ].join('\n');
  await writeFile(join(bin, 'kubectl'), shim);
  await chmod(join(bin, 'kubectl'), 0o755);
  await symlink(programs.helm, join(bin, 'helm')).catch(ignoreExisting);
  const controllers = playControllers(kubectl);
  try {
    const { code, stdout, stderr } = await run('bash', ['-c', `set -eux\n${blocks.join('\n')}`], {
      cwd: directory,
      env: { ...environment, PATH: `${bin}:${process.env.PATH}` },
    });
    if (code !== 0) throw new Error(`exit code ${code}:\n${stderr}${stdout}`);
    return `${blocks.join('').trim().split('\n').length} lines`;
  } finally {
    await controllers.stop();
  }
}

function ignoreExisting(error) {
  if (error.code !== 'EEXIST') throw error;
}
