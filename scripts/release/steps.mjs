// Everything that a version which carries its number has run: each step's command, where it runs, how long it may take,
// and what a machine must have for it.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { envoyVersions, nodeVersions } from '../../services/install-services.mjs';
import { findUnpinned } from '../images/pins.mjs';
import { root } from '../testing/child.mjs';
import { findMongodb, mongodbLines } from '../testing/mongodb-lines.mjs';
import { checks, DIGESTS, workingTree } from './checks.mjs';

const npm = (script, ...args) => ['npm', 'run', '--silent', script, ...(args.length > 0 ? ['--', ...args] : [])];
const stateOf = (chosen) => ['node', 'scripts/release-check.mjs', '--state', ...chosen.map(({ name }) => name)];
const succeeds = (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;

const lacksLinux = () => (process.platform === 'linux' ? null : 'needs Linux');
const lacksEngine = () =>
  succeeds('docker', 'info') ? null : 'needs a Docker engine: "docker info" finds none on this machine';
const lacksDigests = () =>
  findUnpinned(workingTree()).length === 0 || succeeds('docker', 'buildx', 'version')
    ? null
    : 'needs docker buildx, which asks the registries: npm run pin-images';
const lacksGo = () => (succeeds('go', 'version') ? null : 'needs Go: "go version" fails');
const lacksHosts = () =>
  lacksLinux() ?? (process.getuid() === 0 ? lacksGo() : 'needs root, for network namespaces and control groups');

/** The scripts of findings/, each a step: their packages change, and then what Postern's documents say of them. */
const findings = readdirSync(join(root, 'findings'))
  .filter((name) => name.endsWith('.sh'))
  .map((name) => ({
    name: `finding ${name.replace(/\.sh$/, '')}`,
    command: [`findings/${name}`],
    where: 'outside software alone',
    minutes: 30,
    lacks: lacksLinux,
  }));

/**
 * Every step in its order: `{ name, command, where, minutes, lacks }`. `minutes` is the deadline; `lacks()` says why
 * this machine cannot run it, or gives null.
 */
export const steps = [
  {
    name: 'state of the tree',
    command: stateOf(checks.filter(({ name }) => name !== DIGESTS)),
    where: 'this working tree',
    minutes: 10,
    lacks: () => null,
  },
  {
    name: DIGESTS,
    command: stateOf(checks.filter(({ name }) => name === DIGESTS)),
    where: 'this working tree',
    minutes: 10,
    lacks: lacksDigests,
  },
  {
    name: 'npm test',
    command: ['npm', 'test'],
    env: { CI: 'true' },
    where: `Node ${process.versions.node}`,
    minutes: 90,
    lacks: lacksLinux,
  },
  {
    name: 'test:node-versions',
    command: npm('test:node-versions', 'unit', 'conformance', 'integration', 'e2e'),
    where: `Node ${nodeVersions.join(', ')}`,
    minutes: 120,
    lacks: lacksLinux,
  },
  {
    name: 'test:envoy-versions',
    command: npm('test:envoy-versions'),
    where: `Envoy ${envoyVersions.join(', ')}`,
    minutes: 90,
    lacks: lacksLinux,
  },
  ...mongodbLines.map((line) => ({
    name: `test:mongodb-versions ${line}`,
    command: npm('test:mongodb-versions', line),
    where: `MongoDB ${line}`,
    minutes: 30,
    lacks: () =>
      lacksLinux() ??
      (findMongodb(line) === null ? `needs a mongod ${line}, which no registry of packages has, or Docker` : null),
  })),
  {
    name: 'test:interop',
    command: npm('test:interop'),
    where: 'libraries of six languages',
    minutes: 60,
    lacks: lacksLinux,
  },
  {
    name: 'clients:release',
    command: npm('clients:release'),
    where: "each registry's tools",
    minutes: 60,
    lacks: lacksLinux,
  },
  { name: 'docs', command: npm('docs'), where: 'build/docs', minutes: 30, lacks: () => null },
  { name: 'attack', command: npm('attack'), where: 'every listener', minutes: 90, lacks: lacksLinux },
  {
    name: 'test:schemathesis',
    command: npm('test:schemathesis'),
    where: 'the management API',
    minutes: 30,
    lacks: lacksLinux,
  },
  { name: 'test:drills', command: npm('test:drills'), where: 'docs/drills.md', minutes: 60, lacks: lacksLinux },
  {
    name: 'history',
    command: npm('history'),
    where: 'network namespaces',
    minutes: 45,
    lacks: () => lacksLinux() ?? (process.getuid() === 0 ? null : 'needs root, for network namespaces'),
  },
  { name: 'test:image', command: npm('test:image'), where: 'Docker', minutes: 60, lacks: lacksEngine },
  {
    name: 'test:kubernetes',
    command: npm('test:kubernetes'),
    where: 'an API server',
    minutes: 90,
    lacks: () => lacksLinux() ?? lacksGo(),
  },
  { name: 'test:cluster', command: npm('test:cluster'), where: 'a cluster', minutes: 120, lacks: lacksHosts },
  ...findings,
];
