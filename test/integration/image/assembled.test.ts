import assert from 'node:assert/strict';
import { cp, readdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { type Child, startChild } from '../../support/process/child-process.ts';
import { projectRoot, readDocument } from '../../support/docs/documents.ts';
import { askPostern } from '../../support/image/ask.ts';
import { type AssembledTree, assembleTree } from '../../support/image/assemble-tree.ts';
import { readDockerfile } from '../../support/image/dockerfile.ts';
import { release } from '../../support/lifetime/release.ts';

/** Names of packages in `import … from 'name'` and `import('name')`, as the compiler writes them. */
const imports = /^(?:import|export)\s(?:[^;']*?\sfrom\s)?'([^'.][^']*)';|\bimport\('([^'.][^']*)'\)/gm;

describe('the files of the image', function () {
  this.timeout(120_000); // npm installs, on machines with other work
  let tree: AssembledTree | undefined;
  before(async () => {
    tree = await assembleTree(readDockerfile());
  });
  after(() => release(tree));
  const app = (): string => {
    assert.ok(tree);
    return tree.app;
  };
  const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Child> =>
    startChild({ command: process.execPath, args, env: { NODE_ENV: 'production', NODE_PATH: '', ...env }, cwd: app() });

  it('suffice to serve: healthy, decides, ends in order', async () => {
    await cp(join(projectRoot, 'examples/demo/postern.yaml'), join(app(), 'postern.yaml'));
    await using postern = await start(['dist/main.js', 'serve'], {
      POSTERN_GRPC_ADDRESS: '127.0.0.1:0',
      POSTERN_HTTP_ADDRESS: '127.0.0.1:0',
      POSTERN_ADMIN_ADDRESS: '127.0.0.1:0',
      POSTERN_SHUTDOWN_GRACE_SECONDS: '0',
    });
    const address = await postern.line('stdout', (line) => /"grpc":"([^"]+)".*"ready"/.exec(line)?.[1] ?? null);
    const asked = askPostern(address);
    try {
      assert.equal(await asked.isServing(), true);
      assert.deepEqual(await asked.check({ path: '/orders?appKey=acme-demo-key' }), { code: 0, httpStatus: null });
      assert.equal((await asked.check({ path: '/orders' })).httpStatus, 401);
    } finally {
      asked.close();
    }
    assert.deepEqual(await postern.stop(), { code: 0, signal: null });
  });

  it('suffice for commands, and for those that load more, as MongoDB', async () => {
    const { version } = JSON.parse(readDocument('package.json')) as { readonly version: string };
    await using shown = await start(['dist/main.js', '--version']);
    assert.deepEqual(await shown.ended, { code: 0, signal: null });
    assert.equal(shown.stdout().trim(), version);
    await using doctor = await start(['dist/main.js', 'doctor', '--store', 'mongodb://127.0.0.1:1/postern']);
    assert.deepEqual(await doctor.ended, { code: 5, signal: null });
    assert.match(doctor.stdout(), /✗ MongoDB/);
  });

  it('hold every package that the code imports, and nothing of what builds and tests it', async () => {
    const { dependencies, devDependencies } = JSON.parse(readDocument('package.json')) as Record<string, object>;
    const files = await readdir(join(app(), 'dist'), { recursive: true });
    const imported = new Set<string>();
    for (const file of files.filter((name) => name.endsWith('.js'))) {
      const text = await readFile(join(app(), 'dist', file), 'utf8');
      for (const [, quoted, lazy] of text.matchAll(imports)) {
        const name = quoted ?? lazy ?? '';
        if (!isBuiltin(name)) imported.add(/^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
      }
    }
    const named = Object.keys(dependencies ?? {});
    assert.ok(imported.size > 10);
    assert.deepEqual(
      [...imported].filter((name) => !named.includes(name)),
      [],
    );
    const installed = await readdir(join(app(), 'node_modules'), { recursive: true });
    for (const name of named) assert.ok(installed.includes(name), name);
    const lock = JSON.parse(readDocument('package-lock.json')) as { packages: Record<string, { dev?: boolean }> };
    // Some that tests import are dependencies of dependencies, too.
    const isForTests = (name: string): boolean => lock.packages[`node_modules/${name}`]?.dev === true;
    const forTests = Object.keys(devDependencies ?? {}).filter((name) => isForTests(name));
    assert.ok(forTests.length > 10);
    for (const name of forTests.filter((each) => !each.startsWith('@types/'))) {
      assert.ok(!installed.includes(name), `${name} is in the image`);
    }
  });

  it('hold no map, no type declaration, no test and no source', async () => {
    const all = await readdir(app(), { recursive: true });
    assert.deepEqual(
      all.filter((path) => path.startsWith('node_modules/') && /\.(map|d\.[mc]?ts)$/.test(path)),
      [],
    );
    assert.deepEqual((await readdir(app())).sort(), [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'deploy',
      'dist',
      'envoy.yaml',
      'examples',
      'node_modules',
      'package.json',
      'postern.yaml', // of the test above
      'proto',
      'services',
    ]);
  });
});
