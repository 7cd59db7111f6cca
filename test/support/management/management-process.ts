import { acquireAll } from '../lifetime/release.ts';
import { type Child, startChild } from '../process/child-process.ts';

const executable = new URL('../../../dist/main.js', import.meta.url).pathname;

/** A running `postern manage`, on a port of loopback that the system chose. */
export interface ManagementProcess extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  /** Of the admin listener. */
  readonly adminPort: number;
  /** Everything it logged so far. */
  logs(): string;
}

/**
 * Starts the built `postern manage` with settings of the store and the key ring, and waits until it listens.
 * @param nodeOptions of the process, such as `--max-old-space-size=256`.
 */
export async function startManagementProcess(
  environment: Readonly<Record<`POSTERN_${string}`, string>>,
  nodeOptions: readonly string[] = [],
): Promise<ManagementProcess> {
  return await acquireAll(async (keep) => {
    const child: Child = keep(
      await startChild({
        command: process.execPath,
        args: [...nodeOptions, '--enable-source-maps', executable, 'manage'],
        env: { ...environment, POSTERN_MANAGE_ADDRESS: '127.0.0.1:0', POSTERN_MANAGE_ADMIN_ADDRESS: '127.0.0.1:0' },
      }),
    );
    const portOf = async (name: string): Promise<number> =>
      await child.line('stdout', (line) => {
        const [, found] = new RegExp(`"${name}":"127\\.0\\.0\\.1:(\\d+)"`).exec(line) ?? [];
        return found === undefined ? null : Number(found);
      });
    const ports = { port: await portOf('address'), adminPort: await portOf('admin') };
    return { pid: child.pid, ...ports, logs: () => child.stdout() };
  });
}
