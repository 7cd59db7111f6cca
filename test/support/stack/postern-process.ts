import { access, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Exit } from '../../../src/cli/programs/program.ts';
import { type Child, startChild } from '../process/child-process.ts';
import { acquireAll } from '../lifetime/release.ts';
import { temporaryDirectory } from '../lifetime/temporary-directory.ts';

const executable = new URL('../../../dist/main.js', import.meta.url).pathname;

/** A line of Postern's log, with `level`, `message` and the fields of that message. */
export type LogLine = Readonly<Record<string, unknown>>;

/** A running `postern serve` with a file store. */
export interface PosternProcess extends AsyncDisposable {
  readonly pid: number;
  /** 0 when it listens on a Unix socket. */
  readonly grpcPort: number;
  readonly adminPort: number;
  /** Of the OAuth2 listener; null when it is a Unix socket. */
  readonly httpPort: number | null;
  /** The file that it reads. */
  readonly documentPath: string;
  /** Puts another document in place of the file, at once as an editor does. */
  replaceDocument(yaml: string): Promise<void>;
  /** Everything it logged so far. */
  logs(): readonly LogLine[];
  /** The first log line, written already or to come, for which `isWanted` holds. */
  logLine(isWanted: (line: LogLine) => boolean): Promise<LogLine>;
  /** The first log line to come for which `isWanted` holds; to be called before what makes it be written. */
  nextLogLine(isWanted: (line: LogLine) => boolean): Promise<LogLine>;
  /** Standard output and error as they are. */
  output(): string;
  /** What `/metrics` shows. */
  metrics(): Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** Sends SIGTERM, and resolves when it has ended. */
  stop(): Promise<Exit>;
  /** From now on it does not keep the test process from ending. */
  unref(): void;
}

/** Settings beside those that a test needs anyway; others of the test's own environment do not count. */
export type PosternSettings = Readonly<Record<`${'POSTERN' | 'OTEL'}_${string}`, string>>;

/**
 * Starts the built `postern serve` on the document, on ports that the system chooses, and waits until it is ready.
 * @param nodeOptions of the process, such as `--max-old-space-size=640`.
 */
export async function startPostern(
  documentYaml: string,
  settings: PosternSettings = {},
  nodeOptions: readonly string[] = [],
): Promise<PosternProcess> {
  return acquireAll(async (keep) => {
    await access(executable).catch((cause: unknown) => {
      throw new Error('dist/main.js is missing: npm run build', { cause });
    });
    const { path: directory } = keep(await temporaryDirectory());
    const documentPath = join(directory, 'postern.yaml');
    const replaceDocument = async (yaml: string): Promise<void> => {
      const next = `${documentPath}.next`;
      await writeFile(next, yaml);
      await rename(next, documentPath);
    };
    await replaceDocument(documentYaml);
    const child = keep(
      await startChild({
        command: process.execPath,
        args: [...nodeOptions, '--enable-source-maps', executable, 'serve'],
        env: { ...withoutSettings(), ...defaults(documentPath), ...settings },
      }),
    );
    const ready = await child.line('stdout', (line) => {
      const entry = parseLine(line);
      return entry?.['message'] === 'ready' ? entry : null;
    });
    const adminPort = portOf(ready['admin']);
    const admin = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${String(adminPort)}${path}`);
    const readiness = await admin('/readyz');
    if (!readiness.ok) throw new Error(`Postern says it is ready, and /readyz says: ${await readiness.text()}`);
    return {
      pid: child.pid,
      grpcPort: String(ready['grpc']).startsWith('unix:') ? 0 : portOf(ready['grpc']),
      adminPort,
      httpPort: String(ready['http']).startsWith('unix:') ? null : portOf(ready['http']),
      documentPath,
      replaceDocument,
      logs: () => logsOf(child),
      logLine: (isWanted: (line: LogLine) => boolean) => child.line('stdout', find(isWanted)),
      nextLogLine: (isWanted: (line: LogLine) => boolean) => child.nextLine('stdout', find(isWanted)),
      output: () => child.stdout() + child.stderr(),
      metrics: async () => (await admin('/metrics')).text(),
      signal: (name: NodeJS.Signals) => {
        child.signal(name);
      },
      stop: () => child.stop(),
      unref: () => {
        child.unref();
      },
    };
  });
}

function withoutSettings(): Record<string, undefined> {
  const names = Object.keys(process.env).filter((name) => /^(POSTERN|OTEL)_/.test(name));
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

function defaults(documentPath: string): PosternSettings {
  return {
    POSTERN_STORE: `file:${documentPath}`,
    POSTERN_GRPC_ADDRESS: '127.0.0.1:0',
    POSTERN_HTTP_ADDRESS: '127.0.0.1:0',
    POSTERN_ADMIN_ADDRESS: '127.0.0.1:0',
    // A test is done when it is done; those about stopping say otherwise.
    POSTERN_SHUTDOWN_GRACE_SECONDS: '0',
  };
}

function parseLine(line: string): LogLine | null {
  if (!line.startsWith('{')) return null;
  return JSON.parse(line) as LogLine;
}

function find(isWanted: (line: LogLine) => boolean): (line: string) => LogLine | null {
  return (line) => {
    const entry = parseLine(line);
    return entry !== null && isWanted(entry) ? entry : null;
  };
}

function logsOf(child: Child): LogLine[] {
  const whole = child.stdout().split('\n').slice(0, -1);
  return whole.map(parseLine).filter((line) => line !== null);
}

function portOf(address: unknown): number {
  const port = typeof address === 'string' ? /^127\.0\.0\.1:(\d+)$/.exec(address)?.[1] : undefined;
  if (port === undefined) throw new Error(`not an address that a test can reach: ${JSON.stringify(address)}`);
  return Number(port);
}
