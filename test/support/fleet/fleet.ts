import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type Envoy, startEnvoy } from '../envoy/envoy.ts';
import { cluster, type JsonObject, listAt } from '../envoy/envoy-config.ts';
import { freePort } from '../../../src/cli/programs/free-ports.ts';
import { type ReplicaSet, startReplicaSet } from '../mongodb/replica-set.ts';
import { poll } from '../time/poll.ts';
import { type PosternProcess, type PosternSettings, startPostern } from '../stack/postern-process.ts';
import { type RecordingBackend, startBackend } from '../stack/recording-backend.ts';
import { acquireAll, release } from '../lifetime/release.ts';
import { temporaryDirectory } from '../lifetime/temporary-directory.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

/** One replica of Postern, which keeps its addresses while its process is replaced. */
export interface FleetReplica extends AsyncDisposable {
  /** The process that runs now, or ran last. */
  readonly process: PosternProcess;
  /** Ends it as a supervisor does: SIGTERM, and waiting. */
  stop(): Promise<void>;
  /** Ends it as the loss of its machine does. */
  kill(): Promise<void>;
  /** Starts a process in the place of one that ended, and waits until it is ready. */
  start(): Promise<void>;
  unref(): void;
}

/** Postern as it runs in production: replicas behind one Envoy, on one MongoDB. */
export interface Fleet extends AsyncDisposable {
  readonly mongodb: ReplicaSet;
  readonly replicas: readonly FleetReplica[];
  readonly envoy: Envoy;
  readonly backend: RecordingBackend;
  /** What commands need to reach the store; the key ring is the operator's. */
  readonly environment: { readonly POSTERN_STORE: string; readonly POSTERN_KEYRING: string };
  /** A folder that is removed with the rest. */
  readonly folder: string;
  /** Runs a command in the test process, which must succeed; gives what it prints. */
  postern(...args: readonly string[]): Promise<string>;
  /** Resolves when Envoy counts so many replicas as healthy. */
  healthy(count: number): Promise<void>;
  /** From now on neither it nor a process that is started in it keeps the test process from ending. */
  unref(): void;
}

export interface FleetOptions {
  readonly replicas?: number;
  /** Of the replica set. */
  readonly members?: 1 | 3;
  readonly settings?: PosternSettings;
  /** Of each replica's process. */
  readonly nodeOptions?: readonly string[];
  /** Changes Envoy's configuration. */
  readonly editEnvoy?: (config: JsonObject) => void;
  /** Where each replica reads its key ring; the operator's own file unless given. */
  readonly ringOf?: (replica: number, folder: string) => string;
  /** Where each replica finds its store; the replica set itself unless given. */
  readonly storeOf?: (replica: number, mongodb: ReplicaSet) => string;
  /** Called when the database is there and before the replicas are started. */
  readonly prepare?: (parts: Pick<Fleet, 'environment' | 'folder' | 'mongodb' | 'postern'>) => Promise<void>;
}

/** Health says NOT_SERVING for 2.5 s of this before anything is closed. */
const GRACE_SECONDS = '10';

/** Starts MongoDB, makes a key ring, calls `prepare`, and starts replicas and an Envoy that asks all of them. */
export async function startFleet(options: FleetOptions = {}): Promise<Fleet> {
  const { replicas: count = 2, members = 1, settings = {}, nodeOptions, editEnvoy, ringOf, storeOf, prepare } = options;
  return await acquireAll(async (keep) => {
    const mongodb = keep(await startReplicaSet({ members }));
    const { path: folder } = keep(await temporaryDirectory());
    const backend = keep(await startBackend());
    const environment = {
      POSTERN_STORE: mongodb.uri('postern'),
      POSTERN_KEYRING: join(folder, 'keyring.yaml'),
      POSTERN_ACTOR: 'ops',
    };
    const postern: Fleet['postern'] = async (...args) => {
      const { code, out, err } = await runCli(args, environment);
      assert.equal(code, 0, `postern ${args.join(' ')}: ${err}`);
      return out;
    };
    await postern('keyring', 'create', environment.POSTERN_KEYRING);
    await prepare?.({ environment, folder, mongodb, postern });

    const replicas: FleetReplica[] = [];
    for (let number = 0; number < count; number += 1) {
      const ring = ringOf?.(number, folder) ?? environment.POSTERN_KEYRING;
      const store = storeOf?.(number, mongodb) ?? environment.POSTERN_STORE;
      const own = { ...environment, POSTERN_STORE: store, POSTERN_KEYRING: ring };
      const replica = await startReplica({ ...own, ...settings }, nodeOptions);
      replicas.push(keep(replica));
    }
    const [first] = replicas;
    assert.ok(first);
    const ports = {
      postern: first.process.grpcPort,
      posternHttp: first.process.httpPort ?? 0,
      backend: backend.port,
    };
    const envoy = keep(
      await startEnvoy({
        ports,
        edit: (config) => {
          for (const { process } of replicas.slice(1)) {
            addEndpoint(config, 'postern', process.grpcPort);
            addEndpoint(config, 'postern-http', process.httpPort ?? 0);
          }
          editEnvoy?.(config);
        },
      }),
    );
    const healthy: Fleet['healthy'] = async (wanted) => {
      await poll(`${String(wanted)} healthy replicas`, async () =>
        (await envoy.stat('cluster.postern.membership_healthy')) === wanted &&
        (await envoy.stat('cluster.postern-http.membership_healthy')) === wanted
          ? true
          : null,
      );
    };
    await healthy(count);
    // MongoDB never keeps it from ending.
    const unref = (): void => {
      for (const part of [...replicas, envoy, backend]) part.unref();
    };
    return { mongodb, replicas, envoy, backend, environment, folder, postern, healthy, unref };
  });
}

async function startReplica(settings: PosternSettings, nodeOptions?: readonly string[]): Promise<FleetReplica> {
  const own: PosternSettings = {
    POSTERN_SHUTDOWN_GRACE_SECONDS: GRACE_SECONDS,
    POSTERN_GRPC_ADDRESS: `127.0.0.1:${String(await freePort())}`,
    POSTERN_HTTP_ADDRESS: `127.0.0.1:${String(await freePort())}`,
    ...settings,
  };
  let process = await startPostern('', own, nodeOptions);
  let isUnref = false;
  return {
    get process() {
      return process;
    },
    stop: async () => {
      assert.deepEqual(await process.stop(), { code: 0, signal: null });
    },
    kill: async () => {
      process.signal('SIGKILL');
      await process.stop();
    },
    start: async () => {
      await release(process); // its folder
      process = await startPostern('', own, nodeOptions);
      if (isUnref) process.unref();
    },
    unref: () => {
      isUnref = true;
      process.unref();
    },
    // A good end is not waited for any more.
    [Symbol.asyncDispose]: async () => {
      process.signal('SIGKILL');
      await release(process);
    },
  };
}

/** Makes Envoy ask one replica more. */
function addEndpoint(config: JsonObject, name: string, port: number): void {
  const endpoints = listAt(cluster(config, name), 'load_assignment', 'endpoints', 0, 'lb_endpoints');
  endpoints.push({ endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: port } } } });
}
