// Programs out of a package of the Debian or Ubuntu that this machine runs.
import { join } from 'node:path';
import { downloadPackages, requireApt, unpackPackages } from './apt.mjs';

/**
 * Downloads the package of a service and unpacks it below `staging`.
 *
 * @returns the directory to keep and the path of the program in it
 */
export async function unpackDebianPackage(service, staging, { signal, onProgress }) {
  const { name, program } = service.source;
  await requireApt(service, signal);
  onProgress({ phase: 'downloading' });
  const files = await downloadPackages(service, [name], staging, { signal });
  onProgress({ phase: 'unpacking' });
  const directory = join(staging, 'unpacked');
  await unpackPackages(service, files, directory, { signal });
  return { directory, program };
}
