// `npm run test:image`: builds the image, runs it and deploy/compose. Needs a Docker engine, and for the latter Docker
// Compose; base images and servers are made here (docs/image.md), so no registry of images is asked.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from './image/build.mjs';
import { DockerFailure, dockerOutput, requireEngine } from './image/docker.mjs';

const timeoutMs = String(20 * 60_000);
const mocha = join(root, 'node_modules/mocha/bin/mocha.js');

async function main() {
  try {
    process.stdout.write(`Docker ${await requireEngine()}\n`);
    const files = process.argv.slice(2);
    const args = ['--timeout', timeoutMs, ...(files.length > 0 ? files : ['test/image/**/*.test.ts'])];
    const child = spawn(process.execPath, [mocha, ...args], {
      cwd: root,
      env: {
        TESTCONTAINERS_HOST_OVERRIDE: '127.0.0.1', // an engine on this machine, whose ports may be on the loopback only
        ...process.env,
        TESTCONTAINERS_RYUK_DISABLED: 'true', // it would have to be pulled; what is left behind is removed below
      },
      stdio: 'inherit',
    });
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill(signal));
    const [code] = await once(child, 'close');
    return code === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof DockerFailure)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  } finally {
    await removeLeftovers();
  }
}

async function removeLeftovers() {
  const left = await dockerOutput(['ps', '--all', '--quiet', '--filter', 'label=postern-test']).catch(() => '');
  if (left !== '') await dockerOutput(['rm', '--force', ...left.split('\n')]);
}

process.exitCode = await main();
