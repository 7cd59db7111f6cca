// `npm run image`: builds the container image of this working tree. docs/image.md
import { runCommand } from './command.mjs';
import { buildImage } from './image/build.mjs';
import { DockerFailure } from './image/docker.mjs';
import { makeBaseImages } from './image/local-base.mjs';

const usage = `Usage: npm run image -- [OPTION …]

Builds the image postern:VERSION of this working tree with Docker.

  --tag NAME[:TAG]      another name; may be given several times
  --build-image IMAGE   what it is built in: Node with npm, sh and find  (node:24-trixie-slim)
  --run-image IMAGE     what it runs on: Node as its entry point  (gcr.io/distroless/nodejs24-debian13:nonroot)
  --local-base          makes both of those here, from npm and Debian packages, where no registry of images can be
                        reached: needs npm, ldd and mmdebstrap
  --network NAME        the network of the build, such as host
  --no-cache            builds every step again
  --help                prints this text

Exit codes: 0 built · 1 it cannot be built · 2 usage
`;

await runCommand({
  usage,
  options: {
    tag: { type: 'string', multiple: true, default: [] },
    'build-image': { type: 'string' },
    'run-image': { type: 'string' },
    'local-base': { type: 'boolean', default: false },
    network: { type: 'string' },
    'no-cache': { type: 'boolean', default: false },
  },
  Failure: DockerFailure,
  run: async (options) => {
    const base = options['local-base'] ? await makeBaseImages() : {};
    const { tag, bytes, seconds, source } = await buildImage({
      tags: options.tag,
      buildImage: options['build-image'] ?? base.buildImage,
      runImage: options['run-image'] ?? base.runImage,
      network: options.network,
      noCache: options['no-cache'],
    });
    process.stdout.write(
      `\n${tag}  ${(bytes / 1e6).toFixed(0)} MB, ${seconds.toFixed(0)} s, revision ${source.revision.slice(0, 12)}, dated ${source.created}\n` +
        `Try it:  docker run --rm ${tag} dist/main.js --help\n` +
        `         npm run compose\n`,
    );
  },
});
