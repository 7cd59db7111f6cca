// The version of the clients: clients/VERSION says it, and every other place repeats it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The one place that says the version. */
export const versionFile = 'clients/VERSION';

const semantic = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)$/;
const number = String.raw`(\d+\.\d+\.\d+)`;
const lockPattern = new RegExp(
  String.raw`(?<=^ {2}|^ {4}"": \{\n {6}"name": "[\w-]+",\n {6})"version": "${number}"`,
  'gm',
);
const jsonPattern = new RegExp(`^  "version": "${number}"`, 'gm');

/** Where each manifest says its version; the first group is the version. */
const manifests = [
  { path: 'clients/javascript/package.json', pattern: jsonPattern },
  { path: 'clients/javascript/package-lock.json', pattern: lockPattern },
  { path: 'clients/explain/package.json', pattern: jsonPattern },
  { path: 'clients/openapi/package.json', pattern: jsonPattern },
  { path: 'clients/openapi/package-lock.json', pattern: lockPattern },
  { path: 'clients/openapi/postern.yaml', pattern: new RegExp(`^  version: ${number}$`, 'gm') },
  { path: 'clients/postman/package.json', pattern: jsonPattern },
  { path: 'clients/postman/package-lock.json', pattern: lockPattern },
  { path: 'clients/python/src/postern/__init__.py', pattern: new RegExp(`^__version__ = "${number}"$`, 'gm') },
  { path: 'clients/java/pom.xml', pattern: new RegExp(`^  <version>${number}</version>$`, 'gm') },
  { path: 'clients/java/README.md', pattern: new RegExp(`^  <version>${number}</version>$`, 'gm') },
  { path: 'clients/php/composer.json', pattern: jsonPattern },
  { path: 'clients/rust/Cargo.toml', pattern: new RegExp(`^version = "${number}"`, 'gm') },
  {
    path: 'clients/rust/Cargo.lock',
    pattern: new RegExp(String.raw`^name = "postern-client"\nversion = "${number}"`, 'gm'),
  },
];

/** The newest heading of a changelog: the first that is found. */
const changelogs = ['explain', 'go', 'java', 'javascript', 'php', 'python', 'rust', 'shell'].map((client) => ({
  path: `clients/${client}/CHANGELOG.md`,
  pattern: new RegExp(`^## ${number}`, 'm'),
}));

/** How READMEs, samples and tests name a package that was built. */
const named = new RegExp(
  String.raw`\bpostern(?:[-_]client|-explain|-curl)-${number}|clients/go@v${number}|postern-gateway/client": "${number}"`,
  'g',
);
const namingFolders = ['clients', 'src/cli/handover', 'test/clients', 'test/unit/cli/handover'];
const made = new Set(['dist', 'node_modules', 'target', 'vendor']);

function namingFiles(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return made.has(entry.name) ? [] : namingFiles(root, path);
    return /(?:^README\.md|\.ts)$/.test(entry.name) ? [{ path, pattern: named, isOptional: true }] : [];
  });
}

const places = (root) => [...manifests, ...changelogs, ...namingFolders.flatMap((folder) => namingFiles(root, folder))];

/**
 * The version that clients/VERSION says.
 *
 * @throws Error when it is not of the form X.Y.Z, the one that means the same to every registry
 */
export function readVersion(root) {
  const version = readFileSync(join(root, versionFile), 'utf8').trim();
  if (!semantic.test(version)) throw new Error(`${versionFile}: "${version}" is not of the form X.Y.Z`);
  return version;
}

/** The places that say another version than clients/VERSION, or none where one is expected, as sentences. */
export function findOtherClientVersions(root) {
  const version = readVersion(root);
  return places(root).flatMap(({ path, pattern, isOptional }) => {
    const found = versionsIn(readFileSync(join(root, path), 'utf8'), pattern);
    if (found.length === 0) return isOptional ? [] : [`${path}: no version was found`];
    return [...new Set(found)]
      .filter((each) => each !== version)
      .map((each) => `${path} says ${each}, ${versionFile} ${version}`);
  });
}

/** Whether it is a version that `writeVersion` takes. */
export const isVersion = (text) => semantic.test(text);

/** Writes a version into clients/VERSION and every place that repeats it, changelogs apart: a person writes those. */
export function writeVersion(root, version) {
  writeFileSync(join(root, versionFile), `${version}\n`);
  for (const { path, pattern } of places(root).filter((place) => !changelogs.includes(place) && place.pattern.global)) {
    const text = readFileSync(join(root, path), 'utf8');
    const changed = text.replace(pattern, (whole, ...groups) => whole.replace(firstOf(groups), version));
    if (changed !== text) writeFileSync(join(root, path), changed);
  }
}

const firstOf = (groups) => groups.find((group) => typeof group === 'string' && semantic.test(group)) ?? '';

function versionsIn(text, pattern) {
  const matches = pattern.global ? [...text.matchAll(pattern)] : [pattern.exec(text)].filter((match) => match !== null);
  return matches.map(([, ...groups]) => firstOf(groups));
}
