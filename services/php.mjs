// PHP with extensions and libraries, out of packages of the Debian or Ubuntu that this machine runs, unpacked beside a
// script that starts PHP with them. Nothing of the machine's own PHP is changed or used.
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadPackages, requireApt, unpackPackages } from './apt.mjs';
import { InstallFailure } from './failure.mjs';
import { setLibraryPath } from './unpacked-program.mjs';

/** What apt knows as installed. */
const dpkgStatus = '/var/lib/dpkg/status';

/** Packages of PHP, which are unpacked even when the machine has them: a part of them would not find the others. */
const ofPhp = /^Package: (?:php|phpunit|composer|jsonlint)[\w.+-]*$/m;

/** Extensions in an order in which each finds those that it needs. */
const extensionNames = [
  ...['ctype', 'curl', 'fileinfo', 'iconv', 'intl', 'mbstring', 'phar', 'posix', 'sockets', 'tokenizer', 'zip'],
  ...['xml', 'dom', 'simplexml', 'xmlreader', 'xmlwriter'],
];

/** Finds everything beside itself, also through a link; PHP's own child processes inherit it. */
const interpreter = (program) => `#!/bin/sh
POSTERN_PHP_HOME=$(dirname -- "$(readlink -f -- "$0")")
PHPRC=$POSTERN_PHP_HOME
PHP_INI_SCAN_DIR=
${setLibraryPath('$POSTERN_PHP_HOME')}
export POSTERN_PHP_HOME PHPRC PHP_INI_SCAN_DIR LD_LIBRARY_PATH
exec "$POSTERN_PHP_HOME/usr/bin/${program}" "$@"
`;

const tool = (name) => `#!/bin/sh
here=$(dirname -- "$(readlink -f -- "$0")")
exec "$here/php" "$here/usr/bin/${name}" "$@"
`;

const settings = (folder, extensions) => `; Written by scripts/install-services.
extension_dir = "\${POSTERN_PHP_HOME}/usr/lib/php/${folder}"
include_path = ".:\${POSTERN_PHP_HOME}/usr/share/php"
display_errors = stderr
error_reporting = -1
memory_limit = -1
${extensions.map((name) => `extension = ${name}\n`).join('')}`;

async function entries(directory) {
  return readdir(directory).catch(() => []);
}

/** The list of installed packages without those of PHP. */
async function statusWithoutPhp(staging) {
  const status = await readFile(dpkgStatus, 'utf8').catch(() => '');
  const file = join(staging, 'status');
  await writeFile(
    file,
    status
      .split(/\n\n+/)
      .filter((paragraph) => !ofPhp.test(paragraph))
      .join('\n\n'),
  );
  return file;
}

/**
 * Downloads the packages of a service and what they need and the machine lacks, and unpacks them below `staging`, with the
 * scripts `php`, `phpunit` and `composer`.
 *
 * @returns the directory to keep and the path of the program in it
 */
export async function unpackPhp(service, staging, { signal, onProgress }) {
  await requireApt(service, signal);
  onProgress({ phase: 'downloading' });
  const options = ['-o', `Dir::State::status=${await statusWithoutPhp(staging)}`];
  // What PHPUnit's reports for browsers and PHP's prompt need.
  const withMissing = { options, skip: /^libjs-|-readline=/ };
  const files = await downloadPackages(service, service.source.packages, staging, { signal, withMissing });

  onProgress({ phase: 'unpacking' });
  const directory = join(staging, 'unpacked');
  await mkdir(directory);
  await unpackPackages(service, files, directory, { signal });
  const program = (await entries(join(directory, 'usr/bin'))).find((name) => /^php\d+\.\d+$/.test(name));
  const modules = join(directory, 'usr/lib/php');
  const folder = (await entries(modules)).find((name) => /^\d{8}$/.test(name));
  if (program === undefined || folder === undefined) {
    throw new InstallFailure(
      `${service.title} could not be installed: its packages hold no PHP where it is expected.`,
      [...service.byHand],
    );
  }
  const found = new Set(await entries(join(modules, folder)));
  const extensions = extensionNames.filter((name) => found.has(`${name}.so`));
  await writeFile(join(directory, 'php.ini'), settings(folder, extensions));
  await writeFile(join(directory, 'php'), interpreter(program));
  for (const name of ['phpunit', 'composer']) {
    await writeFile(join(directory, name), tool(name));
    await chmod(join(directory, name), 0o755);
  }
  return { directory, program: 'php' };
}
