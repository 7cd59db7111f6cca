import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { projectRoot } from '../docs/documents.ts';
import {
  type ClientRequest,
  type ClientSettings,
  type Created,
  type Description,
  type Sent,
  type Signed,
  type Way,
} from './protocol.ts';

/** The first answer comes when everything is built, the first time with everything that it needs. */
const buildDeadlineMs = 10 * 60_000;
const answerDeadlineMs = 40_000;
const stopDeadlineMs = 10_000;
const shownCharacters = 2000;

/** The test program of one client, which answers questions as clients/CONTRACT.md says. */
export interface Driver extends AsyncDisposable {
  /** What the program says of itself; waits for its build. */
  readonly describe: () => Promise<Description>;
  /** Asks any question, and gives the answer without its id. */
  readonly ask: (question: object) => Promise<Readonly<Record<string, unknown>>>;
  /** Makes a client and gives the answer as it is. */
  readonly tryCreate: (settings: ClientSettings) => Promise<{ readonly name: string; readonly answer: Created }>;
  /** Makes a client that must be made; gives its name. */
  readonly create: (settings: ClientSettings) => Promise<string>;
  readonly sign: (name: string, request: ClientRequest) => Promise<Signed>;
  /** What is signed after a 401 with this `Accept-Signature`; null when there is nothing more to do. */
  readonly signAgain: (
    name: string,
    request: ClientRequest,
    acceptSignature: string,
  ) => Promise<Signed | { readonly signed: null }>;
  /** The assertion of the next question to the token URL. */
  readonly assertion: (name: string) => Promise<string>;
  readonly send: (name: string, way: Way, request: ClientRequest) => Promise<Sent>;
  /** Every way to print a client. */
  readonly print: (name: string) => Promise<string>;
  /** Writes lines as they are, and gives the next answers without an id, as many as there are lines. */
  readonly tell: (...lines: readonly string[]) => Promise<readonly unknown[]>;
  /** What it wrote on standard error. */
  readonly stderr: () => string;
  /** Every text of a problem or error that it answered so far. */
  readonly faults: () => readonly string[];
}

const running = new Set<ChildProcessByStdio<Writable, Readable, Readable>>();
process.prependListener('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL');
});

/** Starts the driver in a folder of `clients/`, or of another folder of programs. It ends when its input does. */
export async function startDriver(folder: string, below: 'clients' | 'interop' = 'clients'): Promise<Driver> {
  const child = spawn(join(projectRoot, below, folder, 'run'), ['driver'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true, // a group of its own: the script, what builds, and the program
  });
  running.add(child);
  const waiting = new Waiting();
  let stderr = '';
  let told = '';
  const fail = (what: string): void => {
    waiting.fail(new Error(`${what}\n${stderr.slice(-shownCharacters)}`));
  };
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (stderr += piece));
  child.stdin.on('error', () => undefined); // the end of the program says why
  createInterface({ input: child.stdout, crlfDelay: Infinity }).on('line', (line) => {
    waiting.answer(line);
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child);
      fail(`the driver ended with ${String(code ?? signal)}${told}`);
      resolve();
    });
  });
  child.once('error', (error) => {
    told = `: ${error.message}`;
  });
  await once(child, 'spawn');

  const faults: string[] = [];
  let lastName = 0;
  const ask = async (question: object, deadlineMs = answerDeadlineMs): Promise<Record<string, unknown>> => {
    const answer = await waiting.question((id) => {
      child.stdin.write(`${JSON.stringify({ id, ...question })}\n`);
    }, deadlineMs);
    const { problem, error } = answer as { problem?: unknown; error?: unknown };
    for (const fault of [problem, error]) if (fault !== undefined) faults.push(JSON.stringify(fault));
    return answer;
  };
  const tryCreate = async (settings: ClientSettings): Promise<{ name: string; answer: Created }> => {
    lastName += 1;
    const name = `client-${String(lastName)}`;
    return { name, answer: (await ask({ op: 'create', name, client: settings })) as unknown as Created };
  };
  return {
    ask: (question) => ask(question),
    describe: async () => (await ask({ op: 'describe' }, buildDeadlineMs)) as unknown as Description,
    tryCreate,
    create: async (settings) => {
      const { name, answer } = await tryCreate(settings);
      if (!('created' in answer)) throw new Error(`the client was not made: ${JSON.stringify(answer)}`);
      return name;
    },
    sign: async (name, request) => (await ask({ op: 'sign', name, request })) as unknown as Signed,
    signAgain: async (name, request, acceptSignature) =>
      (await ask({ op: 'sign', name, request, acceptSignature })) as unknown as Signed,
    assertion: async (name) => String((await ask({ op: 'assertion', name }))['assertion']),
    send: async (name, { adapter, http }, request) =>
      (await ask({ op: 'send', name, adapter, http, request })) as unknown as Sent,
    print: async (name) => String((await ask({ op: 'print', name }))['text']),
    tell: async (...lines) => {
      const answers = lines.map(() => waiting.unnumbered(answerDeadlineMs));
      child.stdin.write(lines.map((line) => `${line}\n`).join(''));
      return await Promise.all(answers);
    },
    stderr: () => stderr,
    faults: () => faults,
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      const timer = setTimeout(() => {
        signalGroup(child, 'SIGKILL');
      }, stopDeadlineMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

interface Pending {
  readonly resolve: (answer: Record<string, unknown>) => void;
  readonly reject: (error: Error) => void;
}

/** Questions that wait for their answers. */
class Waiting {
  #last = 0;
  #failure: Error | null = null;
  readonly #byId = new Map<unknown, Pending>();
  readonly #unnumbered: Pending[] = [];

  /** Asks with an id of its own, and resolves with the answer that has this id. */
  async question(ask: (id: number) => void, deadlineMs: number): Promise<Record<string, unknown>> {
    this.#last += 1;
    const id = this.#last;
    const answer = this.#pending(`question ${String(id)}`, deadlineMs, (pending) => this.#byId.set(id, pending));
    ask(id);
    return await answer;
  }

  /** Resolves with the next answer without an id. */
  unnumbered(deadlineMs: number): Promise<Record<string, unknown>> {
    return this.#pending('a line that cannot be read', deadlineMs, (pending) => this.#unnumbered.push(pending));
  }

  answer(line: string): void {
    let answer: Record<string, unknown>;
    try {
      answer = JSON.parse(line) as Record<string, unknown>;
    } catch (cause) {
      this.fail(new Error(`the driver wrote what is no JSON: ${line.slice(0, shownCharacters)}`, { cause }));
      return;
    }
    const { id = null, ...rest } = answer;
    const pending = id === null ? this.#unnumbered.shift() : this.#byId.get(id);
    if (pending === undefined) {
      this.fail(new Error(`the driver answered what was not asked: ${line.slice(0, shownCharacters)}`));
      return;
    }
    this.#byId.delete(id);
    pending.resolve(rest);
  }

  /** Nothing is answered any more. */
  fail(error: Error): void {
    this.#failure ??= error;
    for (const pending of [...this.#byId.values(), ...this.#unnumbered.splice(0)]) pending.reject(this.#failure);
    this.#byId.clear();
  }

  async #pending(what: string, deadlineMs: number, add: (pending: Pending) => void): Promise<Record<string, unknown>> {
    if (this.#failure !== null) throw this.#failure;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve, reject) => {
        add({ resolve, reject });
        timer = setTimeout(() => {
          reject(new Error(`the driver did not answer ${what} in ${String(deadlineMs / 1000)} s`));
        }, deadlineMs);
      });
    } finally {
      clearTimeout(timer);
    }
  }
}

function signalGroup({ pid }: { readonly pid?: number | undefined }, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has ended already
  }
}
