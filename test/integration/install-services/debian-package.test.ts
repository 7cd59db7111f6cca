import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installServices } from '../../../services/install-services.mjs';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

const catalogue = {
  tool: {
    title: 'Tool',
    version: 'debian',
    command: 'tool',
    source: { kind: 'debian', name: 'tool-package', program: 'usr/bin/tool' },
    proof: (text: string) => text.includes('tool 9'),
    byHand: ['put a tool on PATH'],
  },
};

/** What `apt-get` does: knows the package, knows it after an update of lists of its own, never does, or is not there. */
type Apt = 'knows' | 'knows after update' | 'knows nothing' | 'absent';

describe('installing a program out of a package of the distribution', () => {
  let directory: TemporaryDirectory;
  const path = process.env['PATH'];

  beforeEach(async () => {
    directory = await temporaryDirectory();
  });
  afterEach(async () => {
    process.env['PATH'] = path;
    await directory[Symbol.asyncDispose]();
  });

  async function install(apt: Apt): Promise<string> {
    const bin = join(directory.path, 'bin');
    await mkdir(bin);
    for (const command of ['sh', 'cp', 'mkdir', 'cat', 'chmod']) await symlink(`/bin/${command}`, join(bin, command));
    const log = join(directory.path, 'log');
    await writeFile(log, '');
    const isKnown = {
      knows: 'true',
      'knows after update': 'case "$*" in *Dir::State::Lists=*) true ;; *) false ;; esac',
      'knows nothing': 'false',
      absent: 'false',
    }[apt];
    const aptGet = `#!/bin/sh
echo "$*" >> '${log}'
case "$*" in
  --version) echo apt 2.6 ;;
  *' update') ${apt === 'knows nothing' ? 'echo "E: no network" >&2; exit 100' : 'exit 0'} ;;
  *' download tool-package') if ${isKnown}; then echo package > tool-package_9_all.deb; else echo "E: Unable to locate" >&2; exit 100; fi ;;
  *) echo "unexpected: $*" >&2; exit 1 ;;
esac
`;
    const dpkg = `#!/bin/sh
mkdir -p "$3/usr/bin" && printf '#!/bin/sh\\necho tool 9\\n' > "$3/usr/bin/tool"
`;
    if (apt !== 'absent') await writeFile(join(bin, 'apt-get'), aptGet);
    await writeFile(join(bin, 'dpkg-deb'), dpkg);
    for (const program of apt === 'absent' ? ['dpkg-deb'] : ['apt-get', 'dpkg-deb'])
      await chmod(join(bin, program), 0o755);
    process.env['PATH'] = bin;
    const { tool } = await installServices(['tool'], { directory: join(directory.path, 'services'), catalogue });
    return tool;
  }

  const calls = async (): Promise<readonly string[]> =>
    (await readFile(join(directory.path, 'log'), 'utf8')).split('\n').filter((line) => / (update|download)/.test(line));

  it('needs one download where the lists are there', async () => {
    assert.match(await readFile(await install('knows'), 'utf8'), /tool 9/);
    assert.equal((await calls()).length, 1);
  });

  it('fetches lists for itself where they are missing', async () => {
    await install('knows after update');
    assert.deepEqual(
      (await calls()).map((line) => [line.includes('Dir::State::Lists='), line.split(' ').at(-1)]),
      [
        [false, 'tool-package'],
        [true, 'update'],
        [true, 'tool-package'],
      ],
    );
  });

  it('says why not, and what to do, and leaves nothing behind', async () => {
    await assert.rejects(install('knows nothing'), /could not be downloaded.*no network.*put a tool on PATH/s);
    assert.deepEqual(await readdir(join(directory.path, 'services/packages')), []);
  });

  it('says so where there is no apt-get', async () => {
    await assert.rejects(
      install('absent'),
      /package of Debian or Ubuntu, and there is no apt-get here.*put a tool on/s,
    );
  });
});
