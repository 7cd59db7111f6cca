import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type Readable } from 'node:stream';
import { type Files } from '../fixtures/files.ts';

/** A service to measure: a command that starts it, and how it tells its port. */
export interface Peer {
  /** What it is, in a table. */
  readonly title: string;
  /** Files that must be there, each with the command that makes it. */
  readonly needs?: readonly Need[];
  readonly command: (files: Files) => Command;
  /** Starts what the service needs to run; it is not measured, but takes its share of the machine. */
  readonly startBackends?: () => Promise<Backends>;
  /** The port in a line that it prints when it listens; null when the line is another. */
  readonly findPort: (line: string) => number | null;
}

/** Servers that a peer talks to, running. */
export interface Backends extends AsyncDisposable {
  /** Tells the peer where they are. */
  readonly env: Readonly<Record<string, string>>;
}

/** A file that a peer needs. */
export interface Need {
  readonly path: string;
  readonly remedy: string;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A service that runs and listens. */
export interface RunningPeer extends AsyncDisposable {
  readonly pid: number;
  readonly address: string;
}

const startDeadlineMs = 30_000;
const shownCharacters = 2000;

/** Starts a service and waits until it listens; what it prints afterwards is read and dropped. */
export async function startPeer(peer: Peer, files: Files): Promise<RunningPeer> {
  const { program, args, env } = peer.command(files);
  const backends = (await peer.startBackends?.()) ?? null;
  const environment = { ...process.env, ...env, ...backends?.env };
  const child = spawn(program, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  await once(child, 'spawn');
  const kill = (): void => void child.kill('SIGKILL');
  process.on('exit', kill);
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      kill();
      await ended;
    }
    process.off('exit', kill);
    await backends?.[Symbol.asyncDispose]();
  };
  try {
    const port = await findPort(child, peer);
    if (child.pid === undefined) throw new Error(`${peer.title} has no process`);
    return { pid: child.pid, address: `127.0.0.1:${String(port)}`, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Service = ChildProcessByStdio<null, Readable, Readable>;

async function findPort(child: Service, peer: Peer): Promise<number> {
  let output = '';
  const keep = (piece: Buffer): void => void (output += piece.toString());
  child.stderr.on('data', keep);
  const lines = createInterface(child.stdout);
  const deadline = AbortSignal.timeout(startDeadlineMs);
  try {
    return await new Promise<number>((resolve, reject) => {
      const fail = (why: string): void => {
        reject(new Error(`${peer.title} ${why}\n${output.slice(-shownCharacters)}`));
      };
      lines.on('line', (line) => {
        output += `${line}\n`;
        const port = peer.findPort(line);
        if (port !== null) resolve(port);
      });
      child.once('exit', (code, signal) => {
        fail(`ended at its start (${signal ?? String(code)})`);
      });
      deadline.addEventListener('abort', () => {
        fail(`did not listen within ${String(startDeadlineMs / 1000)} s`);
      });
    });
  } finally {
    lines.close();
    child.stderr.off('data', keep).resume();
    child.stdout.resume();
  }
}
