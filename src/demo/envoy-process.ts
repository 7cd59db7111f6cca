import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { DemoFailure } from './demo-failure.ts';
import { DEMO_HOST } from './demo-ports.ts';
import type { LogTail } from './log-tail.ts';

const READY_DEADLINE_MS = 30_000;
const READY_INTERVAL_MS = 50;
const STOP_DEADLINE_MS = 3000;

/**
 * Runs the arguments as this very process, with a watcher beside it that ends it when standard input is closed without
 * a word: however the demo ends, even by SIGKILL, no Envoy is left.
 */
const WATCHED = 'exec 3<&0; { read -r word <&3 || kill "$$"; } >/dev/null & exec "$@" 3<&- </dev/null';

export interface EnvoyOptions {
  readonly program: string;
  /** How it finds its configuration. */
  readonly configArguments: readonly string[];
  readonly adminPort: number;
  readonly log: LogTail;
  /** Aborting it ends the wait for Envoy to be ready. */
  readonly signal: AbortSignal;
}

/** A running Envoy; disposing of it waits until it has ended. */
export class EnvoyProcess implements AsyncDisposable {
  /** Resolves when Envoy has ended, with the way it did: `exit code 1`, `SIGKILL`. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Resolves when the watcher has ended, too: it holds standard error. */
  readonly #closed: Promise<unknown>;
  #isEnded = false;

  private constructor({ program, configArguments, log }: EnvoyOptions) {
    const args = [
      ...configArguments,
      // No shared memory: an Envoy that runs on this machine already is none of our business.
      ...['--disable-hot-restart', '--concurrency', '1', '--file-flush-interval-msec', '100'],
      ...['--log-level', 'warning', '--component-log-level', 'main:info'],
    ];
    // A process group of its own: Ctrl-C is for the demo, which then ends Envoy.
    const child = spawn('sh', ['-c', WATCHED, 'sh', program, ...args], {
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece: string) => {
        log.write(piece);
      });
    }
    child.stdin.on('error', () => {
      // The watcher has gone with Envoy: there is nobody to tell that all is well.
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

  /** Starts Envoy and waits until it serves. Rejects, with nothing left running, when it does not. */
  static async start(options: EnvoyOptions): Promise<EnvoyProcess> {
    const envoy = new EnvoyProcess(options);
    try {
      await envoy.#ready(options);
      return envoy;
    } catch (error) {
      await envoy[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #ready({ adminPort, signal }: EnvoyOptions): Promise<void> {
    const stopped = new AbortController();
    void this.ended.then((how) => {
      stopped.abort(new DemoFailure(`Envoy did not start: it ended with ${how}.`));
    });
    const late = AbortSignal.timeout(READY_DEADLINE_MS);
    const any = AbortSignal.any([signal, stopped.signal, late]);
    while (!(await isReady(adminPort, any))) {
      if (late.aborted) throw new DemoFailure(`Envoy did not become ready in ${String(READY_DEADLINE_MS / 1000)} s.`);
      any.throwIfAborted();
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

/** Envoy has no event for it: asks its admin listener. */
async function isReady(adminPort: number, signal: AbortSignal): Promise<boolean> {
  try {
    return (await fetch(`http://${DEMO_HOST}:${String(adminPort)}/ready`, { signal })).ok;
  } catch {
    // Nobody listens there yet, or the wait is over; the caller tells the two apart.
    if (!signal.aborted) await delay(READY_INTERVAL_MS);
    return false;
  }
}
