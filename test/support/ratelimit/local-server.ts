import type { ProgramStart } from '../../../src/demo/demo-process.ts';
import { type Child, startChild } from '../process/child-process.ts';
import { freezeProcess } from '../process/freeze-process.ts';
import { poll } from '../time/poll.ts';

/** So long one question whether it serves is waited for. */
const ANSWER_MS = 5000;

/** A server that a test may kill, freeze and start again on the same port. Disposing ends it. */
export interface LocalServer extends AsyncDisposable {
  readonly port: number;
  /** Ends it at once (SIGKILL), as a crash would. */
  kill(): Promise<void>;
  /** Ends it in order (SIGTERM). */
  stop(): Promise<void>;
  /** Starts it again; waits until it answers. */
  restart(): Promise<void>;
  /** Stops it without closing connections (SIGSTOP): whoever asks waits. */
  freeze(): Promise<void>;
  /** Lets a frozen one go on (SIGCONT). */
  thaw(): void;
}

/** Starts a server and waits until it answers; fails with what it wrote when it ends before. */
export async function startLocalServer(start: ProgramStart, port: number): Promise<LocalServer> {
  let child = await startAnswering(start);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.signal(signal);
    // A frozen process takes no signal but SIGKILL.
    child.signal('SIGCONT');
    await child.ended;
  };
  return {
    port,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    restart: async () => {
      child = await startAnswering(start);
    },
    freeze: () => freezeProcess(child.pid),
    thaw: () => {
      child.signal('SIGCONT');
    },
    [Symbol.asyncDispose]: () => end('SIGKILL'),
  };
}

async function startAnswering({ title, program, args, environment, isReady }: ProgramStart): Promise<Child> {
  const child = await startChild({
    command: program,
    args,
    ...(environment === undefined ? {} : { env: environment }),
  });
  let ending: string | null = null;
  void child.ended.then((exit) => {
    ending = `${title} ended (${JSON.stringify(exit)}):\n${(child.stdout() + child.stderr()).slice(-3000)}`;
  });
  await poll(title, async () => {
    if (ending !== null) throw new Error(ending);
    return (await isReady(AbortSignal.timeout(ANSWER_MS)).catch(() => false)) ? true : null;
  });
  return child;
}
