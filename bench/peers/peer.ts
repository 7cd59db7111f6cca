import { join } from 'node:path';
import { servicesDirectory } from '../../services/install-services.mjs';
import { startChild } from '../../test/support/process/child-process.ts';
import { type Files } from '../fixtures/files.ts';

/** A service to measure: a command that starts it, and how it prints where it listens. */
export interface Peer {
  /** What it is, in a table. */
  readonly title: string;
  /** Files that must be there, each with the command that makes it. */
  readonly needs?: readonly Need[];
  readonly command: (files: Files) => Command;
  /** Starts what the service needs to run; it is not measured, but takes its share of the machine. */
  readonly startBackends?: () => Promise<Backends>;
  /** The address in a line that it prints when it listens; null when the line is another. */
  readonly findAddress: (line: string) => string | null;
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

/** A program that scripts/install-services installs, as part of a service of this name. */
export function neededService(service: string, program = service): Need {
  return { path: join(servicesDirectory, 'bin', program), remedy: `npm run services -- ${service}` };
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A service that runs and listens. */
export interface RunningPeer extends AsyncDisposable {
  readonly pid: number;
  /** `127.0.0.1:PORT` or `unix:/path` */
  readonly address: string;
}

/** Starts a service and waits until it listens. */
export async function startPeer(peer: Peer, files: Files): Promise<RunningPeer> {
  const { program, args, env } = peer.command(files);
  const backends = (await peer.startBackends?.()) ?? null;
  try {
    const child = await startChild({ command: program, args, env: { ...env, ...backends?.env } });
    const stop = async (): Promise<void> => {
      child.signal('SIGKILL');
      await child.ended;
      await backends?.[Symbol.asyncDispose]();
    };
    try {
      const address = await child.line('stdout', peer.findAddress);
      return { pid: child.pid, address, [Symbol.asyncDispose]: stop };
    } catch (error) {
      child.signal('SIGKILL');
      await child.ended;
      throw error;
    }
  } catch (error) {
    await backends?.[Symbol.asyncDispose]();
    throw error;
  }
}
