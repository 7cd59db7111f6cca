import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot, readDocument } from '../../support/docs/documents.ts';
import { envoyProgram } from '../../support/envoy/envoy.ts';
import { freePort } from '../../../src/programs/free-ports.ts';
import { type ReplicaSet, startReplicaSet } from '../../support/mongodb/replica-set.ts';
import { release } from '../../support/lifetime/release.ts';
import { startChild } from '../../support/process/child-process.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

const page = readDocument('docs/quickstart.md');
const defaultStore = 'mongodb://127.0.0.1:27017/postern?replicaSet=rs0';
const endOfBlock = '--- end of block';

/** A block of commands, and the lines that the page says it prints. */
interface Step {
  readonly commands: string;
  readonly shown: readonly string[];
}

function readSteps(text: string): readonly Step[] {
  return [...text.matchAll(/^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?/gms)].map(
    ([, commands = '', shown = '']) => ({ commands, shown: shown.split('\n').filter((line) => line.trim() !== '') }),
  );
}

/** Takes out what differs from one run to the next. */
function normalise(line: string): string {
  return line
    .trimEnd()
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'REQUEST-ID')
    .replaceAll(/\b[0-9a-f]{32}\b/g, 'APP-KEY')
    .replace(/^ {2}App Secret {2}[\w-]{43}$/, '  App Secret  APP-SECRET')
    .replace(/^date: .* GMT$/, 'date: NOW');
}

/** The lines of the page that are not among those printed, in their order. */
function missingLines(shown: readonly string[], printed: readonly string[]): readonly string[] {
  const missing: string[] = [];
  let from = 0;
  for (const line of shown.map(normalise)) {
    const found = printed.findIndex((candidate, index) => index >= from && normalise(candidate) === line);
    if (found < 0) missing.push(line);
    else from = found + 1;
  }
  return missing;
}

describe('docs/quickstart.md', function () {
  this.timeout(180_000);
  let mongodb: ReplicaSet;
  let folder: TemporaryDirectory;
  const addresses = new Map<string, string>();
  before(async () => {
    mongodb = await startReplicaSet();
    folder = await temporaryDirectory();
    addresses.set(defaultStore, mongodb.uri('postern'));
    // Listeners of Envoy, Postern and the back end, by their default ports.
    for (const port of ['10000', '9901', '8080', '9001', '9002', '9003']) addresses.set(port, String(await freePort()));
  });
  after(() => release(mongodb, folder));

  /** Puts the addresses of this run in place of the default ones. */
  function substitute(text: string): string {
    return [...addresses].reduce(
      (result, [from, to]) =>
        from === defaultStore
          ? result.replaceAll(from, to)
          : result.replaceAll(new RegExp(`(127\\.0\\.0\\.1:|port_value: |listen\\()${from}\\b`, 'g'), `$1${to}`),
      text,
    );
  }

  /** A folder like that of the project, as far as the page uses it. */
  async function makeProject(): Promise<string> {
    const path = await mkdtemp(join(folder.path, 'project-'));
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

  it('leads from an empty database to an answer, and to a refusal, with what it shows', async () => {
    const steps = readSteps(page);
    assert.equal(page.match(/^```sh$/gm)?.length, steps.length);
    assert.equal(page.match(/^```text$/gm)?.length, steps.filter(({ shown }) => shown.length > 0).length);
    const project = await makeProject();
    const script = steps.map(({ commands }) => `${substitute(commands)}printf '\\n%s\\n' '${endOfBlock}'\n`).join('');
    const address = (port: string): string => substitute(`127.0.0.1:${port}`);
    await using shell = await startChild({
      command: 'bash',
      // What fails ends the run; what still runs then, ends with it.
      args: ['-c', `set -eo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${script}`],
      cwd: project,
      env: {
        POSTERN_PUBLIC_URL: `http://${address('10000')}`,
        POSTERN_GRPC_ADDRESS: address('9001'),
        POSTERN_HTTP_ADDRESS: address('9002'),
        POSTERN_ADMIN_ADDRESS: address('9003'),
        POSTERN_SHUTDOWN_GRACE_SECONDS: '0',
      },
    });
    const { code } = await shell.ended;
    assert.deepEqual([code, shell.stderr()], [0, ''], shell.stdout());

    const printed = shell.stdout().split(`${endOfBlock}\n`);
    for (const [index, { commands, shown }] of steps.entries()) {
      const lines = (printed[index] ?? '').split('\n');
      assert.deepEqual(missingLines(shown.map(substitute), lines), [], `${commands}\nprinted\n${lines.join('\n')}`);
    }
    assert.deepEqual((await readdir(project)).sort(), ['.services', 'dist', 'envoy.yaml', 'node_modules']);
  });
});
