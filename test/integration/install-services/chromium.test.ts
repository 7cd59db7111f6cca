import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installServices } from '../../../services/install-services.mjs';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

const execute = promisify(execFile);

/** Answers like Chromium to the question for its version, and shows how it was started. */
const fakeChromium = (version: string): string => `#!/bin/sh
case "$1" in
  --version) echo 'Chromium ${version}' ;;
  *) echo "fonts=$FONTCONFIG_FILE libraries=$LD_LIBRARY_PATH arguments=$*" ;;
esac
`;

describe('installing Chromium out of packages of the distribution', () => {
  let directory: TemporaryDirectory;
  let bin: string;
  const path = process.env['PATH'];

  beforeEach(async () => {
    directory = await temporaryDirectory();
    bin = join(directory.path, 'bin');
    await mkdir(bin);
    const commands = ['sh', 'cp', 'mkdir', 'cat', 'dirname', 'readlink'];
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

  /** Installs from packages with this version of the browser; null: with none. */
  async function install(version: string | null): Promise<string> {
    await program('real', fakeChromium(version ?? ''));
    await program(
      'apt-get',
      `#!/bin/sh
echo "$*" >> '${join(directory.path, 'log')}'
case "$*" in
  --version) echo apt 2.6 ;;
  *--simulate*) printf 'Inst xdg-utils (1.1 Debian)\\nInst libopus0 (1.3.1-3 Debian)\\nInst chromium-headless-shell (156.0 Debian)\\n' ;;
  *' download '*) echo > chromium-headless-shell_156_amd64.deb; echo > libopus0_1_amd64.deb ;;
esac
`,
    );
    const unpack = `case "$2" in
  *chromium*) mkdir -p "$3/usr/lib/chromium"; cp '${join(bin, 'real')}' "$3/usr/lib/chromium/chromium-headless-shell" ;;
  *) mkdir -p "$3/usr/lib/x86_64-linux-gnu/pulseaudio" ;;
esac`;
    await program('dpkg-deb', `#!/bin/sh\n${version === null ? 'mkdir -p "$3/usr"' : unpack}\n`);
    const { chromium } = await installServices(['chromium'], { directory: join(directory.path, 'services') });
    return chromium;
  }

  async function home(): Promise<string> {
    const packages = join(directory.path, 'services/packages');
    const [name = ''] = await readdir(packages);
    return join(packages, name);
  }

  it('downloads the browser and fonts even when the machine has them, and of the rest what it lacks', async () => {
    await install('156.0.8078.79');
    const calls = (await readFile(join(directory.path, 'log'), 'utf8')).split('\n');
    const own = 'chromium-headless-shell chromium-common fonts-dejavu-core';
    assert.deepEqual(
      calls.filter((call) => / (install|download) /.test(call)).map((call) => call.replace(/^.* (?=install|dow)/, '')),
      [`install ${own}`, `download ${own} libopus0=1.3.1-3`],
    );
  });

  it('starts it with its own libraries, and with its own fonts only', async () => {
    const chromium = await install('156.0.8078.79');
    const { stdout } = await execute(chromium, ['a b', 'c'], { env: { PATH: bin, LD_LIBRARY_PATH: '/other' } });
    const unpacked = await home();
    const libraries = `${unpacked}/usr/lib/x86_64-linux-gnu`;
    assert.equal(
      stdout,
      `fonts=${unpacked}/fonts.conf libraries=${libraries}:${unpacked}/lib/*-linux-gnu*:/other:${libraries}/pulseaudio arguments=a b c\n`,
    );
    assert.match(await readFile(join(unpacked, 'fonts.conf'), 'utf8'), /DejaVu Sans/);
  });

  it('keeps nothing of a browser that is too old, and says what to do', async () => {
    await assert.rejects(
      install('119.0.1'),
      /does not run here. It says:\n +Chromium 119\.0\.1.*on Debian 12 or newer/s,
    );
    assert.deepEqual(await readdir(join(directory.path, 'services/packages')), []);
  });

  it('says so when the packages hold no browser', async () => {
    await assert.rejects(install(null), /hold no browser where it is expected.*on Debian 12 or newer/s);
  });
});
