import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Child, startChild } from '../../support/process/child-process.ts';
import { envoyProgram } from '../../support/envoy/envoy.ts';
import { cluster, type JsonObject, listAt, objectAt } from '../../support/envoy/envoy-config.ts';
import { type FakeCheckService, startFakeCheckService } from '../../support/stack/fake-check-service.ts';
import { send } from '../../support/http/http-client.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { localContainer } from '../../support/kubernetes/local-container.ts';
import { asText, find, getManifest } from '../../support/kubernetes/manifest.ts';
import { toLoopback } from '../../support/kubernetes/plain-envoy.ts';
import { renderKustomization } from '../../support/kubernetes/render-kustomization.ts';
import { freePort } from '../../../src/cli/programs/free-ports.ts';
import { poll } from '../../support/time/poll.ts';
import { type RecordingBackend, startBackend } from '../../support/stack/recording-backend.ts';
import { acquireAll, release } from '../../support/lifetime/release.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

interface EnvoyPod extends AsyncDisposable {
  readonly envoy: Child;
  readonly port: number;
  readonly probesPort: number;
  readonly check: FakeCheckService;
  readonly backend: RecordingBackend;
  /** The command of the preStop hook. */
  readonly preStop: readonly string[];
}

/** The container of the overlay with its own arguments, on other ports, and a drain of a second in place of twenty. */
async function startEnvoyPod(): Promise<EnvoyPod> {
  return await acquireAll(async (keep) => {
    const manifests = await renderKustomization('overlays/plain-envoy');
    const workload = getManifest(manifests, 'Deployment', 'envoy');
    const { path: root } = keep(await temporaryDirectory());
    const check = keep(await startFakeCheckService());
    const backend = keep(await startBackend());
    const [adminPort, port, probesPort] = [await freePort(), await freePort(), await freePort()];
    const { command } = await localContainer({ manifests, workload, root, replace: {} });
    const path = command.find((part) => part.startsWith(root)) ?? join(root, 'none');
    const config = parse(await readFile(path, 'utf8')) as JsonObject;
    const copy = JSON.parse(JSON.stringify(config)) as JsonObject;
    toLoopback(copy);
    setPort(objectAt(copy, 'admin'), adminPort);
    const [partners, probes] = listAt(copy, 'static_resources', 'listeners');
    setPort(partners as JsonObject, port);
    setPort(probes as JsonObject, probesPort);
    const ports = {
      postern: check.port,
      'postern-http': backend.port,
      backend: backend.port,
      'envoy-admin': adminPort,
    };
    for (const [name, target] of Object.entries(ports)) {
      setPort(objectAt(cluster(copy, name), 'load_assignment', 'endpoints', 0, 'lb_endpoints', 0, 'endpoint'), target);
    }
    const localPath = join(root, 'envoy.json');
    await writeFile(localPath, JSON.stringify(copy));
    const drainAt = command.indexOf('--drain-time-s') + 1;
    assert.equal(command[drainAt], '20');
    const args = command
      .slice(1)
      .map((part, index) => (part === path ? localPath : index + 1 === drainAt ? '1' : part));
    const envoy = keep(await startChild({ command: await envoyProgram(), args }));
    await poll('Envoy', async () => {
      const answer = await fetch(`http://127.0.0.1:${String(probesPort)}/ready`).catch(() => null);
      return answer?.ok === true ? true : null;
    });
    const hook = find(workload, 'spec', 'template', 'spec', 'containers', 0, 'lifecycle', 'preStop', 'exec', 'command');
    const preStop = (hook as readonly string[]).map((part) =>
      part.replace('/dev/tcp/127.0.0.1/9901', `/dev/tcp/127.0.0.1/${String(adminPort)}`).replace('sleep 20', 'sleep 0'),
    );
    assert.match(preStop.at(-1) ?? '', new RegExp(`/${String(adminPort)}\\b`));
    return { envoy, port, probesPort, check, backend, preStop };
  });
}

function setPort(from: JsonObject, port: number): void {
  objectAt(from, 'address', 'socket_address')['port_value'] = port;
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false; // refused: the listener is closed
  } finally {
    socket.destroy();
  }
}

describe('the Envoy container of the overlay plain-envoy', () => {
  let pod: EnvoyPod;
  before(async () => {
    pod = await startEnvoyPod();
  });
  after(() => release(pod));

  const probe = async (path: string, method = 'GET'): Promise<Response> =>
    await fetch(`http://127.0.0.1:${String(pod.probesPort)}${path}`, { method });

  it('answers the probes of its manifest', async () => {
    const manifests = await renderKustomization('overlays/plain-envoy');
    const container = find(getManifest(manifests, 'Deployment', 'envoy'), 'spec', 'template', 'spec', 'containers', 0);
    for (const name of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
      assert.equal((await probe(asText(find(container, name, 'httpGet', 'path')))).status, 200, name);
    }
  });

  it('shows Prometheus its metrics, and nobody anything else', async () => {
    assert.match(await (await probe('/stats/prometheus')).text(), /^envoy_cluster_membership_healthy/m);
    for (const path of ['/', '/config_dump', '/stats', '/ready/', '/stats/../config_dump', '/stats/prometheus/..']) {
      assert.equal((await probe(path)).status, 404, path);
    }
    for (const path of ['/quitquitquit', '/healthcheck/fail', '/ready', '/stats/prometheus']) {
      assert.equal((await probe(path, 'POST')).status, 404, path);
    }
  });

  it('when told to stop: takes connections for a while, asks callers to connect anew, and ends what is under way', async () => {
    let finish: (() => void) | undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    pod.backend.answer = async ({ target }) => {
      if (target === '/slow') await finished;
      return { status: 200, body: 'done' };
    };
    const slow = send('HTTP/1.1', pod.port, { target: '/slow' });
    await poll('the slow request to be at the back end', () =>
      Promise.resolve(pod.backend.requests.length > 0 ? true : null),
    );
    const [command = '', ...args] = pod.preStop;
    await using hook = await startChild({ command, args });
    assert.equal((await send('HTTP/1.1', pod.port, { target: '/new' })).status, 200, 'not drained at once');
    await poll('an answer that ends its connection', async () => {
      const answer = await send('HTTP/1.1', pod.port, { target: '/again' }).catch(() => null);
      return answer === null || fieldValue(answer.headers, 'connection') === 'close' ? true : null;
    });
    await poll('the listener to close', async () => ((await takesConnections(pod.port)) ? null : true));
    const running = Promise.resolve('it still runs');
    assert.equal(await Promise.race([hook.ended, running]), 'it still runs', 'not waited for the slow request');
    finish?.();
    const { status, body } = await slow;
    assert.deepEqual([status, body.toString()], [200, 'done']);
    assert.deepEqual(await hook.ended, { code: 0, signal: null }, hook.stderr());
    assert.deepEqual(await pod.envoy.stop(), { code: 0, signal: null });
  });
});
