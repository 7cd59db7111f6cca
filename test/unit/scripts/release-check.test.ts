import assert from 'node:assert/strict';
import {
  checks,
  type CheckResult,
  formatResults,
  runChecks,
  type WorkingTree,
  workingTree,
} from '../../../scripts/release/checks.mjs';
import { componentPath, namedImages, readDigests, writeComponent } from '../../../scripts/images/pins.mjs';
import { readDocument } from '../../support/docs/documents.ts';

const real = workingTree();
const { version } = JSON.parse(real.read('package.json')) as { readonly version: string };
const today = '2026-11-21';
const images = namedImages();
const digests = new Map(images.map(({ name }) => [name, `sha256:${'a'.repeat(64)}`]));
const pinned = writeComponent(images, digests);
const page = readDocument('docs/releasing.md');

/** This project as on the day of its release, with some files or answers of git changed. */
function releaseTree(
  changes: Readonly<Record<string, (text: string) => string>> = {},
  git: Partial<Record<string, string>> = {},
): WorkingTree {
  const ready: Readonly<Record<string, (text: string) => string>> = {
    'CHANGELOG.md': (text) => text.replace(/^## \[.*$/m, `## [${version}] - ${today}`),
    'README.md': (text) => text.replace(/^Version .*$/m, `Version ${version}.`),
    [componentPath]: () => pinned,
  };
  return {
    ...real,
    read: (path) => (changes[path] ?? ((text) => text))((ready[path] ?? ((text) => text))(real.read(path))),
    git: (command = '') => git[command] ?? (command === 'status' ? '' : null),
    nowMs: Date.parse(`${today}T12:00:00Z`),
  };
}

async function find(name: string, tree: WorkingTree): Promise<readonly string[]> {
  const check = checks.find((each) => each.name === name);
  assert.ok(check, `there is no check "${name}"`);
  return await check.find(tree);
}

/** They read all packages, or run a generator; a change of other files is nothing to them. */
const slow: readonly string[] = ['licences', 'bill of materials', 'signature vectors', 'client vectors'];

describe('npm run release:check', () => {
  let ready: readonly CheckResult[] = [];
  before(async function () {
    this.timeout(60_000);
    ready = await runChecks(releaseTree());
  });

  it('is content with this project on the day of its release', () => {
    assert.deepEqual(
      ready,
      checks.map(({ name }) => ({ name, problems: [] })),
    );
  });

  it('prints each check, and below it what to do, when nothing was prepared', async () => {
    const unprepared = releaseTree({
      'CHANGELOG.md': (text) => text.replace(`] - ${today}`, '] - Unreleased'),
      'README.md': (text) => text.replace(`Version ${version}.`, `Version ${version}, not released yet.`),
      [componentPath]: () => writeComponent(images, new Map()),
    });
    const results = await Promise.all(
      ready.map(async (result) =>
        slow.includes(result.name) ? result : { ...result, problems: await find(result.name, unprepared) },
      ),
    );
    const lines = formatResults(results).trimEnd().split('\n');
    assert.deepEqual(
      lines.filter((line) => line.startsWith('✗')),
      ['✗ changelog', '✗ image digests', '✗ status in README.md'],
    );
    assert.equal(
      lines[lines.indexOf('✗ changelog') + 1],
      `  CHANGELOG.md: ${version} has no date ("Unreleased"), write ## [${version}] - YYYY-MM-DD`,
    );
    assert.equal(lines.at(-1), `3 of ${String(checks.length)} checks failed.`);
  });

  it('has the checks that docs/releasing.md names', () => {
    const [, list = ''] = /It checks: (.*?)\.\n/s.exec(page) ?? [];
    assert.deepEqual(
      list.split(/,\s/).map((name) => name.replaceAll(/\s/g, ' ').replace(/ \(.*\)$/, '')),
      checks.map(({ name }) => name),
    );
  });

  it('wants every image by its digest, as npm run pin-images writes them', async () => {
    assert.ok(images.some(({ name, tag }) => name === 'postern' && tag === version));
    assert.deepEqual(readDigests(pinned), digests);
    assert.equal(real.read(componentPath), writeComponent(images, readDigests(real.read(componentPath))));
    const short = new Map([...digests, ['postern', 'sha256:aa']]);
    for (const text of [writeComponent(images, short), writeComponent(images, new Map([...digests].slice(0, 3)))]) {
      const problems = await find('image digests', releaseTree({ [componentPath]: () => text }));
      assert.match(
        problems.join(),
        /pinned-images\/kustomization\.yaml: postern:\S+ has no digest: npm run pin-images/,
      );
    }
    const stale = releaseTree({
      'deploy/base/deployment.yaml': (text) => text.replace(`postern:${version}`, 'other:1'),
    });
    assert.match((await find('image digests', stale)).join(), /does not name the images of deploy/);
  });

  const faults: readonly (readonly [string, string, WorkingTree, RegExp])[] = [
    [
      'a version that is none',
      'version',
      releaseTree({ 'package.json': (text) => text.replace(`"version": "${version}"`, '"version": "1.0"') }),
      /"1\.0" is no semantic version/,
    ],
    [
      'another version in the lock file',
      'version',
      releaseTree({ 'package-lock.json': (text) => text.replaceAll(`"version": "${version}"`, '"version": "9.9.9"') }),
      /package-lock\.json says 9\.9\.9/,
    ],
    [
      'a changelog without this version',
      'changelog',
      releaseTree({ 'CHANGELOG.md': (text) => text.replace(`[${version}]`, '[9.9.9]') }),
      /begins with 9\.9\.9/,
    ],
    [
      'a changelog without a date',
      'changelog',
      releaseTree({ 'CHANGELOG.md': (text) => text.replace(`] - ${today}`, '] - Unreleased') }),
      /has no date \("Unreleased"\)/,
    ],
    [
      'a date in the future',
      'changelog',
      releaseTree({ 'CHANGELOG.md': (text) => text.replace(today, '2027-01-01') }),
      /2027-01-01 is in the future/,
    ],
    [
      'another tag in a manifest',
      'image tags',
      releaseTree({ 'deploy/base/deployment.yaml': (text) => text.replace(`postern:${version}`, 'postern:9.9.9') }),
      /deploy\/base\/deployment\.yaml:\d+: image tag 9\.9\.9, not /,
    ],
    [
      'another tag in the compose file',
      'image tags',
      releaseTree({
        'deploy/compose/compose.yaml': (text) => text.replace(`:-postern:${version}`, ':-postern:latest'),
      }),
      /compose\.yaml:\d+: image tag latest/,
    ],
    [
      'a status that says unreleased',
      'status in README.md',
      releaseTree({
        'README.md': (text) => text.replace(`Version ${version}.`, `Version ${version}, not released yet.`),
      }),
      /not released yet/,
    ],
    ['changed files', 'git', releaseTree({}, { status: ' M README.md\n?? x' }), /has changes: 2 files/],
    [
      'a version that was released before',
      'git',
      {
        ...releaseTree(),
        git: (command, ...args) => (command === 'status' ? '' : args.includes('HEAD') ? 'aaaa' : 'bbbb'),
      },
      /the tag v.* is that of another commit/,
    ],
    [
      'a loose dependency',
      'dependencies',
      releaseTree({ 'package.json': (text) => text.replace(/"yaml": "/, '"yaml": "^') }),
      /yaml is "\^/,
    ],
    [
      'a lock file with addresses',
      'dependencies',
      releaseTree({
        'package-lock.json': (text) => text.replace('"integrity"', '"resolved": "https://example.com/x", "integrity"'),
      }),
      /names where 1 packages came from/,
    ],
    ['a list of licences that is old', 'licences', releaseTree({ 'THIRD-PARTY.md': () => 'old' }), /npm run licenses/],
    [
      'an Envoy configuration that was changed alone',
      'derived configurations',
      releaseTree({
        'deploy/compose/envoy.yaml': (text) => text.replace('request_timeout: 360s', 'request_timeout: 361s'),
      }),
      /deploy\/compose\/envoy\.yaml is not what envoy\.yaml makes it/,
    ],
    [
      'vectors that nobody generated',
      'signature vectors',
      releaseTree({ 'test/vectors/extended.json': (text) => text.replace('"id"', '"iD"') }),
      /is not what generate\.py writes/,
    ],
    [
      'a version of an npm library that is not the one in the table',
      'versions of libraries',
      releaseTree({
        'interop/javascript/package-lock.json': (text) => text.replace('"version": "0.1.3"', '"version": "0.1.4"'),
      }),
      /web-bot-auth is 0\.1\.3, interop\/javascript\/package-lock\.json has 0\.1\.4: npm run test:interop/,
    ],
    [
      'a library of the table that is not installed',
      'versions of libraries',
      releaseTree({ 'interop/go/go.mod': (text) => text.replace('github.com/dadrus', 'example.com/other') }),
      /dadrus\/httpsig is 0\.9\.0, interop\/go\/go\.mod has none/,
    ],
  ];
  for (const [what, name, tree, problem] of faults) {
    it(`finds ${what}`, async () => {
      const problems = await find(name, tree);
      assert.ok(
        problems.some((text) => problem.test(text)),
        problems.join('\n'),
      );
    });
  }
});
