import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { DemoFailure } from './demo-failure.ts';

const READY_DEADLINE_MS = 30_000;
const READY_INTERVAL_MS = 50;
const STOP_DEADLINE_MS = 3000;

/**
 * Runs the arguments as this very process, with a watcher beside it that ends it when standard input is closed without
 * a word: however the demo ends, even by SIGKILL, no program is left.
 */
const WATCHED = 'exec 3<&0; { read -r word <&3 || kill "$$"; } >/dev/null & exec "$@" 3<&- </dev/null';

/** How a program is started, and how it says that it serves. */
export interface ProgramStart {
  /** How people know it: `Envoy`. */
  readonly title: string;
  readonly program: string;
  readonly args: readonly string[];
  /** All that it gets; the caller's own environment without it. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Whether it serves. May reject while it does not; asked again until it does. */
  readonly isReady: (signal: AbortSignal) => Promise<boolean>;
}

interface DemoProcessOptions extends ProgramStart {
  readonly log: LogTail;
  /** Aborting it ends the wait for the program to be ready. */
  readonly signal: AbortSignal;
}

/** A program that the demo runs; disposing of it waits until it has ended. */
export class DemoProcess implements AsyncDisposable {
  readonly title: string;
  /** Resolves when the program has ended, with the way it did: `exit code 1`, `SIGKILL`. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Resolves when the watcher has ended, too: it holds standard error. */
  readonly #closed: Promise<unknown>;
  #isEnded = false;

  private constructor({ title, program, args, environment, log }: DemoProcessOptions) {
    this.title = title;
    // A process group of its own: Ctrl-C is for the demo, which then ends the program.
    const child = spawn('sh', ['-c', WATCHED, 'sh', program, ...args], {
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(environment === undefined ? {} : { env: environment }),
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece: string) => {
        log.write(piece);
      });
    }
    child.stdin.on('error', () => {
      // The watcher has gone with the program: there is nobody to tell that all is well.
    });
    this.#child = child;
    this.#closed = new Promise((resolve) => child.once('close', resolve));
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => {
        resolve(error.message);
      });
      child.once('exit', (code, signal) => {
        this.#isEnded = true;
        child.stdin.end('ended\n');
        resolve(signal ?? `exit code ${String(code)}`);
      });
    });
  }

  /** Starts a program and waits until it serves. Rejects, with nothing left running, when it does not. */
  static async start(options: DemoProcessOptions): Promise<DemoProcess> {
    const started = new DemoProcess(options);
    try {
      await started.#ready(options);
      return started;
    } catch (error) {
      await started[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #ready({ title, isReady, signal }: DemoProcessOptions): Promise<void> {
    const stopped = new AbortController();
    void this.ended.then((how) => {
      stopped.abort(new DemoFailure(`${title} did not start: it ended with ${how}.`));
    });
    const late = AbortSignal.timeout(READY_DEADLINE_MS);
    const any = AbortSignal.any([signal, stopped.signal, late]);
    // There is no event for it. Nobody listens yet, or the wait is over; the lines below tell the two apart.
    while (!(await isReady(any).catch(() => false))) {
      if (late.aborted)
        throw new DemoFailure(`${title} did not become ready in ${String(READY_DEADLINE_MS / 1000)} s.`);
      any.throwIfAborted();
      await delay(READY_INTERVAL_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.pid === undefined) return;
    if (!this.#isEnded) await this.#stop();
    await this.#closed;
  }

  async #stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    const deadline = setTimeout(() => this.#child.kill('SIGKILL'), STOP_DEADLINE_MS);
    await this.ended;
    clearTimeout(deadline);
  }
}

/** Enough for the end of a log, and little enough to keep for as long as the demo runs. */
const MAX_CHARACTERS = 64 * 1024;

/** Keeps the end of what a program writes, for the case that something goes wrong. */
export class LogTail {
  readonly title: string;
  #text = '';

  constructor(title: string) {
    this.title = title;
  }

  write(piece: string): void {
    this.#text = (this.#text + piece).slice(-MAX_CHARACTERS);
  }

  /** The last lines. */
  lines(count: number): readonly string[] {
    return this.#text
      .split('\n')
      .filter((line) => line !== '')
      .slice(-count);
  }
}
