// What a machine can check before a release. Each check gives the problems that it found, as sentences.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeEnvoy } from '../compose/envoy-yaml.mjs';
import { overlayEnvoy } from '../deploy/overlay-envoy.mjs';
import { findUnpinned } from '../images/pins.mjs';
import { writePage } from '../licenses/page.mjs';
import { findForbidden } from '../licenses/rules.mjs';
import { specVersion, writeBill } from '../sbom/bill.mjs';
import { DependencyFailure, readRuntimePackages, root } from '../sbom/runtime-packages.mjs';
import { findOtherVersions } from './library-versions.mjs';

const semanticVersion = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$/;
const dayMs = 86_400_000;

/** The files and git of a working tree, as the checks read them. */
export function workingTree(directory = root) {
  return {
    read: (path) => readFileSync(join(directory, path), 'utf8'),
    list: (path) =>
      readdirSync(join(directory, path), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(directory.replace(/\/$/, '').length + 1))
        .sort(),
    git: (...args) => {
      const { status, stdout } = spawnSync('git', args, { cwd: directory, encoding: 'utf8' });
      return status === 0 ? stdout.trim() : null;
    },
    directory,
    nowMs: Date.now(),
  };
}

const versionOf = ({ read }) => JSON.parse(read('package.json')).version;

function checkVersion(tree) {
  const version = versionOf(tree);
  const lock = JSON.parse(tree.read('package-lock.json'));
  return [
    ...(semanticVersion.test(version) ? [] : [`package.json: "${version}" is no semantic version`]),
    ...[lock.version, lock.packages[''].version]
      .filter((locked) => locked !== version)
      .map((locked) => `package-lock.json says ${locked}, package.json ${version}: npm install --package-lock-only`)
      .slice(0, 1),
  ];
}

function checkChangelog(tree) {
  const version = versionOf(tree);
  const [, newest, date = ''] = /^## \[([^\]]+)\](?: - (.*))?$/m.exec(tree.read('CHANGELOG.md')) ?? [];
  if (newest !== version) return [`CHANGELOG.md begins with ${newest ?? 'no version'}, package.json says ${version}`];
  const timeMs = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(timeMs))
    return [`CHANGELOG.md: ${version} has no date ("${date}"), write ## [${version}] - YYYY-MM-DD`];
  if (timeMs > tree.nowMs + dayMs) return [`CHANGELOG.md: ${date} is in the future`];
  return [];
}

/**
 * Every tag of Postern's image below deploy/: `image: postern:1.2.3`, with a registry or a variable around, and
 * kustomize's.
 */
function checkImageTags(tree) {
  const version = versionOf(tree);
  const problems = [];
  let found = 0;
  for (const path of tree.list('deploy').filter((name) => /\.ya?ml$/.test(name))) {
    for (const [index, line] of tree.read(path).split('\n').entries()) {
      const pattern = /\bimage: .*?\bpostern:([\w.-]+)|\bname: postern\b.*\bnewTag: "?([\w.-]+)/g;
      for (const [, tag, newTag] of line.matchAll(pattern)) {
        found += 1;
        if ((tag ?? newTag) !== version)
          problems.push(`${path}:${index + 1}: image tag ${tag ?? newTag}, not ${version}`);
      }
    }
  }
  return found === 0 ? ['deploy/: no image of Postern was found'] : problems;
}

function checkStatus(tree) {
  const version = versionOf(tree);
  const readme = tree.read('README.md');
  if (/not released yet/i.test(readme)) return ['README.md: the status still says "not released yet"'];
  return readme.includes(`Version ${version}`) ? [] : [`README.md: the status does not say "Version ${version}"`];
}

function checkGit(tree) {
  const changes = tree.git('status', '--porcelain');
  if (changes === null) return ['this is no git working tree'];
  const tag = `v${versionOf(tree)}`;
  const tagged = tree.git('rev-parse', '--quiet', '--verify', `refs/tags/${tag}^{commit}`);
  return [
    ...(changes === '' ? [] : [`the working tree has changes: ${changes.split('\n').length} files`]),
    ...(tagged === null || tagged === tree.git('rev-parse', 'HEAD')
      ? []
      : [`the tag ${tag} is that of another commit: this version was released`]),
  ];
}

function checkDependencies(tree) {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(tree.read('package.json'));
  const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
    ([, range]) => !semanticVersion.test(range),
  );
  const { packages } = JSON.parse(tree.read('package-lock.json'));
  const unpinned = Object.entries(packages).filter(([path, entry]) => path !== '' && entry.integrity === undefined);
  const sourced = Object.values(packages).filter((entry) => entry.resolved !== undefined);
  return [
    ...loose.map(([name, range]) => `package.json: ${name} is "${range}", not an exact version`),
    ...unpinned.map(([path]) => `package-lock.json: ${path} has no checksum`),
    ...(sourced.length > 0 ? [`package-lock.json names where ${sourced.length} packages came from: npm install`] : []),
  ];
}

function checkLicenses(tree) {
  const packages = readRuntimePackages(tree.directory);
  return [
    ...findForbidden(packages.packages),
    ...(tree.read('THIRD-PARTY.md') === writePage(packages)
      ? []
      : ['THIRD-PARTY.md is not up to date: npm run licenses']),
  ];
}

async function checkBill(tree) {
  const { Validation } = await import('@cyclonedx/cyclonedx-library');
  const faults = await new Validation.JsonStrictValidator(specVersion).validate(
    writeBill(readRuntimePackages(tree.directory)),
  );
  return faults === null
    ? []
    : [`the bill of materials does not follow CycloneDX: ${JSON.stringify(faults).slice(0, 200)}`];
}

function checkDerived(tree) {
  const envoy = tree.read('envoy.yaml');
  const derived = [
    ['deploy/compose/envoy.yaml', composeEnvoy, 'scripts/compose/envoy-yaml.mjs'],
    ['deploy/overlays/plain-envoy/envoy.yaml', overlayEnvoy, 'scripts/deploy/overlay-envoy.mjs'],
  ];
  return derived
    .filter(([path, make]) => tree.read(path) !== make(envoy))
    .map(([path, , script]) => `${path} is not what envoy.yaml makes it: node ${script}`);
}

/** The vectors are what their generator writes, which shares nothing with the code that they test. */
function checkVectors(tree) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-vectors-'));
  try {
    copyFileSync(join(tree.directory, 'test/vectors/generate.py'), join(folder, 'generate.py'));
    const { status, error, stderr } = spawnSync('python3', ['generate.py'], { cwd: folder, encoding: 'utf8' });
    if (status !== 0) return [`test/vectors/generate.py cannot be run: ${error?.message ?? stderr}`];
    const [made, kept] = [readFileSync(join(folder, 'extended.json'), 'utf8'), tree.read('test/vectors/extended.json')];
    const isSame = JSON.stringify(JSON.parse(made)) === JSON.stringify(JSON.parse(kept));
    return isSame ? [] : ['test/vectors/extended.json is not what generate.py writes'];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The same of the clients' vectors, byte for byte. */
const clientVectors = [
  ['vectors/generate.py', 'vectors.json'],
  ['vectors/generate-public-key.py', 'public-key-vectors.json'],
];

function checkClientVectors(tree) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-vectors-'));
  try {
    // The programs write into the folder above their own.
    cpSync(join(tree.directory, 'clients/vectors'), join(folder, 'vectors'), { recursive: true });
    return clientVectors.flatMap(([program, file]) => {
      const { status, error, stderr } = spawnSync('python3', [program], { cwd: folder, encoding: 'utf8' });
      if (status !== 0) return [`clients/${program} cannot be run: ${error?.message ?? stderr}`];
      const isSame = readFileSync(join(folder, file), 'utf8') === tree.read(`clients/${file}`);
      return isSame ? [] : [`clients/${file} is not what clients/${program} writes`];
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The check whose fault only a registry of images can mend. */
export const DIGESTS = 'image digests';

/** Every check with its name, in the order of the report. */
export const checks = [
  { name: 'version', find: checkVersion },
  { name: 'changelog', find: checkChangelog },
  { name: 'image tags', find: checkImageTags },
  { name: DIGESTS, find: findUnpinned },
  { name: 'status in README.md', find: checkStatus },
  { name: 'git', find: checkGit },
  { name: 'dependencies', find: checkDependencies },
  { name: 'licences', find: checkLicenses },
  { name: 'bill of materials', find: checkBill },
  { name: 'derived configurations', find: checkDerived },
  { name: 'signature vectors', find: checkVectors },
  { name: 'client vectors', find: checkClientVectors },
  { name: 'versions of libraries', find: findOtherVersions },
];

/** Runs checks, every one unless given: `{ name, problems }` of each. */
export async function runChecks(tree = workingTree(), chosen = checks) {
  const results = [];
  for (const { name, find } of chosen) {
    try {
      results.push({ name, problems: await find(tree) });
    } catch (error) {
      if (!(error instanceof DependencyFailure)) throw error;
      results.push({ name, problems: [error.message] });
    }
  }
  return results;
}

/** Results as text for people. */
export function formatResults(results) {
  const lines = results.flatMap(({ name, problems }) => [
    `${problems.length === 0 ? '✓' : '✗'} ${name}`,
    ...problems.map((text) => `  ${text}`),
  ]);
  const failed = results.filter(({ problems }) => problems.length > 0).length;
  const sum = failed === 0 ? 'Ready, as far as a machine can tell.' : `${failed} of ${results.length} checks failed.`;
  return `${[...lines, sum].join('\n')}\n`;
}
