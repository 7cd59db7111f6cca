import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '../../../src/gateway/config.ts';
import { projectRoot, readDocument } from '../../support/docs/documents.ts';
import { copiesOf, isIgnored, readDockerfile, runStage } from '../../support/image/dockerfile.ts';

const dockerfile = readDockerfile();
const run = runStage(dockerfile);
const textsOf = (keyword: string): readonly string[] =>
  run.instructions.filter((each) => each.keyword === keyword).map(({ text }) => text);

describe('the Dockerfile', () => {
  it('takes its base images as arguments, with the defaults that the command and the page name', () => {
    assert.deepEqual(dockerfile.arguments, {
      BUILD_IMAGE: 'node:24-trixie-slim',
      RUN_IMAGE: 'gcr.io/distroless/nodejs24-debian13:nonroot',
    });
    assert.deepEqual(
      dockerfile.stages.map(({ base }) => base),
      ['${BUILD_IMAGE}', '${BUILD_IMAGE}', '${RUN_IMAGE}'],
    );
    for (const image of Object.values(dockerfile.arguments)) {
      assert.ok(readDocument('scripts/image.mjs').includes(image), image);
      assert.ok(readDocument('docs/image.md').includes(image), image);
    }
  });

  it('needs no shell in the image that it makes', () => {
    const allowed = ['COPY', 'WORKDIR', 'USER', 'ENV', 'EXPOSE', 'CMD', 'ARG', 'LABEL'];
    assert.deepEqual(
      run.instructions.filter(({ keyword }) => !allowed.includes(keyword)),
      [],
    );
    assert.deepEqual(
      textsOf('CMD').map((text) => JSON.parse(text) as unknown),
      [['dist/main.js', 'serve']],
    );
  });

  it('runs as nobody in particular, who owns nothing but the folder for a volume', () => {
    assert.deepEqual(textsOf('USER'), ['65532:65532']);
    const owned = copiesOf(run).filter(({ owner }) => owner !== null);
    assert.deepEqual(owned, [
      { from: 'build', sources: ['/build/state'], destination: '/var/lib/postern', owner: '65532:65532' },
    ]);
  });

  it('installs what package-lock.json pins, and runs no script of a package', () => {
    const installs = dockerfile.stages
      .flatMap(({ instructions }) => instructions)
      .filter(({ text }) => /\bnpm (ci|install|i)\b/.test(text));
    assert.equal(installs.length, 2);
    for (const { text } of installs) assert.match(text, /^npm ci .*--ignore-scripts/);
    assert.match(installs[0]?.text ?? '', /--omit=dev/);
  });

  it('leaves no script out that a runtime dependency needs', () => {
    const lock = JSON.parse(readDocument('package-lock.json')) as {
      readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly hasInstallScript?: boolean }>>;
    };
    const withScript = Object.entries(lock.packages).filter(([, each]) => each.hasInstallScript && each.dev !== true);
    // Its script only compares version numbers and prints a warning.
    assert.deepEqual(
      withScript.map(([path]) => path),
      ['node_modules/protobufjs'],
    );
  });

  it('copies only files that exist and that the builder is given', () => {
    const sources = dockerfile.stages.flatMap((stage) => copiesOf(stage)).filter(({ from }) => from === null);
    assert.ok(sources.length > 5);
    for (const path of sources.flatMap((copy) => copy.sources)) {
      assert.ok(existsSync(join(projectRoot, path)), `${path} does not exist`);
      assert.equal(isIgnored(path), false, `${path} is ignored`);
    }
  });

  it('puts into the image what it was given or made, and everything that the npm package holds', () => {
    const made = ['node_modules', 'dist', 'state', 'sbom.cdx.json'];
    const copied = copiesOf(run).flatMap(({ from, sources }) => {
      assert.ok(from === 'build' || from === 'dependencies', 'copied from a stage, so that times do not differ');
      return sources.map((path) => path.replace(/^\/build\//, ''));
    });
    for (const path of copied) assert.ok(made.includes(path) || existsSync(join(projectRoot, path)), path);
    const { files } = JSON.parse(readDocument('package.json')) as { readonly files: readonly string[] };
    for (const path of files) {
      assert.ok(copied.includes(path), `${path} is in "files" of package.json, and not in the image`);
    }
  });

  it('listens on every address, on the ports of the settings', () => {
    const [environment = ''] = textsOf('ENV');
    for (const { name, default: address } of [settings.grpcAddress, settings.httpAddress, settings.adminAddress]) {
      const port = address.split(':')[1] ?? '';
      assert.ok(environment.includes(`${name}=0.0.0.0:${port}`), name);
      assert.match(textsOf('EXPOSE').join(' '), new RegExp(`\\b${port}\\b`));
    }
    assert.match(environment, /NODE_ENV=production/);
  });

  it('starts Node with huge pages, as the Deployment, which replaces its options, and the bench do', () => {
    const option = '--use-largepages=silent';
    const [environment = ''] = textsOf('ENV');
    assert.ok(environment.includes(`NODE_OPTIONS=${option}`));
    assert.match(
      readDocument('deploy/base/deployment.yaml'),
      new RegExp(`name: NODE_OPTIONS.*\\n\\s+value: ${option} `),
    );
    assert.ok(readDocument('bench/peers/peers.ts').includes(`NODE_OPTIONS: '${option}'`));
  });

  it('says in labels what the image is', () => {
    const labels = textsOf('LABEL').join(' ');
    for (const name of ['title', 'description', 'licenses', 'version', 'revision', 'created', 'base.name']) {
      assert.ok(labels.includes(`org.opencontainers.image.${name}=`), name);
    }
    const { description, license } = JSON.parse(readDocument('package.json')) as Record<string, string>;
    assert.ok(labels.includes(`image.description="${String(description)}"`));
    assert.ok(labels.includes(`image.licenses="${String(license)}"`));
  });
});

describe('.dockerignore', () => {
  it('gives the builder what it names and nothing else', () => {
    const lines = readFileSync(join(projectRoot, '.dockerignore'), 'utf8').split('\n');
    assert.equal(
      lines.find((line) => line !== '' && !line.startsWith('#')),
      '*',
    );
    for (const path of [
      '.git/config',
      '.env',
      '.services/bin/envoy',
      'node_modules/yaml/package.json',
      'dist/main.js',
      'keyring.yaml',
      'postern.yaml',
      'quickstart/acme.txt',
      'src/gen/envoy/service/auth/v3/attribute_context.ts',
      'test/support/stack.ts',
    ]) {
      assert.equal(isIgnored(path), true, path);
    }
  });

  it('names nothing that is not there', () => {
    const named = readDocument('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'));
    for (const line of named) assert.ok(existsSync(join(projectRoot, line.slice(1))), line);
  });
});
