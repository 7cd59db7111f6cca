// The cluster of scripts/cluster, for a program that drives it.
import { spawn } from 'node:child_process';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installServices } from '../../services/install-services.mjs';
import { run } from '../../services/run.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const scripts = join(root, 'scripts/cluster');

/** Where everything of the running cluster is. */
export const state = process.env.CLUSTER_STATE ?? '/tmp/postern-cluster';
const environment = { KUBECONFIG: join(state, 'kubeconfig'), HOME: state };

/** Runs a script of scripts/cluster, and shows what it says. */
export function runScript(name, args = []) {
  return new Promise((resolve, reject) => {
    const child = spawn(join(scripts, name), args, { stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${name}: exit code ${code}`))));
  });
}

/** The command line that runs a program in the namespaces of "cp" or a node. */
async function inside(ns, command, args) {
  const pid = (await readFile(join(state, 'run', `${ns}.pid`), 'utf8')).trim();
  const flags = ['--target', pid, '--mount', '--net', '--pid', '--uts', `--wdns=${process.cwd()}`];
  return ['nsenter', [...flags, '--', command, ...args]];
}

/** Runs a program there, and gives `{ code, stdout, stderr }`. */
export async function runIn(ns, command, args, options = {}) {
  return run(...(await inside(ns, command, args)), options);
}

/** As {@link runIn}, for what must succeed: what it printed. */
export async function mustRun(ns, command, args, options) {
  const { code, stdout, stderr } = await runIn(ns, command, args, options);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: exit code ${code}\n${stdout}${stderr}`);
  return stdout.trim();
}

/** Starts a program there; its standard input is a pipe. */
export async function spawnIn(ns, command, args, options = {}) {
  return spawn(...(await inside(ns, command, args)), { stdio: ['pipe', 'pipe', 'pipe'], ...options });
}

/** kubectl as an administrator: what it printed. */
export function kubectl(...args) {
  return mustRun('cp', join(state, 'bin/kubectl'), args, { env: environment });
}

/** The same, whatever comes of it: `{ code, stdout, stderr }`. */
export function tryKubectl(...args) {
  return runIn('cp', join(state, 'bin/kubectl'), args, { env: environment });
}

/** Helm, as an administrator. */
export async function helm(...args) {
  const { helm: program } = await installServices(['helm']);
  return mustRun('cp', program, args, { env: environment });
}

/** Runs lines of a shell where kubectl is this cluster's. */
export function shell(lines, { cwd }) {
  const env = { ...environment, PATH: `${join(state, 'bin')}:${process.env.PATH}` };
  return mustRun('cp', 'bash', ['-c', `cd '${cwd}'\nset -eu\n${lines}`], { env });
}

/** The object, parsed. */
export async function get(...args) {
  return JSON.parse(await kubectl('get', ...args, '--output=json'));
}

async function allPodsOf(name, namespace) {
  return (await get('pods', `--namespace=${namespace}`, `--selector=app.kubernetes.io/name=${name}`)).items;
}

const isEnding = ({ metadata }) => metadata.deletionTimestamp !== undefined;

/** The pods with a label `app.kubernetes.io/name`, those that end left out. */
export async function podsOf(name, namespace = 'postern') {
  return (await allPodsOf(name, namespace)).filter((pod) => !isEnding(pod));
}

/** Waits until `look` gives something other than null, false or undefined, and gives it. */
export async function until(what, look, seconds = 300) {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Waits until Deployments are as they should be, and all former pods have ended. */
export async function settled(...names) {
  for (const name of names) {
    await kubectl('rollout', 'status', `deployment/${name}`, '--namespace=postern', '--timeout=10m');
    await until(`former pods of ${name} have ended`, async () => !(await allPodsOf(name, 'postern')).some(isEnding));
  }
}

/** Runs `action` while `kubectl port-forward` leads from the loopback of "cp" to what is called so, such as "service/envoy". */
export async function withPortForward(target, ports, action, namespace = 'postern') {
  const forward = await spawnIn('cp', 'bash', [
    // It ends with its standard input.
    ...['-c', '"$@" & read -r; kill $!', 'bash', join(state, 'bin/kubectl'), 'port-forward'],
    ...['--kubeconfig', join(state, 'kubeconfig'), `--namespace=${namespace}`, target, ports],
  ]);
  let errors = '';
  forward.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  try {
    await new Promise((resolve, reject) => {
      forward.stdout.once('data', resolve);
      forward.once('close', (code) => reject(new Error(`kubectl port-forward: exit code ${code}: ${errors}`)));
    });
    return await action();
  } finally {
    forward.stdin.end();
  }
}

/** Which containers run in the pods of these names, so that a restart shows. */
export async function containersOf(...names) {
  const pods = (await Promise.all(names.map((name) => podsOf(name)))).flat();
  return pods
    .flatMap(({ status }) => status.containerStatuses.map(({ containerID }) => containerID))
    .sort()
    .join();
}

/** Waits until every replica of Postern has logged a text since then. */
export async function everyLogSays(text, since) {
  await until(`every replica logs "${text}"`, async () => {
    const names = (await podsOf('postern')).map(({ metadata }) => metadata.name);
    const logs = await Promise.all(
      names.map((name) => kubectl('logs', name, '--namespace=postern', `--since-time=${since}`)),
    );
    return logs.every((log) => log.includes(text));
  });
}

/** Brings an archive of images.sh to every node, and makes it before when it is not there. */
export async function bringImage(part) {
  const archive = join(process.env.CLUSTER_CACHE ?? join(root, '.services/cluster'), `${part}.tar`);
  try {
    await access(archive);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    await runScript('images.sh', [part]);
  }
  for (const { metadata } of (await get('nodes')).items) {
    const socket = join(state, metadata.name, 'containerd.sock');
    await mustRun(metadata.name, 'ctr', ['-a', socket, '-n', 'k8s.io', 'images', 'import', archive]);
  }
}

/** Removes namespaces of a former step. Pods are killed: a proxy would drain for minutes. */
export async function removeNamespaces(...names) {
  await kubectl('delete', 'namespace', ...names, '--ignore-not-found', '--wait=false');
  for (const name of names) {
    await kubectl('delete', 'pods', '--all', `--namespace=${name}`, '--grace-period=0', '--force');
  }
  await kubectl('wait', 'namespace', ...names, '--for=delete', '--timeout=3m');
}

/** Kills the processes of the container `name` of a pod, as nothing in the cluster would. */
export async function killContainer(pod, name) {
  const { containerID } = pod.status.containerStatuses.find((each) => each.name === name);
  const node = pod.spec.nodeName;
  const socket = join(state, node, 'containerd.sock');
  const id = containerID.replace('containerd://', '');
  await mustRun(node, 'ctr', ['-a', socket, '-n', 'k8s.io', 'task', 'kill', '--signal', 'SIGKILL', id]);
}
