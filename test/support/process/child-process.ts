import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Readable } from 'node:stream';

const startDeadlineMs = 20_000;
const stopDeadlineMs = 10_000;
/** Each listens for the end of the test process; the default of ten warns of a leak that is none. */
const maxChildren = 100;
/** How much of its output a failure shows. */
const shownLines = 20;
const shownCharacters = 300;

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of the test process; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

/** A program that a test started. It ends when it is disposed, and at the latest with the test process. */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  /** What it wrote so far. */
  stdout(): string;
  stderr(): string;
  /** The first line, of those written already or of those to come, for which `find` gives something; that something. */
  line<T>(stream: 'stdout' | 'stderr', find: (line: string) => T | null): Promise<T>;
  signal(name: NodeJS.Signals): void;
  /** Resolves with exit code and signal when it has ended. */
  readonly ended: Promise<Exit>;
  /** Sends SIGTERM, and SIGKILL when it takes too long; resolves when it has ended. */
  stop(): Promise<Exit>;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Starts a program and captures what it writes. */
export async function startChild(options: ChildOptions): Promise<Child> {
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await once(child, 'spawn');
  return new RunningChild(child, options);
}

class RunningChild implements Child {
  readonly pid: number;
  readonly ended: Promise<Exit>;
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #name: string;
  readonly #output: Readonly<Record<'stdout' | 'stderr', CapturedText>>;

  constructor(child: ChildProcessByStdio<null, Readable, Readable>, options: ChildOptions) {
    if (child.pid === undefined) throw new Error(`${options.command} did not start`);
    this.pid = child.pid;
    this.#child = child;
    this.#name = [options.command, ...options.args].join(' ');
    this.#output = { stdout: new CapturedText(child.stdout), stderr: new CapturedText(child.stderr) };
    const kill = (): void => {
      child.kill('SIGKILL');
    };
    const leave = (): never => process.exit(143);
    process.setMaxListeners(Math.max(process.getMaxListeners(), maxChildren));
    process.on('exit', kill).on('SIGTERM', leave);
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        process.off('exit', kill).off('SIGTERM', leave);
        resolve({ code, signal });
      });
    });
  }

  stdout(): string {
    return this.#output.stdout.text;
  }

  stderr(): string {
    return this.#output.stderr.text;
  }

  async line<T>(stream: 'stdout' | 'stderr', find: (line: string) => T | null): Promise<T> {
    const found = this.#output[stream].find(find);
    const deadline = timer(startDeadlineMs);
    const outcome = await Promise.race([
      found.then((value) => ({ value })),
      this.ended.then((exit) => `${this.#name} ended (${JSON.stringify(exit)})`),
      deadline.passed.then(() => `${this.#name} did not write the expected line in ${String(startDeadlineMs)} ms`),
    ]);
    deadline.clear();
    if (typeof outcome !== 'string') return outcome.value;
    throw new Error(`${outcome}\nstdout:\n${tail(this.stdout())}\nstderr:\n${tail(this.stderr())}`);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async stop(): Promise<Exit> {
    this.#child.kill('SIGTERM');
    const deadline = timer(stopDeadlineMs);
    void deadline.passed.then(() => this.#child.kill('SIGKILL'));
    const exit = await this.ended;
    deadline.clear();
    return exit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** Text of a stream, kept, with a way to wait for a line. */
class CapturedText {
  text = '';
  readonly #stream: Readable;

  constructor(stream: Readable) {
    this.#stream = stream;
    stream.setEncoding('utf8').on('data', (piece: string) => (this.text += piece));
  }

  find<T>(find: (line: string) => T | null): Promise<T> {
    return new Promise((resolve) => {
      let from = 0;
      const look = (): void => {
        for (let end = this.text.indexOf('\n', from); end >= 0; end = this.text.indexOf('\n', from)) {
          const found = find(this.text.slice(from, end));
          from = end + 1;
          if (found === null) continue;
          this.#stream.off('data', look);
          resolve(found);
          return;
        }
      };
      this.#stream.on('data', look);
      look();
    });
  }
}

function tail(text: string): string {
  return text
    .split('\n')
    .slice(-shownLines)
    .map((line) => line.slice(0, shownCharacters))
    .join('\n');
}

function timer(delayMs: number): { readonly passed: Promise<void>; clear(): void } {
  let handle: NodeJS.Timeout | undefined;
  const passed = new Promise<void>((resolve) => {
    handle = setTimeout(resolve, delayMs);
  });
  return {
    passed,
    clear: () => {
      clearTimeout(handle);
    },
  };
}
