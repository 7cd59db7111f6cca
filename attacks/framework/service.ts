import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeCertificate } from '../../test/support/grpc/certificate.ts';
import { runPostern } from '../../test/support/cli/run-postern.ts';
import { startReplicaSet } from '../../test/support/mongodb/replica-set.ts';
import { createRingFile } from '../../test/support/keyring/ring-file.ts';
import { type PosternProcess, type PosternSettings, startPostern } from '../../test/support/stack/postern-process.ts';
import { acquireAll } from '../../test/support/lifetime/release.ts';
import { temporaryDirectory } from '../../test/support/lifetime/temporary-directory.ts';
import type { ServiceKind } from './attack.ts';
import { attackDocument, goodSource, unseenKeys } from './document.ts';
import { type Managed, type ManagedTarget, startManaged } from './managed.ts';

/** As the deployment runs it (deploy/base/deployment.yaml). */
const NODE_OPTIONS = ['--use-largepages=silent', '--max-old-space-size=640'];

/** Where a service is, for processes that attack it or call it. */
export interface Target {
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly adminPort: number;
  /** The authority of the listeners' certificate, as PEM; null without TLS. */
  readonly ca: string | null;
  /** App Keys of partners whom the service has not looked up yet; none with a file. */
  readonly unseenKeys: readonly string[];
  /** The address, as Envoy would give it, that good callers of the OAuth2 endpoints come from. */
  readonly goodSource: string;
  /** The management API; null where the service has none. */
  readonly managed: ManagedTarget | null;
}

/** What a process has used so far. */
export interface Usage {
  /** Of all its threads. */
  readonly cpuMs: number;
  /** How long its main thread was ready to run and waited for a core. */
  readonly waitedMs: number;
  /** Everything that it read, from files and sockets. */
  readonly readKib: number;
  readonly residentMib: number;
  /** The highest since it started. */
  readonly peakMib: number;
}

/** A replica that is attacked. */
export interface Service extends AsyncDisposable {
  readonly target: Target;
  readonly process: PosternProcess;
  usage(): Promise<Usage>;
}

/** Starts the built `serve` with what the kind needs beside it. */
export async function startService({ store, isTls, isManaged }: ServiceKind): Promise<Service> {
  return await acquireAll(async (keep) => {
    const { path: folder } = keep(await temporaryDirectory());
    const ring = keep(await createRingFile({ current: 1 }));
    const certificate = isTls ? makeCertificate('postern') : null;
    const settings: PosternSettings = {
      POSTERN_KEYRING: ring.path,
      ...(certificate === null ? {} : await tlsSettings(folder, certificate)),
    };
    const document = attackDocument(store);
    let process: PosternProcess;
    let managed: Managed | null = null;
    if (store === 'file') process = keep(await startPostern(document, settings, NODE_OPTIONS));
    else {
      const mongodb = keep(await startReplicaSet());
      const stored = { ...settings, POSTERN_STORE: mongodb.uri('postern') };
      const path = join(folder, 'postern.yaml');
      await writeFile(path, document);
      const { code, err } = await runPostern(['apply', '-f', path], { ...stored, POSTERN_ACTOR: 'attacks' }, folder);
      if (code !== 0) throw new Error(`postern apply: ${err}`);
      process = keep(await startPostern('', stored, NODE_OPTIONS));
      if (isManaged) managed = keep(await startManaged(stored, folder));
    }
    const target: Target = {
      grpcPort: process.grpcPort,
      httpPort: process.httpPort ?? 0,
      adminPort: process.adminPort,
      ca: certificate?.cert ?? null,
      unseenKeys: store === 'mongodb' ? unseenKeys : [],
      goodSource,
      managed: managed?.target ?? null,
    };
    const measured = managed?.pid ?? process.pid;
    return { target, process, usage: async () => await readUsage(measured) };
  });
}

async function tlsSettings(folder: string, { cert, key }: { cert: string; key: string }): Promise<PosternSettings> {
  const certificatePath = join(folder, 'tls.crt');
  const keyPath = join(folder, 'tls.key');
  await writeFile(certificatePath, cert);
  await writeFile(keyPath, key, { mode: 0o600 });
  return { POSTERN_TLS_CERTIFICATE: certificatePath, POSTERN_TLS_KEY: keyPath, POSTERN_HTTP_TLS: 'true' };
}

/** proc(5): `status`, `io`; sched-stats of the kernel's documentation: `schedstat`, one for each thread. */
async function readUsage(pid: number): Promise<Usage> {
  const read = async (name: string): Promise<string> => await readFile(`/proc/${String(pid)}/${name}`, 'utf8');
  const threads = await readdir(`/proc/${String(pid)}/task`);
  const [status, io, schedule, ...schedules] = await Promise.all(
    // A thread may end at any moment.
    ['status', 'io', 'schedstat', ...threads.map((id) => `task/${id}/schedstat`)].map(async (name, index) =>
      index < 3 ? await read(name) : await read(name).catch(() => '0 0 0'),
    ),
  );
  const number = (text: string | undefined, pattern: RegExp): number => Number(pattern.exec(text ?? '')?.[1] ?? 0);
  return {
    cpuMs: schedules.reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e6, 0),
    waitedMs: Number(schedule?.split(' ')[1]) / 1e6,
    readKib: number(io, /^rchar: (\d+)/m) / 1024,
    residentMib: number(status, /^VmRSS:\s+(\d+)/m) / 1024,
    peakMib: number(status, /^VmHWM:\s+(\d+)/m) / 1024,
  };
}
