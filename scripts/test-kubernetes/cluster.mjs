// A Kubernetes API server without a cluster: etcd and kube-apiserver as processes, on free ports of the loopback.
// Nothing runs pods or follows objects, so whatever a controller would do has to be done by who asks.
import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../services/run.mjs';

const readyDeadlineMs = 120_000;
const pollIntervalMs = 250;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function start(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const state = { child, output: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      state.output = (state.output + text).slice(-8000);
    });
  }
  child.once('error', (error) => {
    state.output += String(error);
  });
  return state;
}

/**
 * Starts an API server and gives `{ kubectl, environment, stop }`.
 *
 * `kubectl(args)` runs kubectl as an administrator and resolves to `{ code, stdout, stderr }`, whatever came of it;
 * `environment` is what another program needs to reach the same server. `stop()` ends both processes and removes
 * everything they wrote.
 */
export async function startCluster(programs) {
  const directory = await mkdtemp(join(tmpdir(), 'postern-kubernetes-'));
  const path = (name) => join(directory, name);
  const processes = [];
  const stop = async () => {
    for (const { child } of processes.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const [client, peer, server] = [await freePort(), await freePort(), await freePort()];
    const token = randomBytes(24).toString('hex');
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    await writeFile(path('sa.pub'), publicKey);
    await writeFile(path('sa.key'), privateKey, { mode: 0o600 });
    await writeFile(path('tokens.csv'), `${token},admin,admin,system:masters\n`, { mode: 0o600 });
    const url = `http://127.0.0.1:${client}`;
    processes.push(
      start(programs.etcd, [
        ...['--data-dir', path('etcd'), '--listen-client-urls', url, '--advertise-client-urls', url],
        ...['--listen-peer-urls', `http://127.0.0.1:${peer}`, '--unsafe-no-fsync', '--log-level', 'error'],
      ]),
      start(programs['kube-apiserver'], [
        ...[`--etcd-servers=${url}`, '--bind-address=127.0.0.1', `--secure-port=${server}`],
        ...[`--cert-dir=${path('certificates')}`, `--token-auth-file=${path('tokens.csv')}`],
        ...[`--service-account-key-file=${path('sa.pub')}`, `--service-account-signing-key-file=${path('sa.key')}`],
        ...['--service-account-issuer=https://kubernetes.default.svc', '--service-cluster-ip-range=10.0.0.0/24'],
        // Without its controller no namespace would ever get its default account.
        ...['--authorization-mode=RBAC', '--disable-admission-plugins=ServiceAccount'],
      ]),
    );
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      clusters: [
        { name: 'test', cluster: { server: `https://127.0.0.1:${server}`, 'insecure-skip-tls-verify': true } },
      ],
      users: [{ name: 'admin', user: { token } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    };
    await writeFile(path('kubeconfig'), JSON.stringify(config), { mode: 0o600 });
    const environment = { KUBECONFIG: path('kubeconfig'), HOME: directory };
    const kubectl = (args) => run(programs.kubectl, args, { env: environment });
    const deadline = performance.now() + readyDeadlineMs;
    while ((await kubectl(['get', '--raw', '/readyz'])).code !== 0) {
      const ended = processes.find(({ child }) => child.exitCode !== null);
      if (ended !== undefined || performance.now() > deadline) {
        throw new Error(`the API server does not become ready:\n${processes.map(({ output }) => output).join('\n')}`);
      }
      await new Promise((resolve) => setTimeout(resolve, pollIntervalMs));
    }
    return { kubectl, environment, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
