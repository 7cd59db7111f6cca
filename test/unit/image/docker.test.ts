import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildArguments, describeSource, readVersion } from '../../../scripts/image/build.mjs';
import { DockerFailure, dockerOutput, requireEngine } from '../../../scripts/image/docker.mjs';
import { projectRoot } from '../../support/docs/documents.ts';

let directory = '';
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'postern-docker-'));
});
after(() => {
  rmSync(directory, { recursive: true });
});

/** A program that stands in for docker: a shell script. Gives its path. */
function fakeDocker(script: string): string {
  const path = join(mkdtempSync(join(directory, 'bin-')), 'docker');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Runs a script of this project with this folder alone, and Node's, on PATH. */
function runScript(script: string, args: readonly string[], folder: string): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(projectRoot, script), ...args], {
    encoding: 'utf8',
    env: { PATH: folder, HOME: directory },
  });
  return { code: status, output: stdout + stderr };
}

describe('asking docker', () => {
  it('gives what it printed', async () => {
    assert.equal(await dockerOutput(['version'], { command: fakeDocker('echo "got $1"') }), 'got version');
    assert.equal(await requireEngine({ command: fakeDocker('echo 28.2.2') }), '28.2.2');
  });

  const faults: readonly (readonly [string, string, readonly RegExp[]])[] = [
    [
      'no engine',
      'echo "Cannot connect to the Docker daemon" >&2; exit 1',
      [/No Docker engine answers/, /Cannot connect/, /DOCKER_HOST/],
    ],
    [
      'an engine that is not for this user',
      'echo "permission denied while trying to connect" >&2; exit 1',
      [/may not talk/, /group docker/],
    ],
    ['a docker that says nothing', 'exit 0', [/No Docker engine answers/]],
  ];
  for (const [what, script, said] of faults) {
    it(`says what to do about ${what}`, async () => {
      await assert.rejects(requireEngine({ command: fakeDocker(script) }), (error: unknown) => {
        assert.ok(error instanceof DockerFailure);
        for (const text of said) assert.match(error.message, text);
        return true;
      });
    });
  }

  it('says what to do without docker', async () => {
    await assert.rejects(dockerOutput(['version'], { command: join(directory, 'nothing') }), (error: unknown) => {
      assert.ok(error instanceof DockerFailure);
      assert.match(error.message, /There is no docker on PATH\.\n {2}install Docker/);
      return true;
    });
  });
});

describe('npm run image', () => {
  const source = { version: '1.2.3', revision: 'abc', created: '2026-11-21T00:00:00Z', epochSeconds: 5 };

  it('hands the builder what goes into labels and times', () => {
    const args = buildArguments(
      { tags: ['postern:1.2.3', 'b'], runImage: 'run', network: 'host', noCache: true },
      source,
    );
    assert.deepEqual(args.slice(0, -1), [
      ...['build', '--tag', 'postern:1.2.3', '--tag', 'b', '--build-arg', 'RUN_IMAGE=run'],
      ...['--build-arg', 'SOURCE_DATE_EPOCH=5', '--build-arg', 'VERSION=1.2.3', '--build-arg', 'REVISION=abc'],
      ...['--build-arg', 'CREATED=2026-11-21T00:00:00Z', '--network', 'host', '--no-cache'],
    ]);
    assert.equal(args.at(-1), projectRoot);
  });

  it('takes times from the commit or from SOURCE_DATE_EPOCH, and refuses one that is none', () => {
    const { version, created, epochSeconds } = describeSource({ SOURCE_DATE_EPOCH: '1700000000' });
    assert.equal(version, readVersion());
    assert.equal(epochSeconds, 1_700_000_000);
    assert.equal(created, '2023-11-14T22:13:20Z');
    assert.equal(describeSource({}).created, describeSource({}).created);
    for (const text of ['now', '-1', '1.5', '999999999999']) {
      assert.throws(() => describeSource({ SOURCE_DATE_EPOCH: text }), /must be seconds since 1970/, text);
    }
  });

  it('ends with what to do when it cannot', () => {
    const without = runScript('scripts/image.mjs', [], directory);
    assert.equal(without.code, 1);
    assert.match(without.output, /There is no docker on PATH/);
    const usage = runScript('scripts/image.mjs', ['--tga', 'x'], directory);
    assert.equal(usage.code, 2);
    assert.match(usage.output, /--tga.*\n\nUsage: npm run image/s);
    assert.equal(runScript('scripts/image.mjs', ['--help'], directory).code, 0);
  });

  it('names ways out when the build fails', () => {
    const docker = fakeDocker('case "$1" in version) echo 28.2.2;; *) echo "pull access denied" >&2; exit 1;; esac');
    const { code, output } = runScript('scripts/image.mjs', [], dirname(docker));
    assert.equal(code, 1);
    assert.match(output, /pull access denied/);
    assert.match(output, /--local-base/);
  });
});

describe('npm run compose', () => {
  it('ends with what to do without Docker or without Docker Compose', () => {
    const without = runScript('scripts/compose.mjs', [], directory);
    assert.equal(without.code, 1);
    assert.match(without.output, /There is no docker on PATH/);
    const docker = fakeDocker('case "$1" in version) echo 28.2.2;; *) exit 1;; esac');
    const old = runScript('scripts/compose.mjs', [], dirname(docker));
    assert.equal(old.code, 1);
    assert.match(old.output, /Docker Compose 2 or newer is missing/);
  });

  it('hands commands on, and those of Postern to a container of their own', () => {
    const docker = fakeDocker(
      'case "$*" in version*) echo 28.2.2;; "compose version --short") echo v2.40.3;; *) echo "ran $*";; esac',
    );
    const ran = (...args: readonly string[]): string => runScript('scripts/compose.mjs', args, dirname(docker)).output;
    assert.match(ran('logs', '--follow'), /^ran compose --file \S+deploy\/compose\/compose\.yaml logs --follow$/m);
    assert.match(ran('postern', 'consumer', 'list'), /run --rm --no-deps postern dist\/main\.js consumer list$/m);
    assert.match(runScript('scripts/compose.mjs', ['--help'], directory).output, /Usage: npm run compose/);
  });
});
