// Programs whose own module replaces others, so that Go does not build them from outside: a module here requires them, with
// every replacement, and its committed go.sum pins all that is compiled.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InstallFailure } from './failure.mjs';
import { lastLines, run } from './run.mjs';

/**
 * Builds the program of a service below `staging`, from the module in `go/WORKSPACE` beside this file.
 *
 * @returns the directory to keep and the path of the program in it
 */
export async function buildGoWorkspace(service, staging, { signal, onProgress }) {
  const { workspace, package: name, minGo, variables = {} } = service.source;
  const version = await run('go', ['version'], { signal });
  if (version.code !== 0) {
    throw new InstallFailure(`The ${service.title} could not be installed: it is built with Go, and Go is missing.`, [
      `install Go ${minGo} or newer and run this again`,
    ]);
  }
  onProgress({ phase: 'building' });
  const directory = join(staging, 'built');
  await mkdir(directory);
  const flags = Object.entries(variables).map(([variable, value]) => ` -X ${variable}=${value}`);
  const build = await run(
    'nice', // it takes minutes of every core
    // biome-ignore format: one option per line hides the command
    ['-n', '10', 'go', 'build', '-mod=readonly', '-trimpath', '-buildvcs=false', `-ldflags=-s -w -buildid=${flags.join('')}`, '-o', join(directory, service.command), name],
    {
      cwd: fileURLToPath(new URL(`go/${workspace}`, import.meta.url)),
      env: { CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' },
      signal,
    },
  );
  if (build.code !== 0) {
    throw new InstallFailure(`The ${service.title} could not be built. Go says:\n${lastLines(build.stderr)}`, [
      `it needs Go ${minGo} or newer (go version), 4 GB for the modules it is made of, and the network for them`,
    ]);
  }
  return { directory, program: service.command };
}
