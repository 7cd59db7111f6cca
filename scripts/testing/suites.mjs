// Which test files there are, and which servers they need.
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { root } from './child.mjs';

/** In the order in which they are reported; `timeoutMs` is for one test. */
export const suites = [
  { name: 'unit', timeoutMs: 60_000 },
  { name: 'conformance', timeoutMs: 60_000 },
  { name: 'integration', timeoutMs: 120_000 },
  { name: 'e2e', timeoutMs: 120_000 },
  { name: 'clients', timeoutMs: 120_000 },
  { name: 'interop', timeoutMs: 120_000 },
];

/** What the files below a directory cannot run without, as scripts/install-services names it. */
const needs = {
  'test/conformance/mongodb': ['mongodb'],
  'test/conformance/ratelimit': ['ratelimit', 'redis'],
  'test/integration/deploy': ['kustomize'],
  'test/integration/docs': ['chromium'],
  'test/integration/envoy-config': ['envoy'],
  'test/integration/mongodb': ['mongodb'],
  'test/integration/observability': ['prometheus'],
  'test/integration/ratelimit': ['ratelimit', 'redis'],
  'test/e2e': ['envoy'],
  'test/e2e/console': ['chromium', 'mongodb'],
  'test/e2e/deploy': ['kustomize'],
  'test/e2e/deploy/demo': ['mongodb', 'ratelimit', 'redis'],
  'test/e2e/drills': ['mongodb', 'ratelimit', 'redis'],
  'test/e2e/mongodb': ['mongodb'],
  'test/e2e/observability/prometheus': ['prometheus', 'mongodb', 'ratelimit', 'redis'],
  'test/e2e/zero-downtime': ['mongodb'],
  'test/e2e/ratelimit': ['ratelimit', 'redis'],
  'test/e2e/ratelimit/mongodb': ['mongodb'],
  'test/e2e/oauth2/python': ['python-oauth2'],
  'test/e2e/oauth2/go': ['go'],
  'test/clients': ['envoy', 'mongodb'],
  'test/clients/go': ['go'],
  'test/clients/java': ['java', 'maven'],
  'test/clients/php': ['php'],
  'test/clients/python': ['python'],
  'test/clients/recipes': ['go'],
  'test/clients/rust': ['rust'],
  'test/clients/shell': ['busybox', 'python'],
  'test/interop': ['envoy'],
  'test/interop/python': ['python'],
};

/**
 * Servers that not every machine can have, Debian's packages for one: without them tests are skipped, with CI=true too.
 */
export const unpromised = new Set(['prometheus']);

/**
 * Folders that `npm test` leaves out, because they need more than a machine has as a rule, with the script that runs
 * each.
 */
const optIn = { image: 'npm run test:image', 'interop/compiled': 'npm run test:interop' };

/** The servers that a test file needs. */
export function servicesFor(file) {
  return Object.entries(needs).flatMap(([directory, services]) => (file.startsWith(`${directory}/`) ? services : []));
}

/** What the files below a directory run although they do not import it; the key is a directory as in `needs`. */
const runs = {
  'test/clients/go': ['clients/go'],
  'test/clients/java': ['clients/java'],
  'test/clients/javascript': ['clients/javascript'],
  'test/clients/php': ['clients/php'],
  'test/clients/python': ['clients/python'],
  'test/clients/rust': ['clients/rust'],
  'test/clients/shell': ['clients/shell'],
  'test/clients/handover': ['clients'],
  'test/interop': ['interop/table.json', 'envoy.yaml'],
  'test/interop/javascript': ['interop/javascript'],
  'test/interop/python': ['interop/python'],
  'test/e2e': ['envoy.yaml'],
};

/** The files and folders that a test file runs without importing them. */
export function reached(file) {
  return Object.entries(runs).flatMap(([directory, paths]) => (file.startsWith(`${directory}/`) ? paths : []));
}

/** Every test file by suite; one that belongs to none is an error, because no command would run it. */
export async function findTestFiles() {
  const entries = await readdir(join(root, 'test'), { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
  const bySuite = Object.fromEntries(suites.map(({ name }) => [name, []]));
  for (const file of files) {
    if (Object.keys(optIn).some((folder) => file.startsWith(`test/${folder}/`))) continue;
    const suite = bySuite[file.split('/')[1]];
    if (suite === undefined) throw new Error(`${file} belongs to no suite: move it, or add one to ${import.meta.url}`);
    suite.push(file);
  }
  return bySuite;
}
