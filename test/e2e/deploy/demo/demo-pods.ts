import assert from 'node:assert/strict';
import { createContext, runInContext } from 'node:vm';
import { findServices } from '../../../../services/install-services.mjs';
import { projectRoot } from '../../../support/docs/documents.ts';
import { type Child, startChild } from '../../../support/process/child-process.ts';
import { type Envoy, startEnvoy } from '../../../support/envoy/envoy.ts';
import { localContainer } from '../../../support/kubernetes/local-container.ts';
import { getManifest, type Manifest } from '../../../support/kubernetes/manifest.ts';
import { plainEnvoy } from '../../../support/kubernetes/plain-envoy.ts';
import { renderKustomization } from '../../../support/kubernetes/render-kustomization.ts';
import { adminCommand } from '../../../support/mongodb/command.ts';
import { freePort } from '../../../../src/cli/programs/free-ports.ts';
import { startMongod } from '../../../support/mongodb/mongod.ts';
import { poll } from '../../../support/time/poll.ts';
import { acquireAll } from '../../../support/lifetime/release.ts';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';

/** The pods of the overlay demo as processes of this machine, each with the files, variables and arguments of its manifest. */
export interface DemoPods extends AsyncDisposable {
  readonly envoy: Envoy;
  readonly postern: Child;
  /** Runs the Job once more, and gives what its containers wrote. */
  runJob(): Promise<string>;
}

interface Address {
  readonly host: string;
  readonly port: number;
}

const text = ({ host, port }: Address): string => `${host}:${String(port)}`;

/** Starts everything on free ports of the loopback. Changed are addresses and ports, and which program an image runs. */
export async function startDemoPods(): Promise<DemoPods> {
  return await acquireAll(async (keep) => {
    const manifests = await renderKustomization('overlays/demo');
    const { path: root } = keep(await temporaryDirectory());
    const { redis, ratelimit } = await findServices(['redis', 'ratelimit']);
    const port = async (): Promise<Address> => ({ host: '127.0.0.1', port: await freePort() });
    const mongod = keep(await startMongod(['--replSet', 'rs0']));
    const [redisAt, ratelimitAt, echoAt, ratelimitHttp] = [await port(), await port(), await port(), await port()];
    const replace = {
      'mongodb-0.mongodb:27017': mongod.address,
      'redis:6379': text(redisAt),
      'ratelimit:8081': text(ratelimitAt),
      '0.0.0.0:9001': '127.0.0.1:0',
      '0.0.0.0:9002': '127.0.0.1:0',
      '0.0.0.0:9003': '127.0.0.1:0',
      '0.0.0.0:9095': text(await port()),
      '0.0.0.0': '127.0.0.1',
    };
    const contain = async (kind: string, name: string, container?: string): ReturnType<typeof localContainer> =>
      await localContainer({
        manifests,
        workload: getManifest(manifests, kind, name),
        root: `${root}/${name}`,
        replace,
        ...(container === undefined ? {} : { container }),
      });

    const redisContainer = await contain('Deployment', 'redis');
    keep(
      await startChild({
        command: redis ?? '',
        args: [
          ...redisContainer.command.slice(1).map((part) => (part === '*' ? '127.0.0.1' : part)),
          '--port',
          String(redisAt.port),
        ],
      }),
    );
    const ratelimitContainer = await contain('Deployment', 'ratelimit');
    const ratelimitPorts = {
      GRPC_PORT: String(ratelimitAt.port),
      PORT: String(ratelimitHttp.port),
      DEBUG_PORT: String(await freePort()),
    };
    const ratelimitEnv = { ...ratelimitContainer.env, ...ratelimitPorts };
    const { command, env } = await contain('Deployment', 'ratelimit', 'redis');
    const waiting = keep(await startChild({ command: command[0] ?? '', args: command.slice(1), env }));
    assert.deepEqual(await waiting.ended, { code: 0, signal: null }, 'the init container waits for Redis');
    keep(await startChild({ command: ratelimit ?? '', args: [], env: ratelimitEnv }));
    await poll('the rate limit service', async () => {
      const answer = await fetch(`http://${text(ratelimitHttp)}/healthcheck`).catch(() => null);
      return answer?.ok === true ? true : null;
    });

    const echo = await contain('Deployment', 'echo');
    keep(await startNode(echo.command, { ...echo.env, PORT: String(echoAt.port) }));

    const serve = await contain('Deployment', 'postern');
    const postern = keep(await startNode(serve.command, serve.env));
    const job = {
      schema: await contain('Job', 'demo-partners', 'schema'),
      partners: await contain('Job', 'demo-partners', 'partners'),
    };
    const runJob = async (): Promise<string> => {
      await initiate(manifests, mongod.address);
      const outputs: string[] = [];
      for (const { command, env } of [job.schema, job.partners]) {
        const child = await startNode(command, env);
        const { code } = await child.ended;
        const output = child.stdout() + child.stderr();
        if (code !== 0) throw new Error(`${command.join(' ')}: exit code ${String(code)}\n${output}`);
        outputs.push(output);
      }
      return outputs.join('');
    };
    await runJob();

    const ready = await postern.line('stdout', (line) =>
      line.includes('"message":"listening') || line.includes('"message":"ready"') ? line : null,
    );
    const at = JSON.parse(ready) as Readonly<Record<'grpc' | 'http' | 'admin', string>>;
    const portOf = (address: string): number => Number(address.split(':').at(-1));
    await poll('Postern', async () => {
      const answer = await fetch(`http://${at.admin}/readyz`).catch(() => null);
      return answer?.ok === true ? true : null;
    });
    const envoy = keep(
      await startEnvoy({
        attachment: plainEnvoy,
        ports: { postern: portOf(at.grpc), posternHttp: portOf(at.http), backend: echoAt.port },
      }),
    );
    return { envoy, postern, runJob };
  });
}

/** What the image of Postern does with its arguments: node is its entry point, and /app the working directory. */
async function startNode(command: readonly string[], env: Readonly<Record<string, string>>): Promise<Child> {
  const inherited = Object.keys(process.env).filter((name) => name.startsWith('POSTERN_'));
  return await startChild({
    command: process.execPath,
    args: command,
    cwd: projectRoot,
    env: { ...Object.fromEntries(inherited.map((name) => [name, undefined])), ...env },
  });
}

/** Runs the script of the init container as the MongoDB shell would, which waits for every call. */
async function initiate(manifests: readonly Manifest[], address: string): Promise<void> {
  await using directory = await temporaryDirectory();
  const job = getManifest(manifests, 'Job', 'demo-partners');
  const { command } = await localContainer({
    manifests,
    workload: job,
    container: 'replica-set',
    root: directory.path,
    replace: { 'mongodb-0.mongodb:27017': address },
  });
  const uri = command.find((part) => part.startsWith('mongodb://')) ?? '';
  const script = command[command.indexOf('--eval') + 1] ?? '';
  const rs = {
    status: () => adminCommand(uri, { replSetGetStatus: 1 }),
    initiate: (config: unknown) => adminCommand(uri, { replSetInitiate: config }),
  };
  await (runInContext(
    `(async () => {${script.replaceAll('rs.', 'await rs.')}\n})()`,
    createContext({ rs }),
  ) as Promise<void>);
  await poll('a primary', async () =>
    (await adminCommand(uri, { hello: 1 }))['isWritablePrimary'] === true ? true : null,
  );
}
