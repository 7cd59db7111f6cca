// Packages of the Debian or Ubuntu that this machine runs. apt checks what it downloads by the signatures of the
// distribution, so there are no checksums here; nothing is installed into the system and no root needed.
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InstallFailure } from './failure.mjs';
import { lastLines, run } from './run.mjs';

/** The packages `name=version` that an installation would bring; those that it would only upgrade are left out. */
function newPackages(simulation) {
  return [...simulation.matchAll(/^Inst (\S+) \((\S+)/gm)].map(([, name, version]) => `${name}=${version}`);
}

/** Refuses a machine without apt. */
export async function requireApt(service, signal) {
  const version = await run('apt-get', ['--version'], { signal });
  if (version.code === 0) return;
  throw new InstallFailure(`${service.title} comes as a package of Debian or Ubuntu, and there is no apt-get here.`, [
    ...service.byHand,
  ]);
}

/**
 * Downloads packages below `staging`.
 *
 * @param names what to download
 * @param withMissing when given, what these need is downloaded too, unless the machine has it: `{ options, skip,
 *   always }`, options of apt-get, the packages that are not wanted, and those that are even when the machine has them
 * @returns the paths of the packages
 * @throws InstallFailure when one cannot be had
 */
export async function downloadPackages(service, names, staging, { signal, withMissing }) {
  const downloads = join(staging, 'downloads');
  await mkdir(join(staging, 'lists', 'partial'), { recursive: true });
  await mkdir(downloads);
  const apt = (...args) =>
    run('apt-get', ['-q', '-o', 'APT::Sandbox::User=root', ...args], { cwd: downloads, signal, env: { LC_ALL: 'C' } });
  const download = async (lists) => {
    if (withMissing === undefined) return apt(...lists, 'download', ...names);
    const { options = [], skip, always = [] } = withMissing;
    const simulation = await apt(...lists, ...options, '--simulate', '--no-install-recommends', 'install', ...names);
    if (simulation.code !== 0) return simulation;
    const missing = newPackages(simulation.stdout).filter(
      (name) => !skip.test(name) && !always.includes(name.slice(0, name.indexOf('='))),
    );
    return apt(...lists, 'download', ...always, ...missing);
  };
  let result = await download([]);
  if (result.code !== 0) {
    // The machine's own lists are missing or old: others, beside them.
    const own = ['-o', `Dir::State::Lists=${join(staging, 'lists')}`, '-o', `Dir::Cache=${join(staging, 'cache')}`];
    const update = await apt(...own, 'update');
    result = update.code === 0 ? await download(own) : update;
  }
  const files = (await readdir(downloads)).filter((entry) => entry.endsWith('.deb')).sort();
  if (result.code !== 0 || files.length === 0) {
    const what = names.length === 1 ? `The package ${names[0]}` : `The packages ${names.join(', ')}`;
    throw new InstallFailure(
      `${what} could not be downloaded. apt-get says:\n${lastLines(result.stderr || result.stdout)}`,
      ['check the network and the sources of apt, and run this again', ...service.byHand],
    );
  }
  return files.map((file) => join(downloads, file));
}

/** Unpacks downloaded packages into one directory, over one another. */
export async function unpackPackages(service, files, directory, { signal }) {
  for (const file of files) {
    const unpack = await run('dpkg-deb', ['-x', file, directory], { signal });
    if (unpack.code === 0) continue;
    throw new InstallFailure(`${service.title} could not be unpacked. dpkg-deb says:\n${lastLines(unpack.stderr)}`, [
      ...service.byHand,
    ]);
  }
}
