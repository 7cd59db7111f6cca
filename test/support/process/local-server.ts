import type { ProgramStart } from '../../../src/cli/programs/program.ts';
import { type Child, startServer } from './child-process.ts';
import { freezeProcess } from './freeze-process.ts';

/** A server that a test may kill, freeze and start again on the same port. Disposing kills it. */
export interface LocalServer extends AsyncDisposable {
  readonly port: number;
  /** Ends it at once (SIGKILL), as a crash would. */
  kill(): Promise<void>;
  /** Ends it in order (SIGTERM). */
  stop(): Promise<void>;
  /** Starts it again; waits until it serves. */
  restart(): Promise<void>;
  /** Stops it without closing connections (SIGSTOP): callers wait. */
  freeze(): Promise<void>;
  /** Lets a frozen one go on (SIGCONT). */
  thaw(): void;
  /** The process that runs now, or ran last. */
  child(): Child;
}

/** Starts a server and waits until it serves; fails with what it wrote when it does not. */
export async function startLocalServer(start: ProgramStart, port: number): Promise<LocalServer> {
  let child = await startServer(start);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.signal(signal);
    // A frozen process takes no signal but SIGKILL.
    child.signal('SIGCONT');
    // A server that does not keep this process from ending is waited for all the same.
    await child.stop();
  };
  return {
    port,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    restart: async () => {
      await assertEnded(child);
      child = await startServer(start);
    },
    freeze: () => freezeProcess(child.pid),
    thaw: () => {
      child.signal('SIGCONT');
    },
    child: () => child,
    [Symbol.asyncDispose]: () => end('SIGKILL'),
  };
}

async function assertEnded({ ended, pid }: Child): Promise<void> {
  const exit = await Promise.race([ended, Promise.resolve(null)]);
  if (exit === null) throw new Error(`process ${String(pid)} still runs`);
}
