import assert from 'node:assert/strict';
import { chmod, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { type StartedTestContainer } from 'testcontainers';
import { dockerOutput } from '../../scripts/image/docker.mjs';
import { readVersion } from '../../scripts/image/build.mjs';
import { projectRoot } from '../support/docs/documents.ts';
import { askPostern } from '../support/image/ask.ts';
import { buildTestImage, testImage } from '../support/image/built-image.ts';
import { exitCodeAfterStop, startHardened } from '../support/image/hardened-container.ts';
import { readImageTree, type TreeEntry } from '../support/image/image-tree.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../support/lifetime/temporary-directory.ts';

interface Configuration {
  readonly User: string;
  readonly WorkingDir: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
  readonly Healthcheck?: unknown;
}

before(buildTestImage);

describe('a container of the image, read-only, without capabilities', () => {
  let directory: TemporaryDirectory;
  let container: StartedTestContainer;
  before(async () => {
    directory = await temporaryDirectory();
    await chmod(directory.path, 0o755); // the container's user is another one
    await cp(join(projectRoot, 'examples/demo/postern.yaml'), join(directory.path, 'postern.yaml'));
    container = await startHardened(testImage, directory.path);
  });
  after(async () => {
    await container.stop();
    await directory[Symbol.asyncDispose]();
  });
  const address = (port: number): string => `${container.getHost()}:${String(container.getMappedPort(port))}`;

  it('is healthy and decides, over gRPC', async () => {
    const asked = askPostern(address(9001));
    try {
      assert.equal(await asked.isServing(), true);
      assert.deepEqual(await asked.check({ path: '/orders?appKey=acme-demo-key' }), { code: 0, httpStatus: null });
      assert.equal((await asked.check({ path: '/orders?appKey=acme-old-demo-key' })).httpStatus, 401);
    } finally {
      asked.close();
    }
  });

  it('answers on its other ports', async () => {
    const ready = await fetch(`http://${address(9003)}/readyz`);
    assert.equal(`${String(ready.status)} ${(await ready.text()).trim()}`, '200 ready');
    const metadata = await fetch(`http://${address(9002)}/.well-known/oauth-authorization-server`);
    assert.equal(metadata.status, 200);
  });

  it('runs one process, as user 65532', async () => {
    const [, ...processes] = (await dockerOutput(['top', container.getId(), '-o', 'pid,uid,gid,args'])).split('\n');
    assert.equal(processes.length, 1);
    assert.match(processes[0] ?? '', /^ *\d+ +65532 +65532 +\S*node dist\/main\.js serve$/);
  });

  it('has no shell to run something else', async () => {
    for (const shell of ['/bin/sh', '/bin/bash', '/busybox/sh']) {
      await assert.rejects(dockerOutput(['exec', container.getId(), shell, '-c', 'true']), /no such file|not found/i);
    }
  });

  it('ends in order on SIGTERM, with exit code 0', async () => {
    assert.equal(await exitCodeAfterStop(container), 0);
  });
});

describe('the image', () => {
  let tree: readonly TreeEntry[];
  let configuration: Configuration;
  before(async () => {
    tree = await readImageTree(testImage);
    configuration = JSON.parse(
      await dockerOutput(['image', 'inspect', '--format', '{{json .Config}}', testImage]),
    ) as Configuration;
  });
  const find = (pattern: RegExp): readonly string[] =>
    tree.map(({ path }) => path).filter((path) => pattern.test(path));

  it('is the postern command', async () => {
    const postern = (...args: readonly string[]): Promise<string> =>
      dockerOutput(['run', '--rm', '--read-only', '--cap-drop', 'ALL', testImage, 'dist/main.js', ...args]);
    assert.equal(await postern('--version'), readVersion());
    await assert.rejects(postern('doctor'), /file:postern.yaml/);
    await assert.rejects(postern('demo', '--once'), /nothing can be installed here/);
    assert.match(await postern('config'), /POSTERN_GRPC_ADDRESS +0\.0\.0\.0:9001/);
  });

  it('says what it is, and how it runs', () => {
    assert.equal(configuration.User, '65532:65532');
    assert.equal(configuration.WorkingDir, '/app');
    assert.match(configuration.Entrypoint.join(' '), /^\S*node$/);
    assert.deepEqual(configuration.Cmd, ['dist/main.js', 'serve']);
    assert.equal(configuration.Healthcheck, undefined);
    const label = (name: string): string | undefined => configuration.Labels[`org.opencontainers.image.${name}`];
    assert.equal(label('version'), readVersion());
    assert.match(label('revision') ?? '', /^[0-9a-f]{40}(-changed)?$/);
    assert.match(label('created') ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  it('holds no shell, no package manager and no program that makes its user another one', () => {
    assert.deepEqual(find(/(^|\/)(sh|bash|dash|ash|busybox|apt|apt-get|dpkg|apk|npm|npx|yarn|su|sudo)$/), []);
    assert.deepEqual(
      tree.filter(({ mode }) => /^-..[sS]|^-.{5}[sS]/.test(mode)).map(({ path }) => path),
      [],
    );
  });

  it('holds no dependency of development, no source, no cache and no secret', () => {
    for (const name of ['typescript', 'mocha', 'eslint', 'testcontainers', '@bufbuild/buf', 'tsx']) {
      assert.deepEqual(find(new RegExp(`node_modules/${name}/package\\.json$`)), [], name);
    }
    assert.deepEqual(find(/^app\/(src|test|bench|docs|\.git|\.services)(\/|$)/), []);
    assert.deepEqual(
      find(/(^|\/)(\.npm|\.npmrc|\.env|_cacache|\.cache)(\/|$)/).filter((path) => !path.includes('node_modules')),
      [],
    );
    // The public key ring of the demo on Kubernetes is the only one, and says so.
    assert.deepEqual(find(/^app\/(?!node_modules).*(keyring.*\.yaml|\.pem|\.key)$/), [
      'app/deploy/overlays/demo/keyring.yaml',
    ]);
  });

  it('belongs to root, but for the folder of the volume', () => {
    const foreign = tree.filter(({ path, owner }) => path.startsWith('app/') && owner !== '0/0');
    assert.deepEqual(foreign, []);
    const [state] = tree.filter(({ path }) => path === 'var/lib/postern/');
    assert.equal(`${String(state?.mode)} ${String(state?.owner)}`, 'drwxr-xr-x 65532/65532');
  });

  it('carries its bill of materials, and the licences of what it holds', () => {
    assert.deepEqual(find(/^app\/sbom\.cdx\.json$/), ['app/sbom.cdx.json']);
    assert.ok(find(/^app\/node_modules\/.*\/licen[cs]e/i).length > 50);
  });

  it('adds less than 60 MB to its base', async () => {
    const bytes = async (image: string): Promise<number> =>
      Number(await dockerOutput(['image', 'inspect', '--format', '{{.Size}}', image]));
    const base = configuration.Labels['org.opencontainers.image.base.name'] ?? '';
    assert.ok((await bytes(testImage)) - (await bytes(base)) < 60e6);
  });
});
