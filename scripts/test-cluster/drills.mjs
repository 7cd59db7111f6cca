// What only a cluster shows, on the overlay demo while partners call. Each step gives a line with its figures, and
// throws when it was not as docs/cluster.md says.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bringImage,
  containersOf,
  everyLogSays,
  get,
  killContainer,
  kubectl,
  mustRun,
  podsOf,
  root,
  runScript,
  settled,
  until,
} from './cluster.mjs';
import { takesWrites } from './database.mjs';
import { autoscale } from './autoscaler.mjs';
import { tryPolicies } from './policies.mjs';
import { addressOf, unnoticed } from './traffic.mjs';

const postern = '--namespace=postern';

async function restart(name) {
  await kubectl('rollout', 'restart', `deployment/${name}`, postern);
  await settled(name);
}

async function deletePod(name) {
  const [pod] = await podsOf(name);
  await kubectl('delete', 'pod', pod.metadata.name, postern);
  await settled(name);
}

/** Kills a container as a crash would, and waits until it is there again. */
async function kill(name) {
  const [pod] = await podsOf(name);
  const statusOf = ({ status }) => status.containerStatuses.find((each) => each.name === name);
  const { restartCount } = statusOf(pod);
  await killContainer(pod, name);
  await until(`${name} is there again`, async () => {
    const now = statusOf(await get('pod', pod.metadata.name, postern));
    return now.restartCount > restartCount && now.ready;
  });
}

/** What there is only one of moves to n1, where MongoDB has its volume; then the other node is drained. */
async function drain() {
  const patch = { spec: { template: { spec: { nodeSelector: { 'kubernetes.io/hostname': 'n1' } } } } };
  for (const name of ['echo', 'redis']) {
    await kubectl('patch', 'deployment', name, postern, '--patch', JSON.stringify(patch));
  }
  await settled('echo', 'redis');
  const text = await unnoticed(async () => {
    await kubectl('drain', 'n2', '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=10m');
    await settled('postern', 'envoy');
  });
  await kubectl('uncordon', 'n2');
  return text;
}

/** A key is staged, and then promoted, by the Secret alone. */
async function rotateKeyRing() {
  const directory = await mkdtemp(join(tmpdir(), 'postern-cluster-'));
  try {
    const file = join(directory, 'keyring.yaml');
    const deployment = await get('deployment', 'postern', postern);
    const { secretName } = deployment.spec.template.spec.volumes.find(({ name }) => name === 'keyring').secret;
    const { data } = await get('secret', secretName, postern);
    await writeFile(file, Buffer.from(data['keyring.yaml'], 'base64'), { mode: 0o600 });
    const before = await containersOf('postern');
    const seconds = [];
    const text = await unnoticed(async () => {
      for (const step of ['--stage', '--promote']) {
        await mustRun('cp', process.execPath, [join(root, 'dist/main.js'), 'keyring', 'rotate', step, file]);
        const ring = (await readFile(file)).toString('base64');
        const since = new Date().toISOString();
        const start = performance.now();
        await kubectl(
          'patch',
          'secret',
          secretName,
          postern,
          '--patch',
          JSON.stringify({ data: { 'keyring.yaml': ring } }),
        );
        await everyLogSays('the key ring is in force', since);
        seconds.push(Math.round((performance.now() - start) / 1000));
      }
    });
    if ((await containersOf('postern')) !== before) throw new Error('a pod was replaced or restarted');
    return `staged key in force after ${seconds[0]} s, promoted after ${seconds[1]} s; ${text}`;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The only member ends as with its machine, and comes back with its volume. */
async function loseMongodb() {
  const [{ metadata }] = await podsOf('mongodb');
  await kubectl('delete', 'pod', 'mongodb-0', postern, '--grace-period=0', '--force');
  await until('MongoDB is there again, and takes writes', async () => {
    const [pod] = await podsOf('mongodb');
    const isNew = pod !== undefined && pod.metadata.uid !== metadata.uid;
    return isNew && pod.status.containerStatuses?.[0]?.ready && (await takesWrites('mongodb-0', 'postern'));
  });
}

/** The most memory that containers of this name ever had, in MiB, by the kernel's own count. */
async function mostMemory(name) {
  const pods = await podsOf(name);
  const used = pods.map(async ({ status }) => {
    const { containerID } = status.containerStatuses.find((each) => each.name === name);
    const id = containerID.replace('containerd://', '');
    const find = ['/sys/fs/cgroup/memory/postern-cluster', '-path', `*/${id}/memory.max_usage_in_bytes`];
    const file = await mustRun('cp', 'find', find);
    return Number(await readFile(file, 'utf8')) / 2 ** 20;
  });
  return Math.round(Math.max(...(await Promise.all(used))));
}

/** 32 connections send bodies of 10 MiB without credentials for half a minute. */
async function floodBodies() {
  const before = await containersOf('postern', 'envoy');
  let answers;
  const text = await unnoticed(async () => {
    answers = await mustRun('n1', process.execPath, [
      join(root, 'scripts/cluster/flood.mjs'),
      ...[await addressOf('envoy'), '32', '30'],
    ]);
  }, Infinity);
  if ((await containersOf('postern', 'envoy')) !== before) throw new Error('a container was killed');
  const memory = [await mostMemory('postern'), await mostMemory('envoy')];
  const most = `Postern had at most ${memory[0]} MiB of 1536, Envoy ${memory[1]} of 1024`;
  return `${most}; answers ${answers}; partners: ${text}`;
}

/** Every pod of Postern is replaced by one of another version, and then by the first again. */
async function upgradeAndBack() {
  await bringImage('former');
  const use = async (tag) => {
    await kubectl('set', 'image', 'deployment/postern', `postern=postern:${tag}`, postern);
    await settled('postern');
  };
  await use('former');
  return unnoticed(async () => {
    await use('0.2.0');
    await use('former');
  });
}

/** A node goes with all that runs on it, and comes back when the cluster has noticed. */
async function loseNode() {
  const conditionOf = async () => {
    const { status } = await get('node', 'n2');
    return status.conditions.find(({ type }) => type === 'Ready').status;
  };
  let seconds = 0;
  const text = await unnoticed(async () => {
    const start = performance.now();
    await runScript('node', ['lose', '2']);
    await until('the cluster has noticed', async () => (await conditionOf()) !== 'True');
    seconds = Math.round((performance.now() - start) / 1000);
    await new Promise((resolve) => setTimeout(resolve, 10_000));
  }, Infinity);
  await runScript('node', ['return', '2']);
  await until('the node is back', async () => (await conditionOf()) === 'True');
  await settled('postern', 'envoy');
  return `noticed by the cluster after ${seconds} s; ${text}`;
}

/** Each with the name that `npm run test:cluster -- NAME` takes. What a killed process works on may be lost with it. */
export const drills = [
  ['policies', 'network policies', tryPolicies],
  ['restart-postern', 'rolling restart of Postern', () => unnoticed(() => restart('postern'))],
  ['restart-envoy', 'rolling restart of Envoy', () => unnoticed(() => restart('envoy'))],
  ['delete-postern', 'a pod of Postern is deleted', () => unnoticed(() => deletePod('postern'))],
  ['delete-envoy', 'a pod of Envoy is deleted', () => unnoticed(() => deletePod('envoy'))],
  ['kill-postern', 'kill -9 of a container of Postern', () => unnoticed(() => kill('postern'), 50)],
  ['kill-envoy', 'kill -9 of a container of Envoy', () => unnoticed(() => kill('envoy'), 400)],
  ['key-ring', 'a new key ring in the Secret', rotateKeyRing],
  ['mongodb', 'the only MongoDB is lost and comes back', () => unnoticed(loseMongodb)],
  ['bodies', 'a flood of large bodies', floodBodies],
  ['upgrade', 'upgraded to this version, and rolled back', upgradeAndBack],
  ['autoscaler', 'replicas are added under load, and taken away', autoscale],
  ['drain', 'a node is drained', drain],
  ['node', 'a node is lost', loseNode],
];
