import { type Child, startChild } from '../child-process.ts';
import { freezeProcess } from '../freeze-process.ts';
import { poll } from '../poll.ts';

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

/** How one server is started. */
export interface LocalServerOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  readonly answers: () => Promise<boolean>;
}

/** Starts a server and waits until it answers; fails with what it wrote when it ends before. */
export async function startLocalServer(options: LocalServerOptions): Promise<LocalServer> {
  let child = await startAnswering(options);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.signal(signal);
    // A frozen process takes no signal but SIGKILL.
    child.signal('SIGCONT');
    await child.ended;
  };
  return {
    port: options.port,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    restart: async () => {
      child = await startAnswering(options);
    },
    freeze: () => freezeProcess(child.pid),
    thaw: () => {
      child.signal('SIGCONT');
    },
    [Symbol.asyncDispose]: () => end('SIGKILL'),
  };
}

async function startAnswering({ name, command, args, env, answers }: LocalServerOptions): Promise<Child> {
  const child = await startChild({ command, args, env });
  let ending: string | null = null;
  void child.ended.then((exit) => {
    ending = `${name} ended (${JSON.stringify(exit)}):\n${(child.stdout() + child.stderr()).slice(-3000)}`;
  });
  await poll(name, async () => {
    if (ending !== null) throw new Error(ending);
    return (await answers()) ? true : null;
  });
  return child;
}
