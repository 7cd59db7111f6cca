import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installServices } from '../../../services/install-services.mjs';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

const execute = promisify(execFile);

/** What the packages hold: a whole PHP, one that lacks an extension, or no PHP. */
type Packages = 'whole' | 'without curl' | 'empty';

/** Answers like PHP to the question what it has, and shows how it was started. */
const fakePhp = (lacks: string): string => `#!/bin/sh
case "$1" in
  -r) echo '8.2.36 lacks: ${lacks}.' ;;
  *) echo "ini=$PHPRC scan=[$PHP_INI_SCAN_DIR] libraries=$LD_LIBRARY_PATH arguments=$*" ;;
esac
`;

describe('installing PHP out of packages of the distribution', () => {
  let directory: TemporaryDirectory;
  let bin: string;
  const path = process.env['PATH'];

  beforeEach(async () => {
    directory = await temporaryDirectory();
    bin = join(directory.path, 'bin');
    await mkdir(bin);
    const commands = ['sh', 'cp', 'mkdir', 'cat', 'chmod', 'dirname', 'readlink', 'grep'];
    for (const command of commands) await symlink(`/bin/${command}`, join(bin, command));
    process.env['PATH'] = bin;
  });
  afterEach(async () => {
    process.env['PATH'] = path;
    await directory[Symbol.asyncDispose]();
  });

  async function program(name: string, text: string): Promise<void> {
    await writeFile(join(bin, name), text);
    await chmod(join(bin, name), 0o755);
  }

  async function install(packages: Packages): Promise<string> {
    await program('real-php', fakePhp(packages === 'without curl' ? 'curl' : ''));
    await program(
      'apt-get',
      `#!/bin/sh
echo "$*" >> '${join(directory.path, 'log')}'
case "$*" in
  --version) echo apt 2.6 ;;
  *--simulate*) printf 'Inst libc6 [2.36-1] (2.36-9 Debian)\\nInst php8.2-cli (8.2.36-1 Debian)\\nInst libjs-d3 (3.5 Debian)\\nInst phpunit (9.6.7-1 Debian)\\n' ;;
  *' download '*) echo > php8.2-cli_8.2_amd64.deb; echo > phpunit_9_all.deb ;;
esac
`,
    );
    const unpackPhp = `case "$2" in *php8.2-cli*)
  mkdir -p "$3/usr/bin" "$3/usr/lib/php/20220829" "$3/usr/lib/x86_64-linux-gnu"
  cp '${join(bin, 'real-php')}' "$3/usr/bin/php8.2"
  for name in dom curl xml; do echo > "$3/usr/lib/php/20220829/$name.so"; done ;;
esac`;
    await program('dpkg-deb', `#!/bin/sh\n${packages === 'empty' ? 'mkdir -p "$3/usr"' : unpackPhp}\n`);
    const { php } = await installServices(['php'], { directory: join(directory.path, 'services') });
    return php;
  }

  it('downloads what the machine lacks, and neither upgrades nor pages for browsers', async () => {
    await install('whole');
    const calls = (await readFile(join(directory.path, 'log'), 'utf8')).split('\n');
    const [simulation, download] = calls.filter((call) => / (install|download) /.test(call));
    assert.match(simulation ?? '', / --simulate --no-install-recommends install php-cli .*php-guzzlehttp-guzzle/);
    assert.match(download ?? '', / download php8\.2-cli=8\.2\.36-1 phpunit=9\.6\.7-1$/);
  });

  it('loads the extensions that are there, each after those that it needs', async () => {
    await install('whole');
    const home = dirname(await installedPath());
    const settings = await readFile(join(home, 'php.ini'), 'utf8');
    assert.deepEqual(settings.match(/(?<=^extension = ).*/gm), ['curl', 'xml', 'dom']);
    assert.match(settings, /^extension_dir = "\$\{POSTERN_PHP_HOME\}\/usr\/lib\/php\/20220829"$/m);
  });

  async function installedPath(): Promise<string> {
    const packages = join(directory.path, 'services/packages');
    const [name = ''] = await readdir(packages);
    return join(packages, name, 'php');
  }

  it('starts PHP through the link, with its own settings and libraries only', async () => {
    const php = await install('whole');
    const home = dirname(await installedPath());
    const { stdout } = await execute(php, ['a b', 'c'], { env: { PATH: bin, LD_LIBRARY_PATH: '/other' } });
    assert.equal(
      stdout,
      `ini=${home} scan=[] libraries=${home}/usr/lib/x86_64-linux-gnu:${home}/lib/*-linux-gnu*:/other arguments=a b c\n`,
    );
  });

  it('starts PHPUnit and Composer with this PHP', async () => {
    await install('whole');
    const home = dirname(await installedPath());
    for (const tool of ['phpunit', 'composer']) {
      const { stdout } = await execute(join(home, tool), ['--quiet'], { env: { PATH: bin } });
      assert.match(stdout, new RegExp(`arguments=${home}/usr/bin/${tool} --quiet\n$`));
    }
  });

  it('takes a complete PHP of the machine', async () => {
    await program('php', fakePhp(''));
    const php = await install('whole');
    assert.match((await execute(php, ['x'], { env: { PATH: bin } })).stdout, /^ini= .*arguments=x/);
    await assert.rejects(installedPath().then(readFile), { code: 'ENOENT' });
  });

  it('takes no PHP of the machine that lacks an extension', async () => {
    await program('php', fakePhp('mbstring'));
    await install('whole');
    assert.match(await readFile(await installedPath(), 'utf8'), /usr\/bin\/php8\.2/);
  });

  it('keeps nothing when the PHP of the packages is not complete, and says what it lacks', async () => {
    await assert.rejects(install('without curl'), /does not run here.*8\.2\.36 lacks: curl\..*put a php, 8\.1/s);
    assert.deepEqual(await readdir(join(directory.path, 'services/packages')), []);
  });

  it('says so when the packages hold no PHP', async () => {
    await assert.rejects(install('empty'), /hold no PHP where it is expected.*put a php, 8\.1/s);
  });
});
