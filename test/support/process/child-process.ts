import { describeExit, type Exit, Program, type ProgramStart } from '../../../src/cli/programs/program.ts';

/** A store at its bounds takes seconds to read, and longer while other tests run. */
const lineDeadlineMs = 60_000;
/** How much of its output a failure shows. */
const shownLines = 20;
const shownCharacters = 300;
/** Of what it wrote, about so much is kept in memory: a text cannot be longer than eight times this. */
const keptCharacters = 64 * 1024 * 1024;

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
  /** What it wrote so far; of very much, the end. */
  stdout(): string;
  stderr(): string;
  /** The first line, of those written already or of those to come, for which `find` gives something; that something. */
  line<T>(stream: 'stdout' | 'stderr', find: (line: string) => T | null): Promise<T>;
  /** As `line`, of those to come alone. */
  nextLine<T>(stream: 'stdout' | 'stderr', find: (line: string) => T | null): Promise<T>;
  signal(name: NodeJS.Signals): void;
  /** Resolves with exit code and signal when it has ended. */
  readonly ended: Promise<Exit>;
  /** Sends SIGTERM, and SIGKILL when it takes too long; resolves when it has ended. */
  stop(): Promise<Exit>;
  /** From now on it does not keep the test process from ending. */
  unref(): void;
}

/** Those that run; their folders are removed when the test process exits, and then they must have ended. */
const running = new Set<Program>();
process.prependListener('exit', () => {
  for (const program of running) program.signal('SIGKILL');
});

/** Starts a program and captures what it writes. */
export async function startChild({ command, args, env, cwd }: ChildOptions): Promise<Child> {
  const environment = { ...process.env, ...env };
  const program = await Program.start({ program: command, args, environment, ...(cwd === undefined ? {} : { cwd }) });
  return new RunningChild(program, [command, ...args].join(' '));
}

/**
 * Starts a server and waits until it serves; rejects with what it wrote, and how it ended as the cause, when it does
 * not.
 */
export async function startServer({ title, program, args, environment, isReady }: ProgramStart): Promise<Child> {
  const started = await Program.start({
    ...{ program, args },
    environment: { ...process.env, ...environment },
  });
  const child = new RunningChild(started, title);
  const fault = await started.ready(isReady);
  if (fault === null) return child;
  const exit = await child.stop();
  throw child.failure(`${title} ${fault}`, exit);
}

class RunningChild implements Child {
  readonly pid: number;
  readonly ended: Promise<Exit>;
  readonly #program: Program;
  readonly #name: string;
  readonly #text = { stdout: '', stderr: '' };
  /** How much of the beginning is kept no longer. */
  readonly #dropped = { stdout: 0, stderr: 0 };
  readonly #watchers = new Set<() => void>();

  constructor(program: Program, name: string) {
    this.pid = program.pid;
    this.ended = program.ended;
    this.#program = program;
    this.#name = name;
    program.onOutput((piece, stream) => {
      this.#text[stream] += piece;
      for (const look of this.#watchers) look();
      this.#dropOld(stream);
    });
    running.add(program);
    void program.ended.then(() => running.delete(program));
  }

  stdout(): string {
    return this.#text.stdout;
  }

  stderr(): string {
    return this.#text.stderr;
  }

  async line<T>(stream: 'stdout' | 'stderr', find: (line: string) => T | null): Promise<T> {
    return await this.#lineFrom(0, stream, find);
  }

  async nextLine<T>(stream: 'stdout' | 'stderr', find: (line: string) => T | null): Promise<T> {
    const start = this.#dropped[stream] + this.#text[stream].lastIndexOf('\n') + 1;
    return await this.#lineFrom(start, stream, find);
  }

  #dropOld(stream: 'stdout' | 'stderr'): void {
    const text = this.#text[stream];
    if (text.length < 2 * keptCharacters) return;
    this.#text[stream] = text.slice(text.indexOf('\n', text.length - keptCharacters) + 1);
    this.#dropped[stream] += text.length - this.#text[stream].length;
  }

  async #lineFrom<T>(start: number, stream: 'stdout' | 'stderr', find: (line: string) => T | null): Promise<T> {
    let from = start;
    let look = (): void => undefined;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        look = () => {
          const text = this.#text[stream];
          const dropped = this.#dropped[stream];
          for (;;) {
            const at = Math.max(0, from - dropped);
            const end = text.indexOf('\n', at);
            if (end < 0) return;
            const found = find(text.slice(at, end));
            from = dropped + end + 1;
            if (found !== null) {
              resolve(found);
              return;
            }
          }
        };
        this.#watchers.add(look);
        look();
        void this.ended.then((exit) => {
          reject(this.failure(`${this.#name} ended with ${describeExit(exit)}`, exit));
        });
        timer = setTimeout(() => {
          reject(this.failure(`${this.#name} did not write the expected line in ${String(lineDeadlineMs)} ms`));
        }, lineDeadlineMs);
      });
    } finally {
      clearTimeout(timer);
      this.#watchers.delete(look);
    }
  }

  /** An error that shows the end of what the program wrote; its cause is how the program ended. */
  failure(what: string, cause?: Exit): Error {
    return new Error(`${what}\nstdout:\n${tail(this.stdout())}\nstderr:\n${tail(this.stderr())}`, { cause });
  }

  signal(name: NodeJS.Signals): void {
    this.#program.signal(name);
  }

  async stop(): Promise<Exit> {
    return await this.#program.stop();
  }

  unref(): void {
    this.#program.unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

function tail(text: string): string {
  return text
    .split('\n')
    .slice(-shownLines)
    .map((line) => line.slice(0, shownCharacters))
    .join('\n');
}
