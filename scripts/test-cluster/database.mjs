// MongoDB for the installation, with the users of deploy/mongodb/roles.js.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kubectl, root, tryKubectl, until } from './cluster.mjs';
import { makeAuthority } from './certificates.mjs';

const members = [0, 1, 2].map((n) => `mongodb-${n}.mongodb.database.svc.cluster.local`);
/** The database in addresses, with the options that it needs. */
export const database = `${members[0]}:27017/postern?replicaSet=rs0&tls=true&tlsCAFile=/etc/postern/mongodb/ca.crt`;
/** The password of every user. */
export const password = 'PASSWORD';

/** Runs lines of the MongoDB shell in a pod, connected as `options` say, and gives what they print. */
function runShell(pod, namespace, options, lines) {
  const command = ['mongosh', '--quiet', '--norc', ...options, '--eval', lines];
  return kubectl('exec', pod, `--namespace=${namespace}`, '--', ...command);
}

/** How the shell reaches a member: with a login, or without one, as localhost may before there are users. */
function optionsOf(user) {
  const login = user === null ? [] : ['--username', user, '--password', password, '--authenticationDatabase', 'admin'];
  return ['--tls', '--tlsCAFile=/tls/ca.crt', ...login, 'mongodb://localhost:27017/postern?directConnection=true'];
}

/** Runs lines of the MongoDB shell in a member, and gives what they print. */
export function mongosh(member, lines, user = 'admin') {
  return runShell(member, 'database', optionsOf(user), lines);
}

/** Whether MongoDB in a pod takes writes: not while nothing answers. */
export async function takesWrites(pod, namespace, options = []) {
  const said = await runShell(pod, namespace, options, 'db.hello().isWritablePrimary').catch(() => '');
  return said.trim() === 'true';
}

/** The member that takes writes; null while there is none. */
export async function primary() {
  for (const n of [0, 1, 2]) {
    if (await takesWrites(`mongodb-${n}`, 'database', optionsOf('admin'))) return `mongodb-${n}`;
  }
  return null;
}

async function create(kind, name, files) {
  const from = Object.entries(files).map(([key, path]) => `--from-file=${key}=${path}`);
  await kubectl('create', ...kind, name, '--namespace=database', ...from);
}

/** Starts it, with `ca.crt` of its authority in the folder. Gives the users with their roles. */
export async function startDatabase(directory) {
  const { issue } = await makeAuthority(directory, 'MongoDB');
  const { certificate, key } = await issue('*.mongodb.database.svc.cluster.local', 'localhost');
  const path = (name) => join(directory, name);
  await writeFile(path('mongodb.pem'), certificate + key);
  await writeFile(path('members.key'), randomBytes(512).toString('base64'));
  await kubectl('create', 'namespace', 'database');
  await create(['secret', 'generic'], 'mongodb-tls', {
    'mongodb.pem': path('mongodb.pem'),
    'ca.crt': path('ca.crt'),
    'members.key': path('members.key'),
  });
  await create(['configmap'], 'roles', { 'roles.js': join(root, 'deploy/mongodb/roles.js') });
  await kubectl('apply', '--filename', join(root, 'scripts/test-cluster/database.yaml'));
  await kubectl('rollout', 'status', 'statefulset/mongodb', '--namespace=database', '--timeout=5m');
  // The first shall be the primary: before there are users, only its own localhost may make one.
  const list = members.map((host, n) => `{ _id: ${n}, host: '${host}:27017', priority: ${n === 0 ? 2 : 1} }`);
  await mongosh('mongodb-0', `rs.initiate({ _id: 'rs0', members: [${list.join(', ')}] })`, null);
  await until('mongodb-0 is the primary', () => takesWrites('mongodb-0', 'database', optionsOf(null)));
  const admin = `db.getSiblingDB('admin').createUser({ user: 'admin', pwd: '${password}', roles: ['root'] })`;
  await mongosh('mongodb-0', admin, null);
  const said = await mongosh('mongodb-0', `globalThis.passwordPrompt = () => '${password}'; load('/roles/roles.js')`);
  return [...said.matchAll(/^\S+: \S.*$/gm)].map(([user]) => user).join('; ');
}

/** Ends a member as its machine would when it is lost. */
export async function lose(member) {
  await tryKubectl('delete', 'pod', member, '--namespace=database', '--grace-period=0', '--force');
}
