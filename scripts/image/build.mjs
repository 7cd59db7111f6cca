// Builds the image of this working tree.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { docker, DockerFailure, dockerOutput, requireEngine } from './docker.mjs';

/** The top of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The version of package.json, which is the tag of the image. */
export function readVersion() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

/**
 * What goes into the labels and times of an image: `{ version, revision, created, epochSeconds }`. They come from the
 * commit (or SOURCE_DATE_EPOCH), never from the clock, so that a second build says the same.
 */
export function describeSource(environment = process.env) {
  const commit = git('rev-parse', 'HEAD');
  const isChanged = commit !== null && git('status', '--porcelain') !== '';
  const given = environment.SOURCE_DATE_EPOCH ?? '';
  if (given !== '' && !/^\d{1,11}$/.test(given)) {
    throw new DockerFailure(`SOURCE_DATE_EPOCH must be seconds since 1970, not "${given}".`);
  }
  const epochSeconds = Number(given || (git('log', '-1', '--format=%ct') ?? '0'));
  return {
    version: readVersion(),
    revision: commit === null ? 'unknown' : `${commit}${isChanged ? '-changed' : ''}`,
    created: new Date(epochSeconds * 1000).toISOString().replace('.000Z', 'Z'),
    epochSeconds,
  };
}

/** The arguments of `docker build` for these choices. */
export function buildArguments({ tags, buildImage, runImage, network, noCache }, source) {
  const values = {
    ...(buildImage === undefined ? {} : { BUILD_IMAGE: buildImage }),
    ...(runImage === undefined ? {} : { RUN_IMAGE: runImage }),
    SOURCE_DATE_EPOCH: String(source.epochSeconds),
    VERSION: source.version,
    REVISION: source.revision,
    CREATED: source.created,
  };
  return [
    'build',
    ...tags.flatMap((tag) => ['--tag', tag]),
    ...Object.entries(values).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    ...(network === undefined ? [] : ['--network', network]),
    ...(noCache ? ['--no-cache'] : []),
    root,
  ];
}

/**
 * Builds the image and gives `{ tag, bytes, seconds, source }`.
 *
 * @throws DockerFailure without Docker, or when the build fails
 */
export async function buildImage(choices) {
  await requireEngine();
  const source = describeSource();
  const tags = choices.tags?.length > 0 ? choices.tags : [`postern:${source.version}`];
  const start = performance.now();
  const { code } = await docker(buildArguments({ ...choices, tags }, source), { shown: true });
  if (code !== 0) {
    throw new DockerFailure('The image was not built; docker says why above.', [
      'a base image cannot be pulled: name ones that can be had with --build-image and --run-image, or make them here with --local-base',
      'npm ci cannot reach the registry from within the build: --network host; behind a private CA see docs/image.md',
    ]);
  }
  const bytes = Number(await dockerOutput(['image', 'inspect', '--format', '{{.Size}}', tags[0]]));
  return { tag: tags[0], bytes, seconds: (performance.now() - start) / 1000, source };
}
