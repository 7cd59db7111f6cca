import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findServices } from '../../../services/install-services.mjs';
import { freezeProcess } from '../process/freeze-process.ts';
import { poll } from '../time/poll.ts';
import { freePort } from '../process/free-port.ts';

/** One MongoDB server, started from `.services`. Disposing it, or the end of the test process, ends it and removes its data. */
export interface Mongod extends AsyncDisposable {
  readonly port: number;
  /** `127.0.0.1:port` */
  readonly address: string;
  /** Ends it at once (SIGKILL), as a crash would. Its data stays. */
  kill(): Promise<void>;
  /** Ends it in order (SIGTERM). Its data stays. */
  stop(): Promise<void>;
  /** Starts it again on the same port and data; waits until it takes connections. */
  restart(): Promise<void>;
  /** Stops it without closing connections (SIGSTOP): whoever asks waits. */
  freeze(): Promise<void>;
  /** Lets a frozen one go on (SIGCONT). */
  thaw(): void;
  /** Everything it logged so far. */
  log(): Promise<string>;
}

const CACHE_SIZE = '--wiredTigerCacheSizeGB';
const portAttempts = 5;
/** mongod's exit code when another process has its port. */
const addressInUseCode = 48;

/** Starts a server with these further arguments on a free port of the loopback, and waits until it takes connections. */
export async function startMongod(args: readonly string[] = []): Promise<Mongod> {
  const program = await mongodProgram();
  for (let attempt = 1; ; attempt += 1) {
    const server = new LocalMongod(program, await freePort(), args);
    try {
      await server.start();
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      if (server.exitCode !== addressInUseCode || attempt === portAttempts) throw error;
    }
  }
}

async function mongodProgram(): Promise<string> {
  const { mongodb } = await findServices(['mongodb']);
  if (mongodb === null) throw new Error('MongoDB is not installed: scripts/install-services mongodb');
  return mongodb;
}

/** Servers that run, to be ended with the test process. */
const running = new Set<LocalMongod>();
process.on('exit', () => {
  for (const server of running) server.destroy();
});
// Without this the signal would end the process and nothing else.
process.on('SIGTERM', () => process.exit(143));

class LocalMongod implements Mongod {
  readonly port: number;
  readonly address: string;
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #directory = mkdtempSync(join(tmpdir(), 'postern-mongod-'));
  #child: ChildProcess | null = null;

  constructor(program: string, port: number, args: readonly string[]) {
    this.#program = program;
    this.port = port;
    this.address = `127.0.0.1:${String(port)}`;
    this.#args = args;
  }

  get exitCode(): number | null {
    return this.#child?.exitCode ?? null;
  }

  async start(): Promise<void> {
    const alreadyLogged = (await this.log()).length;
    const child = spawn(
      this.#program,
      [
        ...['--dbpath', this.#directory, '--bind_ip', '127.0.0.1', '--port', String(this.port), '--nounixsocket'],
        ...['--logpath', this.#logPath, '--logappend'],
        ...(this.#args.includes(CACHE_SIZE) ? [] : [CACHE_SIZE, '0.25']),
        ...['--setParameter', 'enableTestCommands=1', '--setParameter', 'diagnosticDataCollectionEnabled=false'],
        ...this.#args,
      ],
      { stdio: 'ignore' },
    );
    this.#child = child;
    running.add(this);
    // A server that several files of tests share must not keep the test process from ending.
    child.unref();
    await once(child, 'spawn');
    await poll(`mongod on port ${String(this.port)}`, async () => {
      const log = (await this.log()).slice(alreadyLogged);
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`mongod ended (${String(child.exitCode ?? child.signalCode)}):\n${log.slice(-3000)}`);
      }
      return log.includes('"Waiting for connections"') ? true : null;
    });
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async restart(): Promise<void> {
    if (this.#isRunning()) throw new Error(`mongod on port ${String(this.port)} still runs`);
    await this.start();
  }

  async freeze(): Promise<void> {
    if (this.#child?.pid !== undefined) await freezeProcess(this.#child.pid);
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  async log(): Promise<string> {
    return await readFile(this.#logPath, 'utf8').catch(() => '');
  }

  destroy(): void {
    if (this.#isRunning()) this.#child?.kill('SIGKILL');
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 5 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end('SIGKILL');
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 5 });
    running.delete(this);
  }

  get #logPath(): string {
    return join(this.#directory, 'mongod.log');
  }

  #isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child === null || !this.#isRunning()) return;
    const ended = once(this.#child, 'exit');
    this.#child.ref();
    this.#child.kill(signal);
    // A frozen process takes no signal but SIGKILL.
    this.#child.kill('SIGCONT');
    await ended;
  }
}
