import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

const READY_DEADLINE_MS = 30_000;
const READY_INTERVAL_MS = 20;
const STOP_DEADLINE_MS = 10_000;

/**
 * Runs the arguments as this very process, with a watcher beside it that kills it when the pipe 3 is closed without a
 * word: however the parent ends, even by SIGKILL, no program is left. Not standard input: Node.js closes
 * that when the program has ended, and the watcher would kill the process that has its id by then.
 */
const WATCHED = '{ read -r word <&3 || kill -s KILL "$$"; } >/dev/null 2>&1 & exec "$@" 3<&-';

/** How a program is started. */
export interface ProgramCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The whole environment of the program; that of this process without it. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

/** A server: how it is started, and how it shows that it serves. */
export interface ProgramStart extends ProgramCommand {
  /** Its name for people: `Envoy`. */
  readonly title: string;
  /** Whether it serves. May reject while it does not; it is asked again until it does. */
  readonly isReady: (signal: AbortSignal) => Promise<boolean>;
}

/** How a program ended: with a code, or by a signal. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program that runs beside this process, and never longer. Disposing stops it. */
export class Program implements AsyncDisposable {
  readonly pid: number;
  /** Resolves when the program has ended and all that it wrote was read. */
  readonly ended: Promise<Exit>;
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #watcher: Writable;

  private constructor(child: ChildProcessByStdio<null, Readable, Readable>, pid: number) {
    this.pid = pid;
    this.#child = child;
    this.#watcher = child.stdio[3] as Writable;
    // The watcher may end together with the program.
    this.#watcher.on('error', () => undefined);
    child.once('exit', () => this.#watcher.end('ended\n'));
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        resolve({ code, signal });
      });
    });
  }

  /** Starts a program. What it writes must be read: see {@link onOutput}. */
  static async start({ program, args, environment, cwd }: ProgramCommand): Promise<Program> {
    // A process group of its own: Ctrl-C is for this process, which then ends the program.
    const child = spawn('/bin/sh', ['-c', WATCHED, 'sh', program, ...args], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      cwd,
      ...(environment === undefined ? {} : { env: environment }),
    }) as ChildProcessByStdio<null, Readable, Readable>; // the declarations know three streams only
    await once(child, 'spawn');
    if (child.pid === undefined) throw new Error(`${program} has no process`);
    return new Program(child, child.pid);
  }

  /** Calls back with each piece of text that the program writes. */
  onOutput(take: (piece: string, stream: 'stdout' | 'stderr') => void): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      this.#child[stream].setEncoding('utf8').on('data', (piece: string) => {
        take(piece, stream);
      });
    }
  }

  /** Waits until it serves. Gives null, or why it does not: `did not …`. Rejects with the reason of `signal`. */
  async ready(isReady: ProgramStart['isReady'], signal?: AbortSignal): Promise<string | null> {
    const stopped = new AbortController();
    void this.ended.then((exit) => {
      stopped.abort(`did not start: it ended with ${describeExit(exit)}`);
    });
    const late = AbortSignal.timeout(READY_DEADLINE_MS);
    const any = AbortSignal.any([stopped.signal, late, ...(signal === undefined ? [] : [signal])]);
    // There is no event for it. A question that fails is asked again; the lines below find why the wait is over.
    while (!(await isReady(any).catch(() => false))) {
      signal?.throwIfAborted();
      if (stopped.signal.aborted) return String(stopped.signal.reason);
      if (late.aborted) return `did not become ready in ${String(READY_DEADLINE_MS / 1000)} s`;
      await delay(READY_INTERVAL_MS);
    }
    return null;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Sends SIGTERM, and SIGKILL after so many milliseconds; resolves when it has ended. */
  async stop(deadlineMs = STOP_DEADLINE_MS): Promise<Exit> {
    this.#eachHandle((handle) => {
      handle.ref();
    });
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), deadlineMs);
    const exit = await this.ended;
    clearTimeout(timer);
    return exit;
  }

  /** From now on the program does not keep this process from ending. */
  unref(): void {
    this.#eachHandle((handle) => {
      handle.unref();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #eachHandle(use: (handle: Handle) => void): void {
    const { stdout, stderr } = this.#child;
    // Pipes are sockets, which have both.
    for (const handle of [this.#child, this.#watcher, stdout, stderr]) use(handle as unknown as Handle);
  }
}

interface Handle {
  ref(): void;
  unref(): void;
}

/** Says how a program ended: `exit code 1`, `SIGKILL`. */
export function describeExit({ code, signal }: Exit): string {
  return signal ?? `exit code ${String(code)}`;
}
