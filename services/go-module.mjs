// Programs that are built from a Go module: the pinned checksum of the module covers its go.sum, and `-mod=readonly`
// holds the build to that file, so every line that is compiled is pinned.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InstallFailure } from './failure.mjs';
import { lastLines, run } from './run.mjs';

/**
 * Builds the program of a service below `staging`.
 *
 * @returns the directory to keep and the path of the program in it
 */
export async function buildGoModule(service, staging, { signal, onProgress }) {
  const { module, release, sum, minGo } = service.source;
  const version = await run('go', ['version'], { signal });
  if (version.code !== 0) {
    throw new InstallFailure(`The ${service.title} could not be installed: it is built with Go, and Go is missing.`, [
      `install Go ${minGo} or newer and run this again`,
    ]);
  }
  onProgress({ phase: 'downloading' });
  const env = { CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' };
  const download = await run('go', ['mod', 'download', '-json', `${module}@${release}`], { cwd: staging, env, signal });
  if (download.code !== 0) {
    throw new InstallFailure(
      `The ${service.title} could not be downloaded. Go says:\n${lastLines(download.stdout + download.stderr)}`,
      ['check the network and the settings of Go (go env GOPROXY GOSUMDB), and run this again'],
    );
  }
  const found = JSON.parse(download.stdout);
  if (found.Sum !== sum) {
    throw new InstallFailure(`The ${service.title} was refused: its checksum is not the one that is pinned here.`, [
      'a module proxy may serve another module; nothing of it was kept',
    ]);
  }
  onProgress({ phase: 'building' });
  const directory = join(staging, 'built');
  await mkdir(directory);
  const build = await run(
    'go',
    // biome-ignore format: one option per line hides the command
    ['build', '-mod=readonly', '-trimpath', '-buildvcs=false', '-ldflags=-s -w -buildid=', '-o', join(directory, service.command), service.source.package],
    { cwd: found.Dir, env, signal },
  );
  if (build.code !== 0) {
    throw new InstallFailure(`The ${service.title} could not be built. Go says:\n${lastLines(build.stderr)}`, [
      `it needs Go ${minGo} or newer (go version) and the modules it is made of`,
    ]);
  }
  return { directory, program: service.command };
}
