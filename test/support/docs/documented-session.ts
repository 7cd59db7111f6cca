import { chmod, mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../src/cli/programs/free-ports.ts';
import { envoyProgram } from '../envoy/envoy.ts';
import { startChild } from '../process/child-process.ts';
import { projectRoot, readDocument } from './documents.ts';

const endOfBlock = '--- end of block';

/** A block of commands, and the lines that the page says it prints. */
export interface Step {
  readonly commands: string;
  readonly shown: readonly string[];
}

/** The `sh` blocks of a page, each with the `text` block below it. */
export function readSteps(page: string): readonly Step[] {
  return [...page.matchAll(/^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?/gms)].map(
    ([, commands = '', shown = '']) => ({ commands, shown: shown.split('\n').filter((line) => line.trim() !== '') }),
  );
}

/** The lines of a page that are not among those printed, in their order; both as `normalise` has them. */
export function missingLines(
  shown: readonly string[],
  printed: readonly string[],
  normalise: (line: string) => string,
): readonly string[] {
  const missing: string[] = [];
  let from = 0;
  for (const line of shown.map(normalise)) {
    const found = printed.findIndex((candidate, index) => index >= from && normalise(candidate) === line);
    if (found < 0) missing.push(line);
    else from = found + 1;
  }
  return missing;
}

/** The addresses of this run in place of those that the pages have: a text of one in, of the other out. */
export type Substitute = (text: string) => string;

/** Ports that are free in place of the default ones, and `store` in place of the address of the database. */
export async function substituteAddresses(store: string): Promise<Substitute> {
  const ports = new Map<string, string>();
  for (const port of ['10000', '9901', '8080', '9001', '9002', '9003', '9004']) {
    ports.set(port, String(await freePort()));
  }
  return (text) =>
    [...ports].reduce(
      (result, [from, to]) =>
        result.replaceAll(new RegExp(`(127\\.0\\.0\\.1:|port_value: |listen\\()${from}\\b`, 'g'), `$1${to}`),
      text.replaceAll('mongodb://127.0.0.1:27017/postern?replicaSet=rs0', store),
    );
}

/** A folder below `parent` like that of the project, as far as the pages use it. */
export async function makeProject(parent: string, substitute: Substitute): Promise<string> {
  const path = await mkdtemp(join(parent, 'project-'));
  await symlink(join(projectRoot, 'dist'), join(path, 'dist'));
  await mkdir(join(path, 'node_modules/.bin'), { recursive: true });
  await symlink('../../dist/main.js', join(path, 'node_modules/.bin/postern'));
  await writeFile(join(path, 'envoy.yaml'), substitute(readDocument('envoy.yaml')));
  const services = join(path, '.services/bin');
  await mkdir(services, { recursive: true });
  // Others of the kind run on the same machine.
  const program = `#!/bin/sh\nexec '${await envoyProgram()}' --disable-hot-restart --concurrency 1 "$@"\n`;
  await writeFile(join(services, 'envoy'), program);
  await chmod(join(services, 'envoy'), 0o755);
  return path;
}

/** What came of a session: the lines that each block printed. */
export interface Session {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly printed: readonly (readonly string[])[];
}

/** Runs the blocks of a page in one shell in the folder; the first command that fails ends it, and what still runs. */
export async function runSteps(steps: readonly Step[], project: string, substitute: Substitute): Promise<Session> {
  const script = steps.map(({ commands }) => `${substitute(commands)}printf '\\n%s\\n' '${endOfBlock}'\n`).join('');
  const address = (port: string): string => substitute(`127.0.0.1:${port}`);
  await using shell = await startChild({
    command: 'bash',
    args: ['-c', `set -eo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${script}`],
    cwd: project,
    env: {
      POSTERN_PUBLIC_URL: `http://${address('10000')}`,
      POSTERN_GRPC_ADDRESS: address('9001'),
      POSTERN_HTTP_ADDRESS: address('9002'),
      POSTERN_ADMIN_ADDRESS: address('9003'),
      POSTERN_MANAGE_ADDRESS: address('9004'),
      POSTERN_SHUTDOWN_GRACE_SECONDS: '0',
    },
  });
  const { code } = await shell.ended;
  const printed = shell.stdout().split(`${endOfBlock}\n`);
  return { code, stdout: shell.stdout(), stderr: shell.stderr(), printed: printed.map((text) => text.split('\n')) };
}
