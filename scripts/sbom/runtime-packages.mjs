// The packages that run in production, as package-lock.json pins them and node_modules holds them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Dependencies that are not as package-lock.json says. The message says which, and what to do. */
export class DependencyFailure extends Error {
  constructor(problems) {
    super(
      [
        'The dependencies are not as package-lock.json says:',
        ...problems.map((line) => `  ${line}`),
        '  run npm ci',
      ].join('\n'),
    );
    this.name = 'DependencyFailure';
  }
}

const isLicenseFile = (name) => /^(licen[cs]e|copying|notice)/i.test(name);

/**
 * Reads the project and its runtime packages, sorted by path: `{ project, packages }`. Each package is
 * `{ path, name, version, license, integrity, licenseFiles, dependencies, isDirect }`; `dependencies` are paths.
 *
 * @throws DependencyFailure when node_modules holds something else than package-lock.json
 */
export function readRuntimePackages(directory = root) {
  const lock = JSON.parse(readFileSync(join(directory, 'package-lock.json'), 'utf8')).packages;
  const project = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const problems = [];
  const packages = [];
  for (const [path, entry] of Object.entries(lock)) {
    if (path === '' || entry.dev || entry.devOptional || entry.extraneous) continue;
    const folder = join(directory, path);
    // Optional ones are for certain platforms, and may be missing.
    if (!existsSync(folder) && entry.optional) continue;
    const manifest = readManifest(folder);
    if (manifest === null) {
      problems.push(`${path} is missing`);
      continue;
    }
    if (manifest.version !== entry.version) problems.push(`${path} is ${manifest.version}, not ${entry.version}`);
    packages.push({
      path,
      name: manifest.name,
      version: entry.version,
      license: licenseOf(manifest),
      integrity: entry.integrity ?? null,
      licenseFiles: readdirSync(folder).filter(isLicenseFile).sort(),
      dependencies: dependenciesOf(path, entry, lock),
      isDirect: Object.hasOwn(project.dependencies ?? {}, path.slice('node_modules/'.length)),
    });
  }
  if (problems.length > 0) throw new DependencyFailure(problems);
  return {
    project: {
      name: project.name,
      version: project.version,
      description: project.description,
      license: project.license,
    },
    direct: dependenciesOf('', { dependencies: project.dependencies }, lock),
    packages: packages.sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

function readManifest(folder) {
  const path = join(folder, 'package.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
}

/** As SPDX expression; older packages have an object, or several. */
function licenseOf({ license, licenses }) {
  const given = license ?? licenses ?? null;
  const texts = [given].flat().map((one) => (typeof one === 'object' && one !== null ? one.type : one));
  if (texts.length === 0 || texts.some((text) => typeof text !== 'string' || text === '')) return null;
  return texts.length === 1 ? texts[0].replace(/^\((.*)\)$/, '$1') : `(${texts.join(' OR ')})`;
}

/** The packages that Node finds for the dependencies of the one at `path`. */
function dependenciesOf(path, entry, lock) {
  const names = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies });
  return names.flatMap((name) => find(path, name, lock) ?? []).sort();
}

function find(path, name, lock) {
  for (let from = path; ; from = from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/')))) {
    const candidate = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
    if (Object.hasOwn(lock, candidate)) return lock[candidate].dev ? null : candidate;
    if (from === '') return null;
  }
}
