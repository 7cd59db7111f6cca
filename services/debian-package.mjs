// Programs out of a package of the Debian or Ubuntu that this machine runs. apt checks what it downloads by the
// signatures of the distribution, so there is no checksum here; nothing is installed into the system and no root needed.
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InstallFailure } from './failure.mjs';
import { lastLines, run } from './run.mjs';

/**
 * Downloads the package of a service and unpacks it below `staging`.
 *
 * @returns the directory to keep and the path of the program in it
 */
export async function unpackDebianPackage(service, staging, { signal, onProgress }) {
  const { name, program } = service.source;
  const version = await run('apt-get', ['--version'], { signal });
  if (version.code !== 0) {
    throw new InstallFailure(`${service.title} comes as a package of Debian or Ubuntu, and there is no apt-get here.`, [
      ...service.byHand,
    ]);
  }
  onProgress({ phase: 'downloading' });
  const downloads = join(staging, 'downloads');
  await mkdir(join(staging, 'lists', 'partial'), { recursive: true });
  await mkdir(downloads);
  const own = ['-o', `Dir::State::Lists=${join(staging, 'lists')}`, '-o', `Dir::Cache=${join(staging, 'cache')}`];
  const download = (options) =>
    run('apt-get', ['-q', '-o', 'APT::Sandbox::User=root', ...options, 'download', name], { cwd: downloads, signal });
  let result = await download([]);
  if (result.code !== 0) {
    // The machine's own lists are missing or old: others, beside them.
    const update = await run('apt-get', ['-q', '-o', 'APT::Sandbox::User=root', ...own, 'update'], { signal });
    result = update.code === 0 ? await download(own) : update;
  }
  const [file] = (await readdir(downloads)).filter((entry) => entry.endsWith('.deb'));
  if (result.code !== 0 || file === undefined) {
    throw new InstallFailure(
      `The package ${name} could not be downloaded. apt-get says:\n${lastLines(result.stderr || result.stdout)}`,
      ['check the network and the sources of apt, and run this again', ...service.byHand],
    );
  }
  onProgress({ phase: 'unpacking' });
  const directory = join(staging, 'unpacked');
  const unpack = await run('dpkg-deb', ['-x', join(downloads, file), directory], { signal });
  if (unpack.code !== 0) {
    throw new InstallFailure(`The package ${name} could not be unpacked. dpkg-deb says:\n${lastLines(unpack.stderr)}`, [
      ...service.byHand,
    ]);
  }
  return { directory, program };
}
