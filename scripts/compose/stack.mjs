// Runs deploy/compose/compose.yaml.
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { buildImage, readVersion, root } from '../image/build.mjs';
import { docker, DockerFailure, requireEngine } from '../image/docker.mjs';
import { isThere } from '../image/local-base.mjs';

const file = join(root, 'deploy/compose/compose.yaml');
const patienceMs = 120_000;

/** Makes sure that an engine and Docker Compose 2 or newer answer. */
export async function requireCompose() {
  await requireEngine();
  const { code, stdout } = await docker(['compose', 'version', '--short']);
  const version = stdout.trim().replace(/^v/, '');
  if (code === 0 && Number(version.split('.')[0]) >= 2) return version;
  throw new DockerFailure('Docker Compose 2 or newer is missing ("docker compose version" fails).', [
    'Debian, Ubuntu: apt-get install docker-compose-plugin (of Docker) or docker-compose-v2 (of Ubuntu); else https://docs.docker.com/compose/install/',
  ]);
}

/** Runs `docker compose` with these arguments, shown; rejects with DockerFailure when it fails. */
export async function compose(args, { env = {} } = {}) {
  const { code } = await docker(['compose', '--file', file, ...args], { shown: true, env });
  if (code !== 0) throw new DockerFailure(`docker compose ${args[0]} failed; it says why above.`);
}

/**
 * Builds the image when it is missing, starts everything, and waits until Envoy lets a request through. Gives its
 * address.
 */
export async function startStack({ env = {}, build = {} } = {}) {
  const image = env.IMAGE_POSTERN ?? process.env.IMAGE_POSTERN ?? `postern:${readVersion()}`;
  if (!(await isThere(image))) await buildImage({ tags: [image], ...build });
  await compose(['up', '--detach', '--no-build'], { env });
  const address = `http://127.0.0.1:${env.PORT_ENVOY ?? process.env.PORT_ENVOY ?? '10000'}`;
  const deadline = performance.now() + patienceMs;
  for (;;) {
    if ((await statusOf(`${address}/status`)) === 200) return address;
    if (performance.now() > deadline) {
      throw new DockerFailure('It runs, and after two minutes still answers nothing.', [
        'npm run compose -- ps --all',
        'npm run compose -- logs',
      ]);
    }
    await setTimeout(500);
  }
}

/** Where the management API and the console are. */
export function manageAddress() {
  return `http://127.0.0.1:${process.env.PORT_MANAGE ?? '9004'}`;
}

/** The status of a page; null without an answer within two seconds. */
function statusOf(url) {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(null)); // not listening yet
  });
}
